// Posts completion queue entries to host memory and frees the commands' slots (NVMe 1.4 section 4.6).
// A full completion queue holds its completions until the host frees entries; other queues are not held up.
// A held completion needs no slot, but counts as one where I/O commands are fetched (FetchEngine).
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "hw/core/observer.h"
#include "hw/host_if/host_access.h"
#include "hw/host_if/host_interrupts.h"
#include "hw/host_if/pcie_link.h"
#include "hw/host_if/queues.h"
#include "hw/host_if/slots.h"

namespace twinplane::hw {

/// The parts of the front end that a completion passes through.
struct CompletionPath {
  HostAccess& host;
  PcieLink& link;
  QueueSet& queues;
  SlotTable& slots;
  HostInterrupts& interrupts;
};

class CompletionPoster {
 public:
  explicit CompletionPoster(const CompletionPath& path)
      : path_(path), entry_wire_(path.link.wire(sizeof(nvme::Cqe))) {}

  /// Completes the command in `slot` not before `at`; returns when its entry has left the device.
  TimePs complete(std::uint16_t slot, std::uint16_t status, std::uint32_t result, TimePs at);
  /// Host took entries of completion queue `id` up to `head` (a valid value).
  void on_head(std::uint32_t id, std::uint32_t head, TimePs at);

  /// Submission queue `id` has been deleted: no completion of its commands is posted from now on.
  void drop_completions_of(std::uint32_t id);

  /// A posted write has reached the host: if it was an entry, the host can see it now.
  void on_written(const PostedWrite& write);

  /// Called when a completion waits for room in its queue.
  void on_held(std::function<void(std::uint32_t cqid, TimePs at)> call) { on_held_ = std::move(call); }

  void attach(FrontEndObserver& observer) { observer_ = &observer; }

  std::uint64_t posted() const { return posted_; }
  std::uint64_t held() const { return held_; }
  /// Sum over posted commands of (completion - fetch): divided by time, the mean number in flight.
  TimePs in_flight_time() const { return in_flight_time_; }

 private:
  TimePs post(std::uint16_t cqid, const Completion& completion, TimePs at);
  void post_later(CompletionQueue& queue, std::uint16_t cqid, const nvme::Cqe& entry, TimePs at);

  CompletionPath path_;
  const TimePs entry_wire_; // of an entry on the link
  std::function<void(std::uint32_t, TimePs)> on_held_;
  FrontEndObserver* observer_ = nullptr;
  std::uint64_t posted_ = 0;
  std::uint64_t held_ = 0;
  TimePs in_flight_time_ = 0;
};

} // namespace twinplane::hw
