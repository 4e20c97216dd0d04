// Requests of the host, from submission to completion: the paths put together.
//
//   RequestSplitter   splits requests into sub-requests of one page each, and keeps what has to wait
//   ReadPath          reads
//   HostWrites        writes that go to the flash at once     } each a PageWriter: the write path writes
//   PageRewriter      pages of the drive written once more    } pages for all of them
//   BufferPath        a write buffer and its write-backs, if a feature brings one; it is a PageWriter, too
//   WritePath         completes pages, waits for data and for places, repeats failed programs
//   TrimPath          trims and write zeroes
//   Commits           requests that wait for metadata
#pragma once

#include "firmware/ftl/gc/collector.h"
#include "firmware/ftl/io/page_rewriter.h"
#include "firmware/ftl/io/request_splitter.h"

namespace twinplane::fw {

class HostPath {
 public:
  HostPath();
  void boot(BootMemory& memory, FtlState& state, DieQueues& board, Collector& collector);

  /// Writes go to this buffer, and reads and trims ask it.
  void use_buffer(BufferPath& buffer) {
    state_->buffer = &buffer;
    buffer.boot(io_, splitter.changes());
  }
  /// Continues what found a pool empty or was put off.
  void admit_waiting() {
    if (!io_.deferred.empty()) resume_deferred();
    splitter.admit_waiting();
  }
  /// At the end of a turn: see PassGather::run(). `pressing`: none may wait.
  [[nodiscard]] bool fill_passes(bool pressing) {
    if (!write_path.gathers()) return false;
    return write_path.fill_passes(pressing || (state_->buffer != nullptr && waits_for_programs()));
  }
  /// Starts writing buffered pages to flash when it is time.
  void write_back() {
    if (state_->buffer != nullptr) state_->buffer->write_back();
  }
  /// The drive is read-only: fails the writes that wait for space, and flushes. False when there were none.
  bool refuse_writes();
  /// Writes whose programs have failed wait for the space of blocks that hold what they replace, and nothing is under
  /// way: what they replace counts again, and they wait as if they had not been begun. False when there were none.
  [[nodiscard]] bool begin_failed_anew();
  std::uint32_t requests_in_flight() const { return io_.requests_in_flight(); }
  /// What has been put off waits for something that has ended without an answer of the flash, which would call the
  /// firmware again: a move that was given up. False when it goes on waiting.
  [[nodiscard]] bool resume_stranded() { return !io_.deferred.empty() && resume_last(); }
  /// Something waits for programs to be done: without a write buffer every request may.
  bool waits_for_programs() const;

  WritePath write_path;
  ReadPath reads;
  HostWrites writes;
  PageRewriter rewriter;
  TrimPath trims;
  Commits commits;
  RequestSplitter splitter;

 private:
  void resume_deferred();
  [[nodiscard]] bool resume_last();
  [[nodiscard]] bool go_back_in(Transaction& t, std::uint32_t site, std::uint32_t victim);

  HostIo io_;
  FtlState* state_ = nullptr;
};

} // namespace twinplane::fw
