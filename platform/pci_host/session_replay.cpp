#include "platform/pci_host/session_replay.h"

#include <cstdio>

#include "platform/config/error.h"

namespace twinplane::platform {
namespace {

using Kind = SessionEvent::Kind;

const char* name_of(Kind kind) {
  static constexpr const char* kNames[] = {
      "the guest goes",    "a configuration read", "a configuration write",
      "a register read",   "a register write",     "a reset",
      "an answer",         "a read of memory",     "a write of memory",
      "a write of memory", "an MSI-X message",     "a change of the interrupt pin"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string text_of(const SessionEvent& e) {
  char text[160];
  std::snprintf(text, sizeof text, "%s at %.3f us (%u bytes at 0x%llx, value 0x%llx)", name_of(e.kind),
                static_cast<double>(e.at) / 1e6, e.bytes, static_cast<unsigned long long>(e.where),
                static_cast<unsigned long long>(e.value));
  return text;
}

bool same(const SessionEvent& a, const SessionEvent& b) {
  return a.kind == b.kind && a.bytes == b.bytes && a.at == b.at && a.where == b.where && a.value == b.value;
}

/// The accesses that a transport makes (PciDevice); a file that was tampered with may hold others.
bool can_be_made(const SessionEvent& access, const PciDevice& device) {
  constexpr std::uint64_t kConfigSpace = 4096;
  if (access.kind == Kind::reset) return true;
  const bool config = access.kind == Kind::config_read || access.kind == Kind::config_write;
  const std::uint64_t size = config ? kConfigSpace : device.bar_bytes();
  const std::uint32_t most = config ? 4 : 8;
  const bool width = access.bytes != 0 && access.bytes <= most && (access.bytes & (access.bytes - 1)) == 0;
  if (!width || access.where >= size || access.bytes > size - access.where) return false;
  if (!config) return true;
  return access.where % access.bytes == 0 &&
         (access.kind == Kind::config_read || access.value >> (8 * access.bytes) == 0);
}

} // namespace

SessionReplay::SessionReplay(StateVisitor& file, SessionClock now, std::string about,
                             std::function<bool()> more)
    : file_(file), now_(std::move(now)), about_(std::move(about)), more_(std::move(more)) {
  next();
}

void SessionReplay::next() {
  if (!more_()) {
    cut_short_ = true;
    head_.kind = Kind::end;
    head_.ok = 0;
    return;
  }
  file_.value(head_);
  if (head_.kind > Kind::pin) file_.refuse("it is damaged (an event of no kind)");
}

void SessionReplay::check() const {
  if (!trouble_.empty()) throw InputError(trouble_);
}

void SessionReplay::stands_still() {
  if (trouble_.empty())
    trouble_ = about_ + "expected " + text_of(head_) + ", found a drive that does nothing";
}

void SessionReplay::act(PciDevice& device) {
  const SessionEvent access = head_;
  if (!can_be_made(access, device)) file_.refuse("it is damaged (an access that no guest can make)");
  const auto offset = static_cast<std::uint32_t>(access.where);
  if (now_() != access.at && trouble_.empty())
    trouble_ = about_ + "expected " + text_of(access) + ", found a drive that is beyond that";
  next();
  switch (access.kind) {
    case Kind::config_read:
      return answer(device.read_config(offset, access.bytes), access);
    case Kind::config_write:
      return device.write_config(offset, access.bytes, static_cast<std::uint32_t>(access.value));
    case Kind::bar_read:
      return answer(device.read_bar(offset, access.bytes), access);
    case Kind::bar_write:
      return device.write_bar(offset, access.bytes, access.value);
    default:
      return device.reset();
  }
}

void SessionReplay::answer(std::uint64_t value, const SessionEvent& access) {
  SessionEvent done = access;
  done.kind = Kind::answer;
  done.at = now_();
  done.value = value;
  if (matches(done)) next();
}

/// Once it has gone another way, nothing is compared any more.
bool SessionReplay::matches(const SessionEvent& done) {
  if (!trouble_.empty() || cut_short_) return false;
  if (same(done, head_)) return true;
  trouble_ = about_ + "expected " + text_of(head_) + ", found " + text_of(done);
  return false;
}

/// Called by the simulated device, through whose kernel no exception passes whole.
bool SessionReplay::memory(Kind kind, std::uint64_t address, std::uint64_t length, void* data) {
  SessionEvent done;
  done.kind = kind;
  done.bytes = static_cast<std::uint32_t>(length);
  done.at = now_();
  done.where = address;
  if (!matches(done)) return false;
  const bool ok = head_.ok != 0;
  try {
    if (ok && data != nullptr) file_.bytes(data, length);
    next();
  } catch (const InputError& error) {
    trouble_ = error.what();
  }
  return ok;
}

bool SessionReplay::read(std::uint64_t address, void* data, std::uint64_t length) {
  return memory(Kind::memory_read, address, length, data);
}

bool SessionReplay::write(std::uint64_t address, const void*, std::uint64_t length) {
  return memory(Kind::memory_write, address, length, nullptr);
}

bool SessionReplay::writable(std::uint64_t address, std::uint64_t length) {
  return memory(Kind::memory_test, address, length, nullptr);
}

void SessionReplay::message(std::uint64_t address, std::uint32_t data) {
  SessionEvent done;
  done.kind = Kind::message;
  done.bytes = sizeof data;
  done.at = now_();
  done.where = address;
  done.value = data;
  if (matches(done)) next();
}

void SessionReplay::pin(bool level) {
  SessionEvent done;
  done.kind = Kind::pin;
  done.at = now_();
  done.value = level ? 1 : 0;
  if (matches(done)) next();
}

} // namespace twinplane::platform
