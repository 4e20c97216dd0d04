// What a sector may hold after a power cut, and that it keeps what it was found with.
#include <algorithm>
#include <iterator>

#include "platform/host/shadow.h"
#include "platform/host/shadow_history.h"

namespace twinplane::platform {

using History = SectorHistory;

namespace {
constexpr std::uint32_t kSequence = 0xFFFF;
constexpr std::uint32_t kTrimShift = 16;
} // namespace

void Shadow::note_trim(std::uint64_t lba) {
  std::uint32_t& floor = floor_of(lba);
  floor = (floor & kSequence) | (snapshot(lba) & kSequence) << kTrimShift;
}

/// Whichever of the newest group comes last, nothing older than its first one can.
void Shadow::note_answer(std::uint64_t lba, bool fua) {
  const History history(snapshot(lba));
  if (history.unknown() || !history.group_written) return;
  const std::uint32_t sequence = history.first_of_group();
  if (fua || config_.answered_is_durable) {
    raise_floor(lba, sequence);
  } else {
    flushable_.push_back({lba, sequence});
  }
}

/// A trim behind the write may still be the last that has happened.
void Shadow::raise_floor(std::uint64_t lba, std::uint32_t sequence) {
  std::uint32_t& floor = floor_of(lba);
  const std::uint32_t issued = snapshot(lba) & kSequence;
  const std::uint32_t age = History::distance(issued, sequence);
  const std::uint32_t old = floor & kSequence;
  if (old != 0 && History::distance(issued, old) <= age) return;
  std::uint32_t trim = floor >> kTrimShift;
  if (trim != 0 && History::distance(issued, trim) > age) trim = 0;
  floor = sequence | trim << kTrimShift;
}

void Shadow::end_flush(std::uint64_t mark) {
  for (; flushable_taken_ < mark; ++flushable_taken_) {
    raise_floor(flushable_.front().lba, flushable_.front().sequence);
    flushable_.pop_front();
  }
}

void Shadow::cut(bool trims_kept) {
  flushable_taken_ += flushable_.size();
  flushable_.clear();
  drop_overwritten_pins();
  for (std::size_t c = 0; c < chunks_.size(); ++c) {
    if (chunks_[c] == nullptr) continue;
    for (std::uint64_t i = 0; i <= kChunkMask; ++i) {
      std::uint32_t& word_of = chunks_[c][i];
      if (word_of == 0) continue;
      const std::uint64_t lba = (std::uint64_t{c} << kChunkShift) + i;
      History history(word_of, filled(lba));
      history.abandon();
      const std::uint32_t floor = floors_[c] == nullptr ? 0 : floors_[c][i];
      const bool trimmed = floor >> kTrimShift != 0;
      std::uint32_t oldest = std::max<std::uint32_t>(floor & kSequence, kInitialSequence);
      if (trimmed && !trims_kept) oldest = kInitialSequence;
      const std::uint32_t versions = History::distance(history.issued, oldest) + 1;
      history.group = std::min(std::max(history.group, versions), History::kFullGroup);
      const bool zeros = trimmed || ((floor & kSequence) == 0 && !filled(lba));
      if (zeros) history.group_written = false;
      word_of = history.word();
    }
  }
}

/// A write or a trim begins: the sectors may hold something else from now on, and what was found as well.
void Shadow::release(std::uint64_t lba, std::uint64_t sectors) {
  const auto end = pinned_.lower_bound(lba + sectors);
  for (auto pin = pinned_.lower_bound(lba); pin != end; ++pin) pin->second.held = false;
}

/// What was found may come back as long as the drive need not keep anything newer; and no read is under way
/// that may have seen it.
void Shadow::drop_overwritten_pins() {
  for (auto pin = pinned_.begin(); pin != pinned_.end();) {
    const std::uint32_t floor = floor_of(pin->first) & kSequence;
    const std::uint32_t issued = History(snapshot(pin->first)).issued;
    const bool newer =
        floor != 0 && History::distance(issued, floor) < History::distance(issued, pin->second.version);
    pin = newer && !pin->second.held ? pinned_.erase(pin) : std::next(pin);
  }
}

void Shadow::pin(std::uint64_t lba, const SectorTag& tag) {
  pinned_[lba] = Pin{tag, History(snapshot(lba)).issued, true};
}

/// It must not hold what it does, but the drive has said so before.
bool Shadow::goes_back(std::uint64_t lba, const SectorTag& tag) {
  if (!settling_ || gone_back_ == may_go_back_) return false;
  if (tag.sequence != 0 && tag.lba != lba) return false;
  ++gone_back_;
  pin(lba, tag);
  return true;
}

/// It is what an earlier cut has left, which may still be there or be there again.
bool Shadow::is_before(std::uint64_t lba, std::uint32_t before, const SectorTag& tag) const {
  const auto pin = pinned_.find(lba);
  if (pin == pinned_.end() || pin->second.tag.lba != tag.lba || pin->second.tag.sequence != tag.sequence)
    return false;
  const History then(before);
  const History last(snapshot(lba));
  if (then.unknown() || last.unknown()) return true;
  const std::uint32_t since = History::distance(last.issued, then.issued);
  return History::distance(last.issued, pin->second.version) < since + then.window();
}

/// Nothing has been written since it was found.
bool Shadow::check_held(std::uint64_t lba, Pin& pin, const SectorTag& tag) {
  if (pin.tag.lba == tag.lba && pin.tag.sequence == tag.sequence) return true;
  if (goes_back(lba, tag)) return true;
  ++mismatches_;
  if (reports_.size() < kReports) {
    reports_.push_back("sector " + std::to_string(lba) + ": holds write " + std::to_string(tag.sequence) +
                       " of sector " + std::to_string(tag.lba) + "; after the power cut it held write " +
                       std::to_string(pin.tag.sequence) + " (0: zeros)");
  }
  return false;
}

bool Shadow::check_after_cut(std::uint64_t lba, std::uint32_t before, const SectorTag& tag) {
  const auto found = pinned_.find(lba);
  if (found != pinned_.end() && found->second.held) return check_held(lba, found->second, tag);
  const std::uint32_t now = snapshot(lba);
  const bool again = is_before(lba, before, tag);
  if (settling_ && !again && !acceptable(lba, before, now, tag) && goes_back(lba, tag)) return true;
  const bool good = again || judge(lba, before, tag);
  const History history(now, filled(lba));
  if (!settling_ || !good || before != now || history.in_flight != 0) return good;
  if (again || history.window() > 1 || history.may_be_zero() != (tag.sequence == 0)) {
    pin(lba, tag);
    ++pinned_ever_;
  }
  return true;
}

void Shadow::serialise(StateVisitor& state, std::vector<Chunk>& chunks) {
  for (Chunk& chunk : chunks) {
    bool used = chunk != nullptr;
    state.value(used);
    if (!used) continue;
    if (chunk == nullptr) add(chunk);
    state.table(chunk.get(), kChunkMask + 1);
  }
}

void Shadow::serialise(StateVisitor& state, Pin& pin) {
  state.value(pin.tag);
  state.value(pin.version);
  state.value(pin.held);
}

/// In a power cycle without a cut everything that was answered has come to the flash by its end.
void Shadow::raise_all_floors() {
  for (std::size_t c = 0; c < chunks_.size(); ++c) {
    for (std::uint64_t i = 0; chunks_[c] != nullptr && i <= kChunkMask; ++i) {
      if (chunks_[c][i] == 0) continue;
      const std::uint64_t lba = (std::uint64_t{c} << kChunkShift) + i;
      History(chunks_[c][i]).group_written ? note_answer(lba, true) : note_trim(lba);
    }
  }
}

void Shadow::serialise(StateVisitor& state) {
  serialise(state, chunks_);
  bool floors = !floors_.empty();
  const bool wanted = floors;
  state.value(floors);
  if (floors) {
    floors_.resize(chunks_.size());
    serialise(state, floors_);
  } else if (wanted) {
    raise_all_floors();
  }
  std::uint64_t count = pinned_.size();
  state.value(count);
  if (state.loading()) {
    pinned_.clear();
    for (; count != 0; --count) {
      std::uint64_t lba = 0;
      Pin pin;
      state.value(lba);
      serialise(state, pin);
      pinned_.emplace_hint(pinned_.end(), lba, pin);
    }
    watched_ = !pinned_.empty();
  } else {
    for (const auto& [at, found] : pinned_) {
      std::uint64_t lba = at;
      Pin pin = found;
      state.value(lba);
      serialise(state, pin);
    }
  }
}

} // namespace twinplane::platform
