// What each sector may contain, as the host knows it: every read of every run is checked against this.
//
// Each write gives each of its sectors the next number of that sector's own sequence and stamps the tag {lba,
// sequence}. NVMe orders nothing between commands in flight, so a sector may hold any write of the last group
// of overlapping ones; a read may see what was possible when it was submitted, or anything written since.
// Outside those sets a tag is a mismatch: a lost write, an old copy, another sector's data. A write that
// failed may have come to each of its sectors or not; one that succeeded, also a trim, leaves nothing of what
// was there before. A trim that two writes of a sector passed while a read was under way is not known to that
// read any more: it may bring zeros. Four bytes per sector, allocated where the host writes or trims. When a
// sector has more overlapping writes than the packed counters can tell apart, any of its own writes is
// accepted from then on until it settles.
//
// A drive whose supply fails may also go back: to any version since the last one that it had to keep, which
// is the floor of the sector. A write raises it with its completion where that promises as much (no volatile
// write cache, FUA), else the first Flush that follows does. A trim raises nothing: it may be undone. What is
// found afterwards stays: the sector is pinned to it until the host writes or trims it. From then on that is
// what the sector held before, until a write behind it is one that the drive had to keep.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hw/spec/data_mode.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::platform {

struct ShadowConfig {
  std::uint64_t sectors = 0;
  /// Sectors 0 .. filled_sectors - 1 hold tags {lba, Shadow::kInitialSequence} until this host writes or
  /// trims them: the drive was preconditioned. All others read as zeros until then.
  std::uint64_t filled_sectors = 0;
  /// Sectors per unit that the device deallocates as a whole: trimmed units must read as zeros, sectors of
  /// partly covered units may keep their content. 0: trim is advice only.
  std::uint32_t trim_unit = 0;
  /// The same for units of `page_sectors` sectors, by number: true where one was written.
  std::vector<bool> filled_pages = {};
  std::uint32_t page_sectors = 1;
  /// The supply may fail: floors are kept.
  bool power_cuts = false;
  /// What has been answered survives; false: only after a Flush or with FUA.
  bool answered_is_durable = true;
  /// What the sectors held first is not known: of those that this host has not written or trimmed nothing is
  /// expected.
  bool foreign = false;
};

class Shadow {
 public:
  static constexpr std::uint64_t kInitialSequence = 1;

  explicit Shadow(ShadowConfig config);

  // A write of one sector: from submission (returns the sequence to stamp) to completion.
  std::uint64_t begin_write(std::uint64_t lba);
  void end_write(std::uint64_t lba, bool succeeded);
  /// The same for `count` > 0 sectors from `lba` on; a tag for each goes to `tags`, `stride` bytes apart.
  void begin_writes(std::uint64_t lba, std::uint32_t count, std::uint8_t* tags, std::uint32_t stride);
  void end_writes(std::uint64_t lba, std::uint32_t count, bool succeeded, bool fua = false);
  void begin_trim(std::uint64_t lba, std::uint64_t sectors);
  /// A trim that the device refused leaves what was there, as far as it got.
  void end_trim(std::uint64_t lba, std::uint64_t sectors, bool succeeded);

  /// Taken when a read is submitted, given back to check() when it has completed.
  std::uint32_t snapshot(std::uint64_t lba) const {
    const auto& chunk = chunks_[lba >> kChunkShift];
    return chunk == nullptr ? 0 : chunk[lba & kChunkMask];
  }
  /// Counts the sector as checked, and as a mismatch when `tag` could not have been there.
  bool check(std::uint64_t lba, std::uint32_t before, const SectorTag& tag) {
    ++checked_;
    if (watched_) return check_after_cut(lba, before, tag);
    const std::uint32_t now = snapshot(lba);
    const std::uint64_t newest = now == 0 ? untouched(lba) : now & kIssuedMask;
    const bool plain = now == before && tag.sequence == newest && tag.lba == lba;
    return plain || judge(lba, before, tag); // plain: no write since, and it is the newest
  }

  // --- power cuts (ShadowConfig::power_cuts) ---
  /// Of a Flush: taken when it is submitted, given back when it has succeeded.
  std::uint64_t flush_mark() const { return flushable_taken_ + flushable_.size(); }
  void end_flush(std::uint64_t mark);
  /// The supply has failed: nothing in flight will be answered. The drive keeps trims, or not: then it may go
  /// back to any version of a sector that was trimmed last.
  void cut(bool trims_kept = true);
  /// Reads from here on, until settled(), find out what a cut has left: each sector stays as it is found. The
  /// drive says of so many sectors at most that it has lost them and does not know which: they may hold any
  /// version of their own, or zeros.
  void settle(std::uint64_t may_go_back = 0) {
    settling_ = watched_ = true;
    may_go_back_ = gone_back_ + may_go_back;
  }
  void settled() {
    settling_ = false;
    watched_ = !pinned_.empty();
  }
  /// Sectors of which more than one version was allowed when they were read while settling.
  std::uint64_t settled_sectors() const { return pinned_ever_; }
  /// Those of the sectors that may go back which have.
  std::uint64_t gone_back() const { return gone_back_; }
  /// Everything but the configuration.
  void serialise(StateVisitor& state);

  std::uint64_t sectors() const { return config_.sectors; }
  std::uint64_t checked() const { return checked_; }
  std::uint64_t mismatches() const { return mismatches_; }
  /// The first mismatches in words.
  const std::vector<std::string>& reports() const { return reports_; }

 private:
  static constexpr std::uint32_t kChunkShift = 14;
  static constexpr std::uint64_t kChunkMask = (1u << kChunkShift) - 1;
  static constexpr std::size_t kChunkBytes = (kChunkMask + 1) * sizeof(std::uint32_t);
  static constexpr std::size_t kReports = 16;
  static constexpr std::uint32_t kIssuedMask = 0xFFFF; // of a sector's word: sequence of its newest write

  bool filled(std::uint64_t lba) const {
    if (lba < config_.filled_sectors || config_.foreign) return true;
    const std::uint64_t page = lba / config_.page_sectors;
    return page < config_.filled_pages.size() && config_.filled_pages[page];
  }
  /// Sequence of a sector without history; zeros take the slow path.
  std::uint64_t untouched(std::uint64_t lba) const {
    return filled(lba) ? kInitialSequence : ~std::uint64_t{0};
  }
  std::uint32_t& word(std::uint64_t lba) {
    auto& chunk = chunks_[lba >> kChunkShift];
    if (chunk == nullptr) add(chunk);
    return chunk[lba & kChunkMask];
  }
  struct Unmap {
    void operator()(std::uint32_t* words) const;
  };
  /// Untouched parts of it cost nothing, on a large drive most of it.
  using Chunk = std::unique_ptr<std::uint32_t[], Unmap>;
  static void add(Chunk& chunk);
  /// What may be left of a sector by a cut, in 32 bits; all zero: what was there first.
  ///   sequence of the oldest version (16 bits), of the newest trim (16 bits; 0: none)
  std::uint32_t& floor_of(std::uint64_t lba) {
    auto& chunk = floors_[lba >> kChunkShift];
    if (chunk == nullptr) add(chunk);
    return chunk[lba & kChunkMask];
  }
  void note_trim(std::uint64_t lba);
  void note_answer(std::uint64_t lba, bool fua);
  void raise_floor(std::uint64_t lba, std::uint32_t sequence);
  void raise_all_floors();
  /// What a sector was found with after a cut.
  struct Pin {
    SectorTag tag{};
    std::uint32_t version = 0; // newest sequence then: the tag counts as that one
    bool held = true;          // no write and no trim has begun since: the sector must hold it
  };
  void release(std::uint64_t lba, std::uint64_t sectors);
  void drop_overwritten_pins();
  void pin(std::uint64_t lba, const SectorTag& tag);
  [[nodiscard]] bool is_before(std::uint64_t lba, std::uint32_t before, const SectorTag& tag) const;
  [[nodiscard]] bool check_held(std::uint64_t lba, Pin& pin, const SectorTag& tag);
  [[nodiscard]] bool goes_back(std::uint64_t lba, const SectorTag& tag);
  bool check_after_cut(std::uint64_t lba, std::uint32_t before, const SectorTag& tag);
  static void serialise(StateVisitor& state, std::vector<Chunk>& chunks);
  static void serialise(StateVisitor& state, Pin& pin);
  std::uint32_t* next(std::uint32_t* word_of, std::uint64_t& lba);
  bool judge(std::uint64_t lba, std::uint32_t before, const SectorTag& tag);
  std::uint64_t inner_begin(std::uint64_t lba) const;
  std::uint64_t inner_end(std::uint64_t lba, std::uint64_t sectors) const;
  bool acceptable(std::uint64_t lba, std::uint32_t before, std::uint32_t now, const SectorTag& tag) const;
  void report(std::uint64_t lba, std::uint32_t before, std::uint32_t now, const SectorTag& tag);

  ShadowConfig config_;
  std::vector<Chunk> chunks_;
  std::vector<Chunk> floors_; // none unless the supply may fail
  struct Flushable {
    std::uint64_t lba = 0;
    std::uint32_t sequence = 0;
  };
  std::deque<Flushable> flushable_;   // answered, and not flushed, in the order of the answers
  std::uint64_t flushable_taken_ = 0; // those that have been flushed
  std::map<std::uint64_t, Pin> pinned_;
  std::uint64_t pinned_ever_ = 0;
  std::uint64_t may_go_back_ = 0; // in all
  std::uint64_t gone_back_ = 0;
  bool settling_ = false;
  bool watched_ = false; // settling, or some sectors are pinned
  std::uint64_t checked_ = 0;
  std::uint64_t mismatches_ = 0;
  std::vector<std::string> reports_;
};

} // namespace twinplane::platform
