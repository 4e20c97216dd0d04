#include "platform/host/shadow.h"

#include <sys/mman.h>
#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "platform/host/shadow_history.h"

namespace twinplane::platform {

using History = SectorHistory;

namespace {

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
    : config_(std::move(config)), chunks_(((config_.sectors + kChunkMask) >> kChunkShift) + 1) {
  if (config_.power_cuts) floors_.resize(chunks_.size());
}

void Shadow::add(Chunk& chunk) {
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* const words = mmap(nullptr, kChunkBytes, PROT_READ | PROT_WRITE, kFlags, -1, 0);
  if (words == MAP_FAILED) throw std::bad_alloc();
  chunk.reset(static_cast<std::uint32_t*>(words));
}

void Shadow::Unmap::operator()(std::uint32_t* words) const {
  munmap(words, kChunkBytes);
}

std::uint64_t Shadow::begin_write(std::uint64_t lba) {
  if (watched_) release(lba, 1);
  return begin(word(lba));
}

void Shadow::end_write(std::uint64_t lba, bool succeeded) {
  end_writes(lba, 1, succeeded);
}

/// From one sector's word to the next one's.
inline std::uint32_t* Shadow::next(std::uint32_t* word_of, std::uint64_t& lba) {
  ++lba;
  return (lba & kChunkMask) != 0 ? word_of + 1 : &word(lba);
}

void Shadow::begin_writes(std::uint64_t lba, std::uint32_t count, std::uint8_t* tags, std::uint32_t stride) {
  if (watched_) release(lba, count);
  std::uint32_t* w = &word(lba);
  for (;; tags += stride) {
    const SectorTag tag{lba, begin(*w)};
    std::memcpy(tags, &tag, sizeof tag);
    if (--count == 0) return;
    w = next(w, lba);
  }
}

void Shadow::end_writes(std::uint64_t lba, std::uint32_t count, bool succeeded, bool fua) {
  std::uint64_t at = lba;
  std::uint32_t* w = &word(at);
  for (std::uint32_t left = count;; w = next(w, at)) {
    end(*w, succeeded, [&] { return filled(at); });
    if (--left == 0) break;
  }
  if (floors_.empty() || !succeeded) return;
  for (std::uint32_t i = 0; i < count; ++i) note_answer(lba + i, fua);
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
  if (watched_) release(lba, sectors);
  for (std::uint64_t s = lba; s < lba + sectors; ++s) {
    std::uint32_t& w = word(s);
    History history(w, filled(s));
    if (s >= from && s < to) {
      history.begin(false);
    } else {
      history.allow_zeros();
    }
    w = history.word();
    if (!floors_.empty()) note_trim(s);
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
  if (config_.foreign && acceptable(lba, before, now, {lba, kInitialSequence})) {
    --checked_; // what was there first, whatever that is
    return true;
  }
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
