// All plane allocation schemes of facts C3 as one rule: some levels static, the others round robin.
#include "firmware/ftl/bits.h"
#include "firmware/ftl/plane_allocation/plane_allocation.h"

namespace twinplane::fw {

namespace {

enum Level : std::uint32_t { kChannel, kChip, kDie, kPlane, kLevelCount };

struct Order {
  std::uint32_t count = 0;
  Level level[kLevelCount] = {};
  bool is_static[kLevelCount] = {};
  bool plane_first = false;
  bool valid = false;
};

bool level_of(char letter, Level& level) {
  switch (letter) {
    case 'C':
      level = kChannel;
      return true;
    case 'W':
      level = kChip;
      return true;
    case 'D':
      level = kDie;
      return true;
    case 'P':
      level = kPlane;
      return true;
    default:
      return false;
  }
}

Order parse(const char* text) {
  Order order;
  const char* c = text;
  if (*c == 'F') {
    ++c;
  } else {
    Level level;
    for (; level_of(*c, level); ++c) {
      if (order.is_static[level]) return order;
      order.is_static[level] = true;
      order.level[order.count++] = level;
    }
    if (order.count == 0) return order;
  }
  if (*c == '2') {
    order.plane_first = true;
    ++c;
  }
  order.valid = *c == '\0';
  return order;
}

class Levels final : public PlaneAllocation {
 public:
  Levels(BootMemory& memory, const FtlConfig& config, const Order& order)
      : geometry_(config.geometry), order_(order) {
    const std::uint32_t sizes[kLevelCount] = {geometry_.channels, geometry_.chips_per_channel,
                                              geometry_.dies_per_chip, geometry_.planes_per_die};
    std::uint32_t dies_named = 1;
    for (std::uint32_t i = 0; i < order.count; ++i) {
      stride_[order.level[i]] = classes_;
      classes_ *= sizes[order.level[i]];
      if (order.level[i] != kPlane) dies_named *= sizes[order.level[i]];
    }
    late_ = dies_named != geometry_.dies();
    luns_of_chip_ = bit_run(0, geometry_.dies_per_chip);
    class_mask_ = is_power_of_two(classes_) ? classes_ - 1 : 0;
    plane_class_ = memory.zeroed<std::uint32_t>(geometry_.planes());
    next_chip_ = memory.zeroed<std::uint8_t>(geometry_.channels);
    next_lun_ = memory.zeroed<std::uint8_t>(geometry_.chips());
    next_plane_ = memory.zeroed<std::uint8_t>(geometry_.dies());
    allowed_ = memory.zeroed<Allowed>(classes_);
    if (!memory.exhausted()) fill_tables();
  }

  std::uint32_t classes() const override { return classes_; }
  std::uint32_t class_of(std::uint32_t lpn) const override {
    return class_mask_ != 0 || classes_ == 1 ? lpn & class_mask_ : lpn % classes_;
  }
  std::uint32_t class_of_plane(std::uint32_t plane) const override { return plane_class_[plane]; }
  bool late() const override { return late_; }
  bool plane_is_static() const override { return order_.is_static[kPlane]; }
  bool plane_first() const override { return order_.plane_first || order_.is_static[kDie]; }
  std::uint32_t first_plane(std::uint32_t die) const override { return next_plane_[die]; }

  void plane_used(std::uint32_t die, std::uint32_t plane) override {
    next_plane_[die] = wrap(plane + 1, geometry_.planes_per_die);
  }

  std::uint32_t pick_die(std::uint32_t c, const DieSet& candidates) override {
    const Allowed& allowed = allowed_[c];
    std::uint64_t channels = allowed.channels & candidates.channels;
    while (channels != 0) {
      const std::uint32_t channel = next_bit(channels, next_channel_);
      const std::uint64_t dies = candidates.dies[channel] & allowed.dies;
      if (dies != 0) return pick_in_channel(channel, dies);
      channels &= ~(std::uint64_t{1} << channel);
    }
    return kNoDie;
  }

  void serialise(StateVisitor& state) override {
    constexpr const char* kWhy = "it is damaged (a turn of a die that there is not)";
    const auto below = [](std::uint32_t count) {
      return [count](std::uint32_t next) { return next < count; };
    };
    state.value(next_channel_);
    state.require(next_channel_ < geometry_.channels, kWhy);
    state.table(next_chip_, geometry_.channels, kWhy, below(geometry_.chips_per_channel));
    state.table(next_lun_, geometry_.chips(), kWhy, below(geometry_.dies_per_chip));
    state.table(next_plane_, geometry_.dies(), kWhy, below(geometry_.planes_per_die));
  }

 private:
  struct Allowed {
    std::uint64_t channels; // channels that the class may use
    std::uint64_t dies;     // dies of such a channel that it may use
  };

  static std::uint8_t wrap(std::uint32_t value, std::uint32_t count) {
    return static_cast<std::uint8_t>(value >= count ? 0 : value);
  }

  std::uint32_t pick_in_channel(std::uint32_t channel, std::uint64_t dies) {
    const std::uint32_t luns = geometry_.dies_per_chip;
    next_channel_ = wrap(channel + 1, geometry_.channels);
    const std::uint32_t chip = chip_of_[next_bit(dies, next_chip_[channel] * luns)];
    next_chip_[channel] = wrap(chip + 1, geometry_.chips_per_channel);
    const std::uint64_t in_chip = dies >> chip * luns & luns_of_chip_;
    const std::uint32_t device_chip = channel * geometry_.chips_per_channel + chip;
    const std::uint32_t lun = next_bit(in_chip, next_lun_[device_chip]);
    next_lun_[device_chip] = wrap(lun + 1, luns);
    return device_chip * luns + lun;
  }

  void fill_tables() {
    for (std::uint32_t plane = 0; plane < geometry_.planes(); ++plane) {
      const std::uint32_t die = plane / geometry_.planes_per_die;
      const std::uint32_t bit = die % geometry_.dies_per_channel();
      const std::uint32_t channel = die / geometry_.dies_per_channel();
      const std::uint32_t index[kLevelCount] = {channel, bit / geometry_.dies_per_chip,
                                                bit % geometry_.dies_per_chip,
                                                plane % geometry_.planes_per_die};
      std::uint32_t c = 0;
      for (std::uint32_t l = 0; l < kLevelCount; ++l) {
        if (order_.is_static[l]) c += index[l] * stride_[l];
      }
      plane_class_[plane] = c;
      allowed_[c].channels |= std::uint64_t{1} << channel;
      allowed_[c].dies |= std::uint64_t{1} << bit;
      chip_of_[bit] = static_cast<std::uint8_t>(index[kChip]);
    }
  }

  Geometry geometry_;
  Order order_;
  bool late_ = false;
  std::uint32_t classes_ = 1;
  std::uint32_t class_mask_ = 0;
  std::uint64_t luns_of_chip_ = 0; // bits of a chip's dies
  std::uint32_t stride_[kLevelCount] = {};
  std::uint32_t next_channel_ = 0;
  std::uint8_t chip_of_[64] = {};
  std::uint32_t* plane_class_ = nullptr;
  std::uint8_t* next_chip_ = nullptr;  // per channel
  std::uint8_t* next_lun_ = nullptr;   // per chip
  std::uint8_t* next_plane_ = nullptr; // per die
  Allowed* allowed_ = nullptr;         // per class
};

} // namespace

PlaneAllocation* make_levels_allocation(BootMemory& memory, const FtlConfig& config, const char* levels) {
  const Order order = parse(levels);
  return order.valid ? memory.make<Levels>(memory, config, order) : nullptr;
}

bool is_levels_name(const char* levels) {
  return parse(levels).valid;
}

} // namespace twinplane::fw
