// How pages of the host's address space are written, from requests, the write buffer or a rewrite.
//
// Whatever changes the map of an LPN holds the LPN's lock from its beginning until the map has changed. A write
// that has the lock completes its page with what the flash has of it, waits for its data, and then for a place;
// it gives the lock up when the map names its page (placed()).
//
// A write gets no place before its data are known to have come: with bad PRPs, or after a controller reset,
// they never will, and what the LPN held must stay. So complete writes gather in `arriving_` while requests
// are admitted, in the order of their DMA; before any is placed the front end moves their data, and those
// whose data failed end here. As a rule all succeed and one look at DmaStatus is all it costs. Where the
// front end cannot know yet (host memory that takes its time to answer), they wait for the interrupt of an
// empty move behind them.
//
// In a drive with an SLC-mode cache a write covers subpages instead of a page (SubpageWrites).
#pragma once

#include "firmware/ftl/io/host_io.h"

namespace twinplane::fw {

class WritePath;

/// Who waits for the lock of an LPN.
class LockWaiter : public OpOwner {
 public:
  /// The LPN is t's. True: t goes on and gives the lock up later. False: t does not need it any more; ...
  [[nodiscard]] virtual bool lock_granted(Transaction& t) = 0;
  /// ... lock_passed_on() follows when the next one has it.
  virtual void lock_passed_on(Transaction& t) = 0;

 protected:
  ~LockWaiter() = default;
};

/// Who has the data of pages that the write path writes: requests of the host, the write buffer, or what
/// rewrites pages of the drive.
class PageWriter : public LockWaiter {
 public:
  /// Rows of its programs.
  struct Rows {
    const OpTraits& page;
    const OpTraits& subpages; // drives with an SLC-mode cache
  };
  PageWriter(WritePath& path, const Rows& rows) : path_(path), rows_(rows) {}

  bool lock_granted(Transaction& t) override;
  void lock_passed_on(Transaction& t) override { superseded(t); }
  /// Nothing of t is left to be written: a newer write, or a trim, has the LPN.
  virtual void superseded(Transaction& t) = 0;
  /// t will not be written, for this reason. Its lock is given up here.
  virtual void given_up(Transaction& t, std::uint16_t status) = 0;
  /// Programs of subpages have ended; `lost`: some of the data are nowhere any more.
  virtual void subpages_written(Transaction& t, bool lost) = 0;
  /// The write of t is given up: its page is where it was moved from again. False: it cannot be.
  [[nodiscard]] virtual bool take_back(const Transaction&) { return false; }

  const OpTraits& page_row() const { return rows_.page; }
  const OpTraits& subpage_row() const { return rows_.subpages; }

  // completions
  void old_sectors_read(Transaction& t, const FlashCompletion& c);
  void subpages_programmed(Transaction& t, const FlashCompletion& c);

 protected:
  ~PageWriter() = default;

  /// True for a program to be repeated that a newer write or a trim has made void.
  [[nodiscard]] virtual bool is_superseded(const Transaction& t) const;

  WritePath& path_;
  const Rows rows_;
};

/// The write path in a drive with an SLC-mode cache: a write covers subpages of its page.
class SubpageWrites {
 public:
  void boot(HostIo& io, WritePath& path);

  void start(Transaction& t);
  void old_sectors_read(Transaction& t, const FlashCompletion& c);
  void programmed(Transaction& t, const FlashCompletion& c);
  /// The write waits with the die of the page that it belongs into. False: there is none, it waits as all do.
  [[nodiscard]] bool joins_page(Transaction& t);
  /// The write's turn has come, but the page that it is given is a native one: the rest of what native blocks
  /// have of its logical page is read first.
  void complete_for_native(Transaction& t);
  bool newer_under_way(const Transaction& t) const;
  void leave_failed(const Transaction& t);

 private:
  void complete(Transaction& t);
  [[nodiscard]] bool program_again(Transaction& t);
  void lose_earlier_slots(const Transaction& t);
  void lose(std::uint32_t lpn, std::uint32_t subpages);

  HostIo* io_ = nullptr;
  FtlState* state_ = nullptr;
  Units* units_ = nullptr; // null in drives that are mapped by page
  WritePath* path_ = nullptr;
};

/// Rows of PageWriter::Rows.
constexpr OpTraits page_write_row(const char* name, OpTraits::Done done) {
  return OpTraits{name, done, FlashOp::program, Lane::write, WorkFor::write, WorkOrigin::host, Stream::host}
      .with(&OpTraits::maps_page);
}
constexpr OpTraits subpage_write_row(const char* name) {
  return page_write_row(name, ends_in<PageWriter, &PageWriter::subpages_programmed>).with(&OpTraits::by_unit);
}

class WritePath {
 public:
  void boot(HostIo& io);

  /// t writes its page as soon as the LPN is its own.
  void begin(Transaction& t);
  /// The LPN is t's.
  void start(Transaction& t);
  /// Consecutive writes, linked, whose LPNs are theirs and which need nothing but their data.
  void add_arriving(Transaction& first, Transaction& last, std::uint32_t count) {
    arriving_.push_chain(first, last);
    arriving_count_ += count;
  }
  /// Lets the writes whose data have come wait for their places, and fails those whose data will not come.
  void take_arrived() {
    if (arriving_count_ != 0) take_arriving();
  }
  /// The map names the page of this write now: the next write to the same LPN may go on.
  void placed(Transaction& t);
  void release_lock(Transaction& t) {
    if (Transaction* const next_waiting = state_->locks.release(t)) grant_lock(next_waiting);
  }
  /// Where a write waits for its place: with the die of the page that it belongs into, or as all do.
  void enqueue_for_placement(Transaction& t) {
    if (!subpages.joins_page(t)) io_->board->enqueue_write(t);
  }
  /// The page of t is complete but for what the host sends.
  void queue(Transaction& t);
  /// A write has to wait for its page's number, or for the rest of its page.
  void note_dependency(const Transaction& t);

  // --- failures ---
  /// The program of t has failed and its data are still in the buffer: another page. False: it is not
  /// tried again.
  [[nodiscard]] bool program_again(Transaction& t);
  /// t is programmed once more; the LPN is its own.
  void repeat(Transaction& t);
  /// t will not be programmed again. If the map names the page that failed, what that has replaced is the LPN's
  /// page again; where it has been erased since, nothing holds the LPN any more.
  void leave_failed_page(const Transaction& t);
  /// The only copy of the page cannot be read any more.
  void lose(std::uint32_t lpn);
  /// What is newer than t has written is being programmed.
  bool newer_under_way(const Transaction& t) const;
  /// A version that has not come to the flash was the LPN's newest but for a trim.
  void journal_dropped_version(std::uint32_t lpn);

  static const OpTraits kCompletePage; // a write that reads the old page's other sectors first
  static PageWriter& writer_of(Transaction& t) { return static_cast<PageWriter&>(*t.owner); }

  SubpageWrites subpages;

 private:
  friend class PageWriter; // whose completions are taken here

  void grant_lock(Transaction* next_waiting);
  void complete(Transaction& t, std::uint32_t lost);
  void take_arriving();
  void take_arrived_one_by_one();
  bool data_failed(Transaction& t);
  void old_sectors_read(Transaction& t, const FlashCompletion& c);
  void note_losses(Transaction& t);
  void go_back(const Transaction& t);

  // --- what the probe is told ---
  [[gnu::cold]] static void tell_dependency(const FtlState& state, const Transaction& t);
  [[gnu::cold]] static void tell_dependency_over(const FtlState& state, const Transaction& t);

  HostIo* io_ = nullptr;
  FtlState* state_ = nullptr;
  TransactionList arriving_;         // complete writes whose data may still fail to come, in order
  std::uint32_t arriving_count_ = 0; // of them
};

inline void WritePath::placed(Transaction& t) {
  if (state_->lost.any() || t.lost != 0) note_losses(t);
  if (t.request != nullptr) t.request->dominated[t.page_type] = true;
  release_lock(t);
}

inline void WritePath::note_dependency(const Transaction& t) {
  probe_point<Watch::planes, &WritePath::tell_dependency>(state_->probe != nullptr, *state_, t);
}

} // namespace twinplane::fw
