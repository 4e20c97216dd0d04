#include "platform/host/shadow.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace twinplane::platform {

namespace {

/// A sector's history in 32 bits; all zero = never touched. What was there before counts as write 1.
///   issued    sequence of the newest write or trim (2 .. 65535, then again from kAgain)
///   in_flight writes and trims submitted and not completed (sticky when full)
///   group     the newest `group` writes overlapped in time: any of them may have come last
///   prior     size of the group before, possible until a write of the newest group has succeeded
///   *_written the group (prior group) cannot have left zeros
/// A full counter means: any sequence.
struct History {
  static constexpr std::uint32_t kFirst = 2; // 1 is Shadow::kInitialSequence
  static constexpr std::uint32_t kLast = 0xFFFF;
  static constexpr std::uint32_t kAgain = 64; // larger than any window: nobody is taken for one of the first
  static constexpr std::uint32_t kFullInFlight = 31;
  static constexpr std::uint32_t kFullGroup = 31;
  static constexpr std::uint32_t kFullPrior = 15;
  // of the packed word
  static constexpr std::uint32_t kOneInFlight = 1u << 16;
  static constexpr std::uint32_t kInFlightField = 31u << 16;
  static constexpr std::uint32_t kGroupAbovePrior = 16u << 21;

  std::uint32_t issued;
  std::uint32_t in_flight;
  std::uint32_t group;
  std::uint32_t prior;
  bool group_written;
  bool prior_written;

  /// `filled`: what was there before are not zeros.
  History(std::uint32_t word, bool filled) : History(word) {
    if (word == 0) group_written = filled;
    const bool prior_is_first = in_flight != 0 && prior == 1 && issued == group + 1;
    if (prior_is_first) prior_written = filled;
  }
  explicit History(std::uint32_t word)
      : issued(word & 0xFFFF),
        in_flight(word >> 16 & 31),
        group(word >> 21 & 31),
        prior(word >> 26 & 15),
        group_written((word >> 30 & 1) != 0),
        prior_written((word >> 31) != 0) {
    if (word == 0) issued = group = 1;
  }
  std::uint32_t word() const {
    return issued | in_flight << 16 | group << 21 | prior << 26 | std::uint32_t{group_written} << 30 |
           std::uint32_t{prior_written} << 31;
  }

  void begin(bool written) {
    if (in_flight == 0) {
      prior = std::min(group, kFullPrior);
      prior_written = group_written;
      group = 0;
      group_written = true;
    }
    if (!written) group_written = false;
    in_flight = std::min(in_flight + 1, kFullInFlight);
    group = std::min(group + 1, kFullGroup);
    issued = issued == kLast ? kAgain : issued + 1;
  }
  void succeed() {
    leave();
    prior = 0; // overwritten
    prior_written = true;
  }
  /// A write or trim has ended with an error: the sector may have it or not. What was there before it is out
  /// all the same when another one of its group has succeeded, or still does.
  void fail() {
    leave();
    if (in_flight != 0) return;
    group = prior == kFullPrior ? kFullGroup : std::min(group + prior, kFullGroup);
    group_written = group_written && prior_written;
  }
  void leave() {
    if (in_flight != 0 && in_flight != kFullInFlight) --in_flight;
  }
  /// Zeros, too, are possible from now on.
  void allow_zeros() {
    issued = issued == kLast ? kAgain : issued + 1;
    group = std::min(group + 1, kFullGroup);
    group_written = false;
  }
  /// True when a write is alone and the group before it fits into `prior`: the common case, without
  /// unpacking.
  static bool begins_plainly(std::uint32_t word) {
    return (word & (kInFlightField | kGroupAbovePrior)) == 0 && (word & kLast) != kLast;
  }
  static std::uint32_t after_plain_begin(std::uint32_t word) {
    const std::uint32_t group = std::max(word >> 21 & kFullPrior, 1u);
    const std::uint32_t group_written = word >> 30 & 1;
    const std::uint32_t issued = std::max((word & kLast) + 1, kFirst);
    return issued | kOneInFlight | 1u << 21 | group << 26 | 1u << 30 | group_written << 31;
  }
  /// True when the end of the only write changes nothing in the packed word but the count of writes in
  /// flight: the group before does not matter then.
  static bool ends_plainly(std::uint32_t word) { return (word & kInFlightField) == kOneInFlight; }
  bool unknown() const {
    return in_flight == kFullInFlight || group == kFullGroup || (in_flight != 0 && prior == kFullPrior);
  }
  std::uint32_t window() const { return in_flight != 0 ? prior + group : group; }
  bool may_be_zero() const { return !group_written || (in_flight != 0 && !prior_written); }

  /// Writes from sequence `older` to sequence `newer`.
  static std::uint32_t distance(std::uint32_t newer, std::uint32_t older) {
    return newer >= older ? newer - older : newer + (kLast - kAgain + 1) - older;
  }
};

/// A write begins; returns its sequence.
inline std::uint32_t begin(std::uint32_t& word) {
  if (History::begins_plainly(word)) {
    word = History::after_plain_begin(word);
    return word & History::kLast;
  }
  History history(word);
  history.begin(true);
  word = history.word();
  return history.issued;
}

/// A write ends. `filled()` is asked only when it matters.
template <typename Filled>
inline void end(std::uint32_t& word, bool succeeded, Filled filled) {
  if (succeeded && History::ends_plainly(word)) {
    word -= History::kOneInFlight;
    return;
  }
  History history(word, filled());
  succeeded ? history.succeed() : history.fail();
  word = history.word();
}

} // namespace

Shadow::Shadow(ShadowConfig config)
    : config_(std::move(config)), chunks_(((config_.sectors + kChunkMask) >> kChunkShift) + 1) {}

void Shadow::add(Chunk& chunk) {
  chunk = std::make_unique<std::uint32_t[]>(kChunkMask + 1);
}

std::uint64_t Shadow::begin_write(std::uint64_t lba) {
  return begin(word(lba));
}

void Shadow::end_write(std::uint64_t lba, bool succeeded) {
  end(word(lba), succeeded, [&] { return filled(lba); });
}

/// From one sector's word to the next one's.
inline std::uint32_t* Shadow::next(std::uint32_t* word_of, std::uint64_t& lba) {
  ++lba;
  return (lba & kChunkMask) != 0 ? word_of + 1 : &word(lba);
}

void Shadow::begin_writes(std::uint64_t lba, std::uint32_t count, std::uint8_t* tags, std::uint32_t stride) {
  std::uint32_t* w = &word(lba);
  for (;; tags += stride) {
    const SectorTag tag{lba, begin(*w)};
    std::memcpy(tags, &tag, sizeof tag);
    if (--count == 0) return;
    w = next(w, lba);
  }
}

void Shadow::end_writes(std::uint64_t lba, std::uint32_t count, bool succeeded) {
  std::uint32_t* w = &word(lba);
  for (;; w = next(w, lba)) {
    end(*w, succeeded, [&] { return filled(lba); });
    if (--count == 0) return;
  }
}

std::uint64_t Shadow::inner_begin(std::uint64_t lba) const {
  if (config_.trim_unit == 0) return lba;
  return (lba + config_.trim_unit - 1) / config_.trim_unit * config_.trim_unit;
}

std::uint64_t Shadow::inner_end(std::uint64_t lba, std::uint64_t sectors) const {
  if (config_.trim_unit == 0) return lba; // no unit is wholly covered
  return (lba + sectors) / config_.trim_unit * config_.trim_unit;
}

void Shadow::begin_trim(std::uint64_t lba, std::uint64_t sectors) {
  const std::uint64_t from = inner_begin(lba);
  const std::uint64_t to = inner_end(lba, sectors);
  for (std::uint64_t s = lba; s < lba + sectors; ++s) {
    std::uint32_t& w = word(s);
    History history(w, filled(s));
    if (s >= from && s < to) {
      history.begin(false);
    } else {
      history.allow_zeros();
    }
    w = history.word();
  }
}

void Shadow::end_trim(std::uint64_t lba, std::uint64_t sectors, bool succeeded) {
  const std::uint64_t to = inner_end(lba, sectors);
  for (std::uint64_t s = inner_begin(lba); s < to; ++s) {
    end(word(s), succeeded, [&] { return filled(s); });
  }
}

bool Shadow::acceptable(std::uint64_t lba, std::uint32_t before, std::uint32_t now,
                        const SectorTag& tag) const {
  const History then(before, filled(lba));
  const History last(now, filled(lba));
  const std::uint32_t since = History::distance(last.issued, then.issued);
  const bool zero = then.may_be_zero() || last.may_be_zero() || since > 1;
  if (tag.sequence == 0) return tag.lba == 0 && zero;
  if (tag.lba != lba || tag.sequence > History::kLast) return false;
  if (tag.sequence == kInitialSequence && !filled(lba)) return false;
  if (then.unknown() || last.unknown()) return true;
  return History::distance(last.issued, static_cast<std::uint32_t>(tag.sequence)) < since + then.window();
}

bool Shadow::judge(std::uint64_t lba, std::uint32_t before, const SectorTag& tag) {
  const std::uint32_t now = snapshot(lba);
  if (acceptable(lba, before, now, tag)) return true;
  ++mismatches_;
  if (reports_.size() < kReports) report(lba, before, now, tag);
  return false;
}

void Shadow::report(std::uint64_t lba, std::uint32_t before, std::uint32_t now, const SectorTag& tag) {
  const History then(before);
  const History last(now);
  std::string text = "sector " + std::to_string(lba) + ": ";
  if (tag.sequence == 0 && tag.lba == 0) {
    text += "reads as never written";
  } else {
    text += "holds write " + std::to_string(tag.sequence) + " of sector " + std::to_string(tag.lba);
  }
  text += "; expected ";
  if (now == 0) {
    text += filled(lba) ? "its initial content" : "zeros";
  } else {
    text += "one of its own " + std::to_string(History::distance(last.issued, then.issued) + then.window()) +
            " newest writes up to " + std::to_string(last.issued);
  }
  reports_.push_back(text);
}

} // namespace twinplane::platform
