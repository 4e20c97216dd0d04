// Who has each transaction of the pool: free, in use, or waiting for the host's DMA. With checks compiled in
// (call_site.h) a transaction that is taken, released or used in the wrong state ends the firmware with the
// transaction, its LPN and both lines; without them nothing of this is left.
#pragma once

#include "firmware/ftl/boot_memory.h"
#include "firmware/ftl/checks/call_site.h"
#include "firmware/ftl/transaction.h"

namespace twinplane::fw {

class PoolWatch {
 public:
  void boot(BootMemory& memory, std::uint32_t transactions) {
    if (!kFirmwareChecks) return;
    hal_ = &memory.hal();
    records_ = memory.array<Record>(transactions);
  }

  void taken(const Transaction& t) {
    if (!kFirmwareChecks) return;
    Record& r = records_[t.index];
    if (r.state != State::free) broken(t, "is taken, though it is not free", CallSite{}, r);
    r.state = State::used;
  }
  void released(const Transaction& t, const CallSite& site) {
    if (!kFirmwareChecks) return;
    Record& r = records_[t.index];
    if (r.state != State::used) broken(t, "is released a second time", site, r);
    r = Record{State::free, site};
  }
  /// Released once the host's DMA has moved its data.
  void drains(const Transaction& t, const CallSite& site) {
    if (!kFirmwareChecks) return;
    Record& r = records_[t.index];
    if (r.state != State::used) broken(t, "is released a second time", site, r);
    r = Record{State::draining, site};
  }
  void drained(const Transaction& t) {
    if (!kFirmwareChecks) return;
    Record& r = records_[t.index];
    if (r.state != State::draining) broken(t, "ends its DMA, though it does not wait for one", r.site, r);
    r.state = State::free;
  }
  /// The transaction is worked on.
  void used(const Transaction& t, const CallSite& site) const {
    if (!kFirmwareChecks) return;
    const Record& r = records_[t.index];
    if (r.state != State::used) broken(t, "is used after its release", site, r);
  }

 private:
  enum class State : std::uint8_t { free, used, draining };
  struct Record {
    State state = State::free;
    CallSite site; // of the last release
  };

  [[gnu::cold, gnu::noinline]] void broken(const Transaction& t, const char* what, const CallSite& site,
                                           const Record& r) const {
    CheckText words;
    words.text("transaction ").number(t.index).text(" (").text(t.traits->name);
    if (t.lpn != kNoLpn) words.text(", LPN ").number(t.lpn);
    words.text(") ").text(what);
    if (site.file != nullptr) words.text(" at ").site(site);
    hal_->panic(words.text("; last released at ").site(r.site).c_str());
  }

  Hal* hal_ = nullptr;
  Record* records_ = nullptr; // by transaction
};

} // namespace twinplane::fw
