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
// Where the map's unit is smaller than a page a write programs the units that it touches instead of a page: it completes
// those, may have to go into the page that holds their old versions, and may not find room for all of them in one page.
#pragma once

#include "firmware/ftl/io/host_io.h"
#include "firmware/ftl/io/pass_gather.h"

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
  /// `row`: of its programs of pages.
  PageWriter(WritePath& path, const OpTraits& row)
      : path_(path), page_row_(row), unit_row_(unit_row_of(row)) {}

  bool lock_granted(Transaction& t) override;
  void lock_passed_on(Transaction& t) override { superseded(t); }
  /// Nothing of t is left to be written: a newer write, or a trim, has the LPN.
  virtual void superseded(Transaction& t) = 0;
  /// t will not be written, for this reason. Its lock is given up here.
  virtual void given_up(Transaction& t, std::uint16_t status) = 0;
  /// All of t has been programmed, or will not be again; `lost`: some of the data are nowhere any more. What they were
  /// to replace may be the LPN's version again.
  virtual void written(Transaction& t, bool lost) = 0;
  /// The program of t has failed. True: the writer has ended t, and will see to its data.
  [[nodiscard]] virtual bool keeps_failed(Transaction&) { return false; }
  /// When the write of t has failed for good, what it replaces is the LPN's version again.
  [[nodiscard]] virtual bool old_version_counts() const { return true; }
  /// The write of t is given up: its page is where it was moved from again. False: it cannot be.
  [[nodiscard]] virtual bool take_back(const Transaction&) { return false; }

  const OpTraits& row(bool by_unit) const { return by_unit ? unit_row_ : page_row_; }

  /// It has waited for a copyback, or for a newer write to end.
  void resume(Transaction& t) override;

  // completions
  void old_sectors_read(Transaction& t, const FlashCompletion& c);
  void programmed(Transaction& t, const FlashCompletion& c);

 protected:
  ~PageWriter() = default;

  /// True for a program to be repeated that a newer write or a trim has made void.
  [[nodiscard]] virtual bool is_superseded(const Transaction& t) const;

  WritePath& path_;

 private:
  static constexpr OpTraits unit_row_of(OpTraits row) {
    row.done = ends_in<PageWriter, &PageWriter::programmed>;
    return row.with(&OpTraits::by_unit);
  }

  const OpTraits& page_row_;
  const OpTraits unit_row_; // where the map's unit is smaller than a page
};

/// The row of a PageWriter.
constexpr OpTraits page_write_row(const char* name,
                                  OpTraits::Done done = ends_in<PageWriter, &PageWriter::programmed>) {
  return OpTraits{name, done, FlashOp::program, Lane::write, WorkFor::write, WorkOrigin::host, Stream::host}
      .with(&OpTraits::maps_page);
}
class WritePath {
 public:
  void boot(BootMemory& memory, HostIo& io);

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
  /// Writes that wait for others of their pass go on without them where that has to be. False: none does.
  [[nodiscard]] bool fill_passes(bool pressing) { return gather_.run(pressing, arriving_count_ != 0); }
  bool gathers() const { return gather_.on(); }
  /// The map names the page of this write now: the next write to the same LPN may go on, unless a part of it has found
  /// no room there.
  void placed(Transaction& t);
  void release_lock(Transaction& t) {
    if (Transaction* const next_waiting = state_->locks.release(t)) grant_lock(next_waiting);
  }
  /// Where a write waits for its place: with the die of the page that it belongs into, or as all do.
  void enqueue_for_placement(Transaction& t) {
    if (follows_old_version_ && joins_page(t)) return;
    gather_.on() ? gather_.add(t) : io_->board->enqueue_write(t);
  }
  /// What the write lacks of its page is to be read once more.
  void read_again(Transaction& t);
  /// The write's turn has come, but the page that it is given is a native one, which is not packed: the rest of what
  /// native blocks have of its logical page is read first.
  void complete_for_native(Transaction& t);
  /// A write has to wait for its page's number, or for the rest of its page.
  void note_dependency(const Transaction& t);

  /// The program of t has ended. One that has failed is repeated elsewhere, as long as its data are in the buffer and
  /// newer data have not been written.
  void programmed(Transaction& t, const FlashCompletion& c);
  /// t will not be programmed again. If the map names the page that failed, what that has replaced is the LPN's
  /// page again; where it has been erased since, nothing holds the LPN any more.
  void leave_failed_page(const Transaction& t);
  /// The map has gone back to an earlier page of the LPN: writes of it that have failed since, and wait for the end of a
  /// newer one or for the LPN, are not answered as written.
  void fail_superseded(std::uint32_t lpn);
  /// What these units of the failed program have replaced counts again, or is lost.
  void go_back(const Transaction& t, std::uint32_t failed);

  static const OpTraits kCompletePage; // a write that reads the old page's other sectors first
  static PageWriter& writer_of(Transaction& t) { return static_cast<PageWriter&>(*t.owner); }

 private:
  friend class PageWriter; // whose completions are taken here

  void grant_lock(Transaction* next_waiting);
  [[nodiscard]] bool joins_page(Transaction& t);
  void complete(Transaction& t, std::uint32_t read);
  void queue(Transaction& t);
  void take_arriving();
  void take_arrived_one_by_one();
  bool data_failed(Transaction& t);
  void old_sectors_read(Transaction& t, const FlashCompletion& c);
  void note_losses(Transaction& t);
  [[nodiscard]] bool program_again(Transaction& t);
  void repeat(Transaction& t);
  void lose_earlier_units(const Transaction& t);

  // --- what the probe is told ---
  [[gnu::cold]] static void tell_dependency(const FtlState& state, const Transaction& t);
  [[gnu::cold]] static void tell_dependency_over(const FtlState& state, const Transaction& t);

  HostIo* io_ = nullptr;
  FtlState* state_ = nullptr;
  Units* units_ = nullptr;           // null in drives that are mapped by page
  bool follows_old_version_ = false; // see UnitPolicy
  TransactionList arriving_;         // complete writes whose data may still fail to come, in order
  std::uint32_t arriving_count_ = 0; // of them
  PassGather gather_;
};

inline void WritePath::placed(Transaction& t) {
  if (state_->lost.any() || t.lost != 0) note_losses(t);
  if (units_ != nullptr && state_->map.left_to_write(t) != 0) return;
  if (t.request != nullptr) t.request->dominated[t.page_type] = true;
  release_lock(t);
}

inline void WritePath::note_dependency(const Transaction& t) {
  probe_point<Watch::planes, &WritePath::tell_dependency>(state_->probe != nullptr, *state_, t);
}

} // namespace twinplane::fw
