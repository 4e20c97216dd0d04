#include "firmware/ftl/hooks.h"

#include "firmware/ftl/map/units.h"
#include "firmware/ftl/state.h"

namespace twinplane::fw {

void Hooks::ask() {
  for (std::uint32_t i = 0; i < count_; ++i) {
    for (std::uint32_t left = features_[i]->hooks(); left != 0; left &= left - 1)
      wanted_[lowest_bit(left)] |= 1u << i;
  }
}

FeatureNeeds Hooks::needs() const {
  FeatureNeeds sum;
  for_each([&sum](const Feature& f) {
    const FeatureNeeds needs = f.needs();
    sum.blocks += needs.blocks;
    sum.most_waiting += needs.most_waiting;
    sum.own_operations = sum.own_operations || needs.own_operations;
  });
  return sum;
}

std::uint32_t Hooks::bit_of(const Feature& feature) const {
  std::uint32_t i = 0;
  while (features_[i] != &feature) ++i;
  return 1u << i;
}

// --- turns ---

bool Hooks::step(bool admits) {
  bool again = false;
  for (std::uint32_t i = 0; i < count_; ++i) {
    if ((awake_ >> i & 1) != 0 && features_[i]->step(admits)) again = true;
  }
  return again;
}

bool Hooks::idle() const {
  for (std::uint32_t i = 0; i < count_; ++i) {
    if (!features_[i]->idle()) return false;
  }
  return true;
}

void Hooks::quiesce() {
  for_each([](Feature& f) { f.quiesce(); });
}

void Hooks::resume() {
  for_each([](Feature& f) { f.resume(); });
}

void Hooks::purge(bool begins) {
  for_each([begins](Feature& f) { f.purge(begins); });
}

void Hooks::serialise_tables(StateVisitor& visitor) {
  for_each([&visitor](Feature& f) { f.serialise_tables(visitor); });
}

void Hooks::serialise(StateVisitor& visitor) {
  for (std::uint32_t i = count_; i-- > 0;) features_[i]->serialise(visitor);
}

// --- programs ---

bool Hooks::programmed(Transaction& t, const FlashCompletion& c) {
  bool held = false;
  call(Hook::programmed, [&](Feature& f) { held = held || f.programmed(t, c); });
  return held;
}

void Hooks::end_held() {
  call(Hook::programmed, [](Feature& f) { (void)f.end_held(); });
}

// --- pages and blocks ---

/// The block must not be erased before what has happened is told. The one that collection is emptying may need more
/// pages than it has.
void Hooks::hold(Ppn newest) {
  state_.blocks.may_return(newest);
  state_.policy.allocation->revoke(state_.blocks.plane_of(newest));
  call(Hook::unmapped, [&](Feature& f) { f.holds_unmapped(newest); });
}

void Hooks::unmapped(std::uint32_t lpn, Ppn newest) {
  if (is_page(newest)) hold(newest);
  call(Hook::unmapped, [&](Feature& f) { f.unmapped(lpn, newest); });
}

void Hooks::program_failed(Ppn before) {
  if (is_page(before)) hold(before);
}

/// The pages that the program should have replaced hold the newest versions, also of what has been trimmed since; if
/// they have not been erased, and nothing is known of that.
void Hooks::units_failed(const Transaction& t) {
  const Units& units = *state_.units;
  for (std::uint32_t left = units.io.written(t); left != 0; left &= left - 1) {
    const LogicalUnit l = units.io.logical(t, lowest_bit(left));
    program_failed(units.io.replaced(t, lowest_bit(left)));
    if (units.map.at(l.lpn, l.unit) == kNoPun) unreadable(l.lpn);
  }
}

void Hooks::unreadable(std::uint32_t lpn) {
  call(Hook::unreadable, [&](Feature& f) { f.unreadable(lpn); });
}

std::uint32_t Hooks::victim(std::uint32_t site) const {
  std::uint32_t first = kNoBlock;
  call(Hook::victim, [&](const Feature& f) { first = first == kNoBlock ? f.victim(site) : first; });
  return first;
}

ProgramCause Hooks::cause_of_victim(std::uint32_t site) const {
  const Feature* first = nullptr;
  call(Hook::victim, [&](const Feature& f) {
    if (first == nullptr && f.victim(site) != kNoBlock) first = &f;
  });
  return first == nullptr ? ProgramCause::gc : first->cause_of_victim();
}

bool Hooks::may_erase(std::uint32_t site, std::uint32_t block) {
  bool may = true;
  call(Hook::may_erase, [&](Feature& f) { may = may && f.may_erase(site, block); });
  return may;
}

BlockState Hooks::unit_erased(std::uint32_t site, std::uint32_t block) {
  BlockTable& blocks = state_.blocks;
  const std::uint64_t good = blocks.good_blocks();
  const BlockState to = blocks.after_erase(site, block);
  blocks.transition_unit(site, block, to);
  for (std::uint32_t p = 0; state_.units != nullptr && p < blocks.twins(); ++p)
    state_.units->map.erased(blocks.first_plane_of(site) + p, block);
  if (blocks.good_blocks() != good) {
    state_.sink->on_wear();
    state_.durability->table_changed();
  }
  return to;
}

// --- requests ---

void Hooks::begin(Request& r) {
  call(Hook::request, [&](Feature& f) { f.begin(r); });
}

std::uint16_t Hooks::progress() const {
  std::uint16_t most = 0;
  call(Hook::request, [&](const Feature& f) { most = f.progress() > most ? f.progress() : most; });
  return most;
}

// --- protection, and recovery ---

void Hooks::protect() {
  for_each([](Feature& f) { f.protect(); });
}

bool Hooks::all_protected() const {
  for (std::uint32_t i = 0; i < count_; ++i) {
    if (!features_[i]->all_protected()) return false;
  }
  return true;
}

Feature* Hooks::owner(std::uint32_t site, std::uint32_t block) const {
  Feature* owner = nullptr;
  call(Hook::blocks, [&](Feature& f) { owner = f.owns(site, block) ? &f : owner; });
  return owner;
}

bool Hooks::adopt(std::uint32_t site, std::uint32_t block) {
  bool adopted = false;
  call(Hook::blocks, [&](Feature& f) { adopted = adopted || f.adopt(site, block); });
  return adopted;
}

/// `at` counts in the first feature that holds any: at most one does.
std::uint32_t Hooks::next_rescued(std::size_t& at) const {
  std::uint32_t lpn = kNoLpn;
  call(Hook::blocks, [&](const Feature& f) { lpn = lpn == kNoLpn ? f.next_rescued(at) : lpn; });
  return lpn;
}

} // namespace twinplane::fw
