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

#include "firmware/ftl/features/write_buffer/write_buffer.h"
#include "firmware/ftl/io/buffer_path.h"
#include "firmware/ftl/io/write_path.h"

namespace twinplane::fw {

class BufferedWrites final : public PageWriter, public BufferPath {
 public:
  BufferedWrites(WritePath& path, WriteBuffer& slots) : PageWriter(path, kWriteBack), slots_(slots) {}
  void boot(HostIo& io, const RequestQueue& changes) override;
  WriteBuffer& slots() { return slots_; }

  // --- requests ---
  bool write(Request& r, const SubRequest& p) override;
  bool read_waits(Request& r, std::uint32_t lpn) override;
  std::uint32_t sectors_of(std::uint32_t lpn) const override;
  void deliver(Request& r, SubRequest p) override;
  void flash_has_lost(std::uint32_t lpn) override {
    BufferSlot* const slot = slots_.newest(lpn);
    if (slot != nullptr && slot->state == SlotState::clean) slots_.set_state(*slot, SlotState::dirty);
  }
  void close(std::uint32_t lpn) override {
    if (BufferSlot* const slot = slots_.newest(lpn)) slot->closed = true;
  }
  void forget(std::uint32_t lpn, std::uint32_t sectors, std::uint32_t sequence) override;
  bool give_up_copies(std::uint32_t lpn) override;
  void stop_emptying() override { empties_buffer_ = false; }
  void wait_for_flash(Request& r) override;
  bool flush_waits() const override { return !flushes_.empty(); }
  bool refuse_flushes() override;
  std::uint32_t slots_taken() const override;

  // --- write-back ---
  void write_back() override;
  void write_back_all() override { dirty_high_watermark_ = 0; }
  void begin_last() override { writes_last_ = !old_version_counts(); }
  bool end_last() override {
    const bool wrote = writes_last_;
    writes_last_ = false;
    return wrote;
  }
  bool is_last(const Transaction& t) const override { return writes_last_ && t.owner == this; }
  std::uint64_t sectors_left() const override;

  bool lock_granted(Transaction& t) override;
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
  void forget_sectors(BufferSlot& slot, std::uint32_t sectors);
  void start_next_version(std::uint32_t lpn);
  std::uint32_t dirty_pages() const;
  void finish_flushes();
  void end_write_back(Transaction& t, bool failed);
  void journal_dropped_version(const Transaction& t);

  WriteBuffer& slots_;
  HostIo* io_ = nullptr;
  FtlState* state_ = nullptr;
  const RequestQueue* changes_ = nullptr;
  RequestList flushes_;
  std::uint32_t dirty_high_watermark_ = 0; // pages of the write buffer, unless a flush waits
  bool writes_last_ = false;               // although the drive is read-only
  bool empties_buffer_ = false;            // all that is dirty is written back: a request waits for it
};

} // namespace twinplane::fw
