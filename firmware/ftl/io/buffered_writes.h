// Writes through the write buffer (ftl.write_ack = buffered).
//
// A write is complete when its data is in the buffer: the DMA ring runs in order, so a completion
// posted behind the data is a completion after the data. Pages go to flash when many are dirty, when a
// flush waits, or when a write finds no slot.
//
// A slot may hold data that have been acknowledged, so it takes part in a write only when that write's data
// have come: data to the device arrive whole or not at all, and until the outcome is known the request waits
// at the head of all others but reads. Most hosts' data have come when move_data() returns.
//
// Versions of a page go to flash one after the other: the next one waits until the program of the one before
// has ended well, or a trim has made that one void. Programs of different dies end in any order; with two
// versions under way the newer could end first and give its slot up, and the older would then look like the
// newest. It also means that a version completes itself only from a page that has been programmed, and that
// one whose program fails is still the next to be written: it keeps its slot, as the newer one may lack its
// sectors.
//
// In a page's list of versions, oldest first, therefore at most the first is clean or on its way to flash (in
// the state writing), at most the first is dirty, and all others wait. Only the newest takes data. Versions
// that a trim made void have left the list; one on its way keeps its slot until its program ends.
#pragma once

#include "firmware/ftl/io/write_path.h"

namespace twinplane::fw {

class BufferedWrites final : public PageWriter {
 public:
  explicit BufferedWrites(WritePath& path) : PageWriter(path, kWriteBack) {}
  /// `changes`: the requests that wait and are no reads.
  void boot(HostIo& io, const RequestQueue& changes);

  // --- requests; only where there is a write buffer ---
  /// False when it has to wait.
  bool write(Request& r, const SubRequest& p);
  /// Data that stay in the device are copied at once: true when some have not arrived yet.
  bool read_waits(Request& r, std::uint32_t lpn);
  /// Sectors of the page that any version in the buffer holds.
  std::uint32_t sectors_of(std::uint32_t lpn) const;
  /// Delivers what the buffer holds of the sub-request, newest version first.
  void deliver(Request& r, SubRequest p);
  /// Versions older than `sequence` are void: their LPN has been unmapped.
  void forget(std::uint32_t lpn, std::uint32_t sequence);
  /// The page's versions, which are on flash as well, make way. False: some are not there yet.
  bool give_up_copies(std::uint32_t lpn);
  /// The request (flush, or a write with force unit access) ends when all that is dirty now is on flash.
  void wait_for_flash(Request& r);
  bool flush_waits() const { return !flushes_.empty(); }
  /// The drive is read-only. False: no flush has waited.
  bool refuse_flushes();
  /// Slots whose pages are not on flash.
  std::uint32_t slots_taken() const;

  // --- write-back ---
  /// Starts write-backs until few enough pages are dirty, or all that are wait for an older version.
  void write_back();
  /// From now on all that is dirty, as fast as it can.
  void write_back_all() { dirty_high_watermark_ = 0; }
  /// The drive becomes read-only. What the host has been told is written, and is to survive a power cut, is written
  /// all the same as long as there are pages.
  void begin_last() { writes_last_ = state_->buffer != nullptr && !old_version_counts(); }
  /// There are none left. False: it was known.
  [[nodiscard]] bool end_last() {
    const bool wrote = writes_last_;
    writes_last_ = false;
    return wrote;
  }
  /// The drive is read-only, and these, which were to survive a power cut, are not on flash.
  [[nodiscard]] std::uint64_t sectors_left() const;
  /// The write-back t is one of those.
  bool is_last(const Transaction& t) const { return writes_last_ && t.owner == this; }
  /// No request waits any more for the buffer to be empty.
  void stop_emptying() { empties_buffer_ = false; }

  void superseded(Transaction& t) override;
  void given_up(Transaction& t, std::uint16_t status) override;
  void written(Transaction& t, bool lost) override;
  bool keeps_failed(Transaction& t) override;
  /// With hold-up energy what the host has been told is written survives a power cut: what the flash holds is too old.
  bool old_version_counts() const override { return state_->config.hold_up_pages == 0; }

 private:
  static const OpTraits kWriteBack;
  [[nodiscard]] bool is_superseded(const Transaction& t) const override;
  bool arrived(const BufferSlot& slot) const;
  enum class Fill : std::uint8_t { done, failed, open };
  Fill fill(Request& r, const SubRequest& p, BufferSlot& slot);
  BufferSlot* slot_being_filled(Request& r, std::uint32_t lpn);
  bool is_being_filled(const BufferSlot& slot) const;
  BufferSlot* slot_for_write(Request& r, std::uint32_t lpn);
  void start_next_version(std::uint32_t lpn);
  std::uint32_t dirty_pages() const;
  void finish_flushes();
  void end_write_back(Transaction& t, bool failed);
  void journal_dropped_version(std::uint32_t lpn);

  HostIo* io_ = nullptr;
  FtlState* state_ = nullptr;
  const RequestQueue* changes_ = nullptr;
  RequestList flushes_;
  std::uint32_t dirty_high_watermark_ = 0; // pages of the write buffer, unless a flush waits
  bool writes_last_ = false;               // although the drive is read-only
  bool empties_buffer_ = false;            // all that is dirty is written back: a request waits for it
};

} // namespace twinplane::fw
