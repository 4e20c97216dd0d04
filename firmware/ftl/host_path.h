// Host requests from admission to completion: split into page-sized pieces, reads, writes with
// read-modify-write, trim and write zeroes, write buffer.
#pragma once

#include <cstdint>

#include "firmware/ftl/board.h"
#include "firmware/ftl/collector.h"
#include "hw/spec/flash_descriptor.h"

namespace twinplane::fw {

class HostPath {
 public:
  void boot(FtlState& state, Board& board, Collector& collector);

  void submit(Request& request);

  /// Continues requests that found a pool empty.
  void admit_waiting();
  /// Starts writing buffered pages to flash when it is time.
  void write_back();

  /// The map names the page of this write now: the next write to the same LPN may go on.
  void placed(Transaction& t);

  void read_done(Transaction& t, const FlashCompletion& c);
  void rmw_read_done(Transaction& t, const FlashCompletion& c);
  void write_done(Transaction& t, const FlashCompletion& c);

  std::uint32_t requests_in_flight() const { return in_flight_; }

 private:
  /// One page's share of a request.
  struct Piece {
    std::uint32_t lpn;
    std::uint32_t mask;        // sectors of the page
    std::uint32_t count;       // number of them
    std::uint32_t host_offset; // see Transaction
  };

  bool admit(Request& r);
  Piece piece_at(const Request& r) const;
  void begin(Request& r);
  bool read_piece(Request& r, Piece p);
  bool write_piece(Request& r, const Piece& p);
  bool unmap_piece(Request& r, const Piece& p);

  Transaction* take(Request& r, const Piece& p, Work work);
  void aim(Transaction& t, Ppn ppn);
  void start_write(Transaction& t);
  void trim(std::uint32_t lpn, std::uint32_t sequence);
  bool unmap(std::uint32_t lpn); // true when it was mapped
  void fail_write(Transaction& t, std::uint16_t status);
  bool void_write_back(const Transaction& t) const;
  void release_lock(Transaction& t);
  void fill_zero(std::uint32_t buffer, std::uint32_t mask);

  std::uint32_t post(const Request& r, DmaOp op, std::uint32_t host_offset, std::uint32_t mask,
                     std::uint32_t buffer);
  void copy_to_device(const Request& r, std::uint32_t host_offset, std::uint32_t mask,
                      const std::uint8_t* page);
  void deliver_zeros(const Request& r, const Piece& p);

  bool arrived(const BufferSlot& slot) const;
  void wake_after_dma(const Request& r);
  BufferSlot* slot_for_write(Request& r, std::uint32_t lpn);
  bool buffer_write(Request& r, const Piece& p);
  bool buffer_read(Request& r, Piece& p);
  void buffer_forget(std::uint32_t lpn, std::uint32_t sequence);
  void wait_for_flash(Request& r);
  void finish_flushes();
  void write_back_done(Transaction& t, const FlashCompletion& c);

  void add_times(Transaction& t, const FlashCompletion& c);
  void part_done(Request& r, const Transaction* last);
  void finish(Request& r, const Transaction* last);

  FtlState* state_ = nullptr;
  Board* board_ = nullptr;
  Collector* collector_ = nullptr;
  Request* waiting_head_ = nullptr;
  Request* waiting_tail_ = nullptr;
  Request* flush_head_ = nullptr;
  Request* flush_tail_ = nullptr;
  std::uint32_t wake_index_ = 0; // DMA index of the last wake-up asked for
  std::uint32_t in_flight_ = 0;
  std::uint64_t now_ps_ = 0; // when the admission under way began
};

} // namespace twinplane::fw
