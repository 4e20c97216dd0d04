#include "hw/nand/die_access.h"

#include <utility>

namespace twinplane::hw {

PageRegister make_register(const NandConfig& config) {
  const Geometry& g = config.geometry;
  PageRegister r;
  r.payload = std::make_unique<std::uint8_t[]>(PageShape(g, config.data_mode).payload_size);
  r.further_count = static_cast<std::uint8_t>(config.subpage_words ? g.subpages_per_page - 1 : 0);
  if (r.further_count != 0) r.further = std::make_unique<std::uint64_t[]>(r.further_count);
  r.clear();
  return r;
}

PlaneRegisters::PlaneRegisters(const NandConfig& config)
    : config_(config), count_(config.geometry.planes_per_die), shape_(config.geometry, config.data_mode) {
  for (std::uint32_t p = 0; p < count_; ++p) registers_.push_back(make_register(config));
}

bool PlaneRegisters::begin_copyback(std::uint32_t plane) {
  PageRegister& r = registers_[plane];
  if (!r.copyback) return false;
  r.mask = r.copied = shape_.full_mask & ~r.lost;
  r.oob_loaded = true;
  r.copyback = r.readable = false;
  return true;
}

PageRegister& PlaneRegisters::ahead(std::uint32_t plane) {
  while (ahead_.size() < registers_.size()) ahead_.push_back(make_register(config_));
  ahead_planes_ |= 1u << plane;
  return ahead_[plane];
}

void PlaneRegisters::show_ahead() {
  for (; ahead_planes_ != 0; ahead_planes_ &= ahead_planes_ - 1) {
    const auto plane = static_cast<std::size_t>(__builtin_ctz(ahead_planes_));
    std::swap(registers_[plane], ahead_[plane]);
  }
}

void PlaneRegisters::invalidate() {
  for (PageRegister& r : registers_) r.invalidate();
}

void PlaneRegisters::clear() {
  for (PageRegister& r : registers_) r.clear();
}

void PlaneRegisters::power_on() {
  clear();
  for (PageRegister& r : ahead_) r.clear();
  drop_ahead();
  select(0);
}

bool PlaneQueue::reopen(std::uint32_t plane) {
  for (std::uint32_t i = 0; i < count && kind == ArrayKind::program; ++i) {
    if (planes[i].plane != plane) continue;
    planes[i] = planes[--count];
    return true;
  }
  return false;
}

/// True when the status of the page before must stay: it becomes FAILC when the next one is launched.
bool DieAccess::continue_stream(ArrayKind kind) {
  if (stream == Stream::program && kind == ArrayKind::program) return true;
  if (stream == Stream::read && kind == ArrayKind::read) return false; // the confirm decides
  end_stream();
  return false;
}

void DieAccess::end_stream() {
  stream = Stream::none;
  registers.drop_ahead();
}

void DieAccess::reset() {
  queue.count = 0;
  failed_planes = failed_previous = 0;
  last.planes = 0;
  end_stream();
  registers.clear();
}

void DieAccess::power_on() {
  reset();
  queue = {};
  last = {};
  registers.power_on();
}

} // namespace twinplane::hw
