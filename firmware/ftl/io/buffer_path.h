// What the paths of the host's requests ask a write buffer (features/write_buffer). A drive without one has none, and asks
// nothing: FtlState::buffer is null.
#pragma once

#include "firmware/ftl/io/host_io.h"
#include "firmware/ftl/request_queue.h"

namespace twinplane::fw {

class BufferPath {
 public:
  /// `changes`: the requests that wait and are no reads.
  virtual void boot(HostIo& io, const RequestQueue& changes) = 0;

  // --- requests ---
  /// False when it has to wait.
  [[nodiscard]] virtual bool write(Request& r, const SubRequest& p) = 0;
  /// Data that stay in the device are copied at once: true when some have not arrived yet.
  [[nodiscard]] virtual bool read_waits(Request& r, std::uint32_t lpn) = 0;
  /// Sectors of the page that any version in the buffer holds.
  [[nodiscard]] virtual std::uint32_t sectors_of(std::uint32_t lpn) const = 0;
  /// Delivers what the buffer holds of the sub-request, newest version first.
  virtual void deliver(Request& r, SubRequest p) = 0;
  /// The flash has lost the LPN's newest version: if the buffer has it as well, that is the only one now.
  virtual void flash_has_lost(std::uint32_t lpn) = 0;
  /// A trim of the LPN waits for its turn: its newest version takes no new data.
  virtual void close(std::uint32_t lpn) = 0;
  /// These sectors of versions older than `sequence` are void: they have been unmapped.
  virtual void forget(std::uint32_t lpn, std::uint32_t sectors, std::uint32_t sequence) = 0;
  /// The page's versions, which are on flash as well, make way. False: some are not there yet.
  [[nodiscard]] virtual bool give_up_copies(std::uint32_t lpn) = 0;
  /// No request waits any more for the buffer to be empty.
  virtual void stop_emptying() = 0;
  /// The request (flush, or a write with force unit access) ends when all that is dirty now is on flash.
  virtual void wait_for_flash(Request& r) = 0;
  [[nodiscard]] virtual bool flush_waits() const = 0;
  /// The drive is read-only. False: no flush has waited.
  [[nodiscard]] virtual bool refuse_flushes() = 0;
  /// Slots whose pages are not on flash.
  [[nodiscard]] virtual std::uint32_t slots_taken() const = 0;

  // --- write-back ---
  /// Starts write-backs until few enough pages are dirty, or all that are wait for an older version.
  virtual void write_back() = 0;
  /// From now on all that is dirty, as fast as it can.
  virtual void write_back_all() = 0;
  /// The drive becomes read-only. What the host has been told is written, and is to survive a power cut, is written
  /// all the same as long as there are pages.
  virtual void begin_last() = 0;
  /// There are none left. False: it was known.
  [[nodiscard]] virtual bool end_last() = 0;
  /// The write-back t is one of those.
  [[nodiscard]] virtual bool is_last(const Transaction& t) const = 0;
  /// The drive is read-only, and these, which were to survive a power cut, are not on flash.
  [[nodiscard]] virtual std::uint64_t sectors_left() const = 0;

 protected:
  ~BufferPath() = default;
};

} // namespace twinplane::fw
