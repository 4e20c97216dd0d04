// Doorbells of the I/O queues that the host keeps in its memory (NVMe 1.4 sections 5.7, 7.13).
//
// A queue's value is read when its register is written, whatever has been written to it: an older write of
// the register may arrive behind a newer value in memory. From then on the value is read again every kPeriod,
// so that a busy host need not write the register; when kPatience reads in a row have found nothing new,
// EventIdx is moved up to what is known, and then the value is read once more: the host moves its value first
// and looks at EventIdx then, so that one of the two sees the other. A completion queue's head is of interest
// only while completions wait for room, or the pin stands for entries that are not taken.
//
// A host goes over from registers to memory when it has seen that Doorbell Buffer Config, or the creation of
// a queue, has succeeded; until then its writes of registers count. So each place of the buffers begins with
// what is known, and a write of the register counts until another value is there. The admin queues stay with
// their registers. A buffer that is not there any more is as bad as a queue that is not.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "hw/host_if/host_access.h"
#include "hw/host_if/pcie_link.h"
#include "hw/host_if/queues.h"
#include "hw/spec/nvme.h"

namespace twinplane::hw {

class ShadowDoorbells {
 public:
  static constexpr TimePs kPeriod = us(2);
  static constexpr std::uint8_t kPatience = 8;
  static constexpr std::uint32_t kMostDeltas = 64;

  struct Path {
    HostAccess& host;
    PcieLink& link;
    QueueSet& queues;
  };
  /// Who uses the values. `number` is that of the doorbell register.
  struct User {
    std::function<bool(std::uint32_t number, std::uint32_t value, TimePs at)> take; // false: a bad value
    std::function<bool(const CompletionQueue&)> wants_head;                         // beside held completions
    std::function<void()> lost;                                                     // no answer from the host
  };

  ShadowDoorbells(const Path& path, User user);

  void set_shadow(std::uint64_t address) { next_shadow_ = address; }
  /// ... and both buffers are used.
  void start(std::uint64_t event_indices, TimePs at);
  void stop();
  /// The doorbell's value is in memory.
  bool covers(std::uint32_t number) const { return on_ && number >= kFirst; }

  /// The register was written, with a value that a queue can have.
  void written(std::uint32_t number, std::uint32_t value, TimePs at);
  /// Completions wait for room.
  void wait_for_head(std::uint32_t cqid, TimePs at);
  /// A queue was created.
  void created(std::uint32_t number, TimePs at);
  /// The use of completion queues' heads has changed.
  void review_heads(TimePs at);

  /// Notified when serve() wants to be called.
  const sc_core::sc_event& due() const { return due_event_; }
  /// Puts itself off to the next delta cycle while others have something to do at this time. Two drives in
  /// one kernel would wait for each other, so not more often than kMostDeltas.
  void serve(bool in_thread);
  /// A thread is at the host's memory.
  bool busy() const { return busy_; }

 private:
  static constexpr std::uint32_t kFirst = 2; // 0 and 1 are the admin queues'
  static constexpr std::uint32_t kNothing = ~0u;
  struct Place {
    bool live = false;                // the host uses it
    std::uint8_t patience = 0;        // reads to come before EventIdx is moved
    std::uint32_t initial = 0;        // what it holds while it does not
    std::uint32_t written = kNothing; // to the register meanwhile
    TimePs due = kNever;
  };
  bool others_act();
  bool exists(std::uint32_t number) const;
  std::uint32_t known(std::uint32_t number) const;
  std::uint32_t generation(std::uint32_t number) const;
  bool wants_more(std::uint32_t number) const;
  bool pin_needs(std::uint32_t number) const;
  void look(std::uint32_t number, TimePs at);
  void visit(std::uint32_t number, bool in_thread);
  bool move_event(std::uint32_t number, HostCall& call);
  bool read(std::uint32_t number, std::uint32_t& value, HostCall& call);
  void settle(std::uint32_t number, std::uint32_t value, TimePs arrived);
  void settle_register(std::uint32_t number, TimePs arrived);
  void at(std::uint32_t number, TimePs time);
  void arm();

  Path path_;
  User user_;
  bool on_ = false;
  bool serving_ = false;
  bool busy_ = false;
  std::uint32_t life_ = 0; // of the buffers
  std::uint64_t next_shadow_ = 0;
  std::uint64_t shadow_ = 0;
  std::uint64_t events_ = 0;
  std::vector<Place> places_;
  TimePs armed_for_ = kNever;
  std::uint32_t deltas_ = 0; // for which serve() has been put off
  sc_core::sc_event due_event_{"doorbells_due"};
};

} // namespace twinplane::hw
