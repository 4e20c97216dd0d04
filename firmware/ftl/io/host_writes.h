// Writes of requests that go to the flash at once, and sectors that the host makes unreadable (Write
// Uncorrectable).
#pragma once

#include "firmware/ftl/io/write_path.h"

namespace twinplane::fw {

class PageRewriter;

class HostWrites final : public PageWriter {
 public:
  static const OpTraits kWrite; // of data, or of zeros

  explicit HostWrites(WritePath& path) : PageWriter(path, kWrite) {}
  void boot(HostIo& io, PageRewriter& rewriter);

  /// Whole pages from the request's next sector on; returns how many found a transaction.
  std::uint32_t write_pages(Request& r, std::uint32_t pages);
  /// Part of a page, or zeros. False when it has to wait.
  bool write(Request& r, const SubRequest& p);
  /// Sectors that reads shall fail on until they are written again. False when it has to wait.
  bool write_uncorrectable(Request& r, const SubRequest& p);

  void write_done(Transaction& t, const FlashCompletion& c);
  void superseded(Transaction& t) override;
  void given_up(Transaction& t, std::uint16_t status) override;
  void written(Transaction& t, bool lost) override;
  void journal_written(Transaction& t) override { answer_superseded(t); }

 private:
  /// What is particular to a write of a whole page.
  struct PageWrite {
    std::uint32_t lpn;
    std::uint32_t fence;
    PageHint hint;
  };
  void post_pages(DmaDescriptor& run, std::uint32_t pages);
  void fill_writes(const TransactionPool::Run& run, Request& r, const PageWrite& first);
  void queue_writes(TransactionPool::Run run);
  void begin(Transaction& t);
  void answer_superseded(Transaction& t);

  HostIo* io_ = nullptr;
  FtlState* state_ = nullptr;
  PageRewriter* rewriter_ = nullptr;
};

/// Only the times of the part that finishes the request are asked for.
inline void HostWrites::write_done(Transaction& t, const FlashCompletion& c) {
  if (c.result != 0) return path_.programmed(t, c);
  if (--t.request->open_parts == 0) {
    io_->add_times(t, c);
    io_->finish(*t.request, &t);
  }
  state_->pool.release(t);
}

} // namespace twinplane::fw
