// Host requests from admission to completion: split into page-sized pieces, reads, writes with
// read-modify-write, trim and write zeroes, write buffer.
#pragma once

#include <cstdint>

#include "firmware/ftl/board.h"
#include "firmware/ftl/collector.h"
#include "firmware/ftl/features/journal/journal.h"
#include "firmware/ftl/request_queue.h"
#include "hw/spec/flash_descriptor.h"

namespace twinplane::fw {

class Purge;

class HostPath final : public OpOwner {
 public:
  void boot(FtlState& state, Board& board, Collector& collector, Journal& journal);

  void submit(Request& request);

  /// Continues requests that found a pool empty.
  void admit_waiting() {
    if (!late_.empty()) resume_late();
    if (!changes_.empty() || !reads_.empty()) admit_as_many_as_fit();
  }
  /// Lets the writes whose data have come wait for their places, and fails those whose data will not come.
  void take_arrived() {
    if (arriving_count_ != 0) take_arriving();
  }
  /// Starts writing buffered pages to flash when it is time.
  void write_back() {
    if (state_->buffer != nullptr) write_back_dirty();
  }
  /// From now on all that is dirty, as fast as it can.
  void write_back_all() { keeps_dirty_ = 0; }
  /// Answers the writes of zeroes that are durable now.
  void answer_durable();
  /// The drive is read-only: fails the writes that wait for space, and flushes. False when there were none.
  bool refuse_writes();

  /// Writes the LPN's page once more, to another place. False: not now.
  [[nodiscard]] bool rewrite(std::uint32_t lpn, ProgramCause cause);
  /// Those of stranded pages that wait for space wait no longer; see Collector. False: there was none.
  [[nodiscard]] bool put_off_stranded();
  /// Pages that are under way there.
  std::uint32_t rewrites() const { return rewrites_; }

  /// The map names the page of this write now: the next write to the same LPN may go on.
  void placed(Transaction& t);

  static const OpTraits kRead;
  static const OpTraits kWrite; // of data, or of zeros
  void read_done(Transaction& t, const FlashCompletion& c);
  void write_done(Transaction& t, const FlashCompletion& c);

  // SLC-mode cache (host_cached.cpp)
  /// The write's turn has come, but the page that it is given is a native one: the rest of what native blocks
  /// have of its logical page is read first.
  void complete_for_native(Transaction& t);
  /// Where a write waits for its place: with the die of the page that it belongs into, or as all do.
  void hand_over(Transaction& t) {
    if (!joins_page(t)) board_->enqueue_write(t);
  }

  std::uint32_t requests_in_flight() const { return in_flight_; }
  /// Somebody waits for programs to be done: without a write buffer everybody may.
  bool waits_for_programs() const;

  void attach(Purge& purge) { purge_ = &purge; }
  void purged(Request& r) { part_done(r, nullptr); }

 private:
  static const OpTraits kCompletePage; // a write that reads the old page's other sectors first
  static const OpTraits kUnmap; // trim or write zeroes of a whole page, waiting for earlier writes to the LPN
  static const OpTraits kReadSubpages;
  static const OpTraits kWriteSubpages;

  /// One page's share of a request.
  struct Piece {
    std::uint32_t lpn;
    std::uint32_t mask;        // sectors of the page
    std::uint32_t count;       // number of them
    std::uint32_t host_offset; // see Transaction
  };

  /// What is particular to a write of a whole page.
  struct PageWrite {
    std::uint32_t lpn;
    std::uint32_t fence;
    PageHint hint;
  };

  bool admit(Request& r);
  void admit_from(RequestQueue& queue);
  void note_shortage(RequestQueue& queue, Request& first);
  void note_page_buffers();
  Piece piece_at(const Request& r) const;
  std::uint32_t whole_pages_at(const Request& r) const;
  void begin(Request& r);
  bool read_piece(Request& r, const Piece& p);
  /// Where the sectors of a page are, newest version first; `lost`: some are nowhere.
  struct Sources {
    std::uint32_t buffered = 0;
    std::uint32_t flash = 0; // in the page `ppn`
    std::uint32_t zeros = 0;
    bool lost = false;
    Ppn ppn = kNoPpn;
  };
  Sources sources_of(std::uint32_t lpn, std::uint32_t mask) const;
  void deliver(Request& r, const Piece& p, const Sources& from);
  void aim_read(Transaction& t, const Sources& from);
  void read_again(Transaction& t);
  void resume_late();
  bool write_piece(Request& r, const Piece& p);
  std::uint32_t write_pages(Request& r, std::uint32_t pages);
  void post_pages(DmaDescriptor& run, std::uint32_t pages);
  void fill_writes(const TransactionPool::Run& run, Request& r, const PageWrite& first);
  void queue_writes(TransactionPool::Run run);
  bool unmap_piece(Request& r, const Piece& p);
  bool spoil_piece(Request& r, const Piece& p);
  bool give_up_buffered(std::uint32_t lpn);

  Transaction* take(Request& r, const Piece& p, const OpTraits& kind);
  void rmw_read_done(Transaction& t, const FlashCompletion& c);
  void cache_read_done(Transaction& t, const FlashCompletion& c);
  void cache_write_done(Transaction& t, const FlashCompletion& c);
  void start_write(Transaction& t);
  // --- what those who look are told ---
  [[gnu::cold]] static void tell_seen(const HostPath& path, const Request& r);
  [[gnu::cold]] static void tell_page_buffers(const HostPath& path, const FtlState& state);
  [[gnu::cold]] static void tell_dependency(const HostPath& path, const Transaction& t);
  [[gnu::cold]] static void tell_dependency_over(const FtlState& state, const Transaction& t);
  void queue_write(Transaction& t);
  void take_arriving();
  void admit_as_many_as_fit();
  void take_arrived_one_by_one();
  bool data_failed(Transaction& t);
  void trim(std::uint32_t lpn, std::uint32_t sequence);
  bool unmap(std::uint32_t lpn); // true when there was something
  void lose(std::uint32_t lpn);
  void end_unmap(Transaction& t);
  void wait_for_metadata(Request& r);
  void finish_commits();
  void overtaken(Transaction& t);
  void answer_overtaken(Transaction& t);
  void end_wait(Transaction& t);
  void note_dropped(std::uint32_t lpn);
  void put_off(const Transaction& t);
  void fail_write(Transaction& t, std::uint16_t status);
  void complete_write(Transaction& t, std::uint32_t lost);
  void note_losses(Transaction& t);
  bool program_again(Transaction& t);
  void repeat(Transaction& t);
  bool is_void(const Transaction& t) const;
  void release_lock(Transaction& t);
  void pass_lock_to(Transaction* heir);
  void unusual_write_done(Transaction& t, const FlashCompletion& c);
  void fill_zero(std::uint32_t buffer, std::uint32_t mask);

  std::uint32_t post(const Request& r, DmaOp op, std::uint32_t host_offset, std::uint32_t mask,
                     std::uint32_t buffer);
  void copy_to_device(const Request& r, std::uint32_t host_offset, std::uint32_t mask,
                      const std::uint8_t* page);
  void deliver_zeros(const Request& r, const Piece& p);

  bool arrived(const BufferSlot& slot) const;
  void wake_after_dma(std::uint16_t slot);
  enum class Fill : std::uint8_t { done, failed, open };
  Fill fill(Request& r, const Piece& p, BufferSlot& slot);
  BufferSlot* slot_being_filled(Request& r, std::uint32_t lpn);
  bool is_being_filled(const BufferSlot& slot) const;
  BufferSlot* slot_for_write(Request& r, std::uint32_t lpn);
  bool buffer_write(Request& r, const Piece& p);
  bool buffer_read_waits(Request& r, std::uint32_t lpn);
  std::uint32_t buffered(std::uint32_t lpn) const;
  void buffer_read(Request& r, Piece p);
  void buffer_forget(std::uint32_t lpn, std::uint32_t sequence);
  void let_oldest_go(std::uint32_t lpn);
  static std::uint32_t dirty_pages(const WriteBuffer& buffer) {
    return buffer.count(SlotState::dirty) + buffer.count(SlotState::waiting);
  }
  void wait_for_flash(Request& r);
  void finish_flushes();
  void refuse_piece(Request& r);
  void refuse_write(Transaction& t);
  void write_back_dirty();
  void write_back_done(Transaction& t, const FlashCompletion& c);
  void rewritten(Transaction& t, const FlashCompletion& c);
  static bool is_stranded(const Transaction& t) { return t.rewrite_cause == ProgramCause::gc; }
  [[nodiscard]] bool can_be_left(const Transaction& t) const;
  void leave_failed_page(const Transaction& t);
  void leave_failed_subpages(const Transaction& t);
  void go_back(const Transaction& t);
  void begin_rewrite(Transaction& t, std::uint32_t lpn, ProgramCause cause);
  void end_rewrite(Transaction& t);
  void rewrite_is_done(const Transaction& t);
  void tell_loss(Transaction& t);
  void end_write_back(Transaction& t, bool failed);

  bool cache_read(Request& r, const Piece& p);
  void cache_read_again(Transaction& t);
  void end_cache_read(Transaction& t);
  void start_cache_write(Transaction& t);
  void complete_cache_write(Transaction& t);
  void cache_rmw_done(Transaction& t, const FlashCompletion& c);
  bool write_cache_again(Transaction& t);
  [[nodiscard]] bool joins_page(Transaction& t);
  void lose_subpages(std::uint32_t lpn, std::uint32_t subpages);
  bool unmap_subpages(std::uint32_t lpn);
  void lose_earlier_slots(const Transaction& t);
  bool newer_under_way(const Transaction& t) const;
  bool newer_subpages_under_way(const Transaction& t) const;

  void add_times(Transaction& t, const FlashCompletion& c);
  void part_done(Request& r, const Transaction* last);
  void finish(Request& r, const Transaction* last);

  FtlState* state_ = nullptr;
  Board* board_ = nullptr;
  Collector* collector_ = nullptr;
  Journal* journal_ = nullptr;
  Purge* purge_ = nullptr;
  Request* commit_head_ = nullptr; // wait for metadata, in the order of their epochs
  Request* commit_tail_ = nullptr;
  RequestQueue reads_;   // that wait to be split
  RequestQueue changes_; // all others; no read waits for them, for commands that are open have no order
  Request* flush_head_ = nullptr;
  Request* flush_tail_ = nullptr;
  TransactionList arriving_;         // complete writes whose data may still fail to come, in order
  std::uint32_t arriving_count_ = 0; // of them
  TransactionList late_;             // looked at whenever something has ended, see resume_late()
  std::uint32_t wake_index_ = 0;     // DMA index of the last wake-up asked for
  std::uint32_t rewrites_ = 0;
  std::uint32_t in_flight_ = 0;
  std::uint32_t keeps_dirty_ = 0;      // pages of the write buffer, unless a flush waits
  bool empties_buffer_ = false;        // all that is dirty is written back: somebody waits for it
  Stall lacks_ = Stall::none;          // of the request that has just not been split to its end
  bool short_of_page_buffers_ = false; // somebody waits for one
  bool whole_pages_ = false;           // writes of whole pages go straight to the flash
  std::uint64_t now_ps_ = 0;           // when the admission under way began
};

// --- the path of every page, inline ---

inline HostPath::Piece HostPath::piece_at(const Request& r) const {
  const std::uint64_t sector = r.lba + r.next_sector;
  const std::uint32_t spp = 1u << state_->sectors_shift;
  const std::uint32_t first = static_cast<std::uint32_t>(sector) & (spp - 1);
  const std::uint32_t left = r.sectors - r.next_sector;
  const std::uint32_t count = left < spp - first ? left : spp - first;
  return Piece{static_cast<std::uint32_t>(sector >> state_->sectors_shift), low_mask(count) << first, count,
               r.data_offset + r.next_sector - first};
}

/// Pages that the request covers whole from its next sector on; 0 when that lies inside a page.
inline std::uint32_t HostPath::whole_pages_at(const Request& r) const {
  const std::uint32_t inside = (1u << state_->sectors_shift) - 1;
  if ((static_cast<std::uint32_t>(r.lba + r.next_sector) & inside) != 0) return 0;
  return (r.sectors - r.next_sector) >> state_->sectors_shift;
}

inline Transaction* HostPath::take(Request& r, const Piece& p, const OpTraits& kind) {
  Transaction* t = state_->pool.take(kind.to_host ? PoolUser::reads : PoolUser::writes);
  if (t == nullptr) {
    lacks_ = Stall::page_buffers;
    return nullptr;
  }
  t->become(kind, *this);
  t->request = &r;
  t->lpn = p.lpn;
  t->mask = p.mask;
  t->host_offset = p.host_offset;
  t->sequence = ++state_->sequence;
  t->queued_ps = now_ps_;
  t->page_buffer_wait_ps = r.breakdown.page_buffer_wait;
  t->write_buffer_wait_ps = r.breakdown.write_buffer_wait;
  return t;
}

inline void HostPath::add_times(Transaction& t, const FlashCompletion& c) {
  t.suspend_wait_ps += std::uint64_t{c.suspend_wait_ns} * 1000;
  t.bus_wait_ps += c.bus_wait_ps;
  t.bus_ps += c.bus_ps;
  t.array_ps += c.array_ps;
  t.ecc_ps += c.ecc_ps;
  t.retry_ps += c.retry_ps;
}

inline void HostPath::part_done(Request& r, const Transaction* last) {
  if (--r.open_parts == 0) finish(r, last);
}

inline void HostPath::release_lock(Transaction& t) {
  Transaction* const heir = state_->locks.release(t);
  if (heir != nullptr) pass_lock_to(heir);
}

inline void HostPath::placed(Transaction& t) {
  if (state_->lost.any() || t.lost != 0) note_losses(t);
  if (t.request != nullptr) t.request->dominated[t.page_type] = true;
  release_lock(t);
}

/// Only the times of the part that finishes the request are asked for.
inline void HostPath::write_done(Transaction& t, const FlashCompletion& c) {
  if (t.request == nullptr || c.result != 0) {
    unusual_write_done(t, c);
    return;
  }
  if (--t.request->open_parts == 0) {
    add_times(t, c);
    finish(*t.request, &t);
  }
  state_->pool.release(t);
}

/// Queues DMA for every run of consecutive sectors in `mask`; returns the last index.
inline std::uint32_t HostPath::post(const Request& r, DmaOp op, std::uint32_t host_offset, std::uint32_t mask,
                                    std::uint32_t buffer) {
  DmaDescriptor d;
  d.op = static_cast<std::uint8_t>(op);
  d.flags = op == DmaOp::to_host && state_->pool.scarce() ? dma_flag::notify : 0;
  d.slot = r.slot;
  std::uint32_t index = 0;
  while (mask != 0) {
    const std::uint32_t first = lowest_bit(mask);
    const std::uint32_t behind = ~(mask >> first); // its lowest set bit is the first gap
    const std::uint32_t length = behind == 0 ? 32 : lowest_bit(behind);
    d.offset = host_offset + first;
    d.length = length;
    d.buffer = buffer + first * state_->payload;
    index = state_->host->post(d);
    state_->charge(1, state_->config.cost.dma_submit);
    mask &= ~(low_mask(length) << first);
  }
  return index;
}

} // namespace twinplane::fw
