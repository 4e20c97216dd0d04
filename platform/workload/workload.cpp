#include "platform/workload/workload.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "platform/config/error.h"
#include "platform/workload/address_sampler.h"
#include "platform/workload/permutation.h"
#include "platform/workload/random.h"
#include "platform/workload/sized_addresses.h"

namespace twinplane::platform {
namespace {

constexpr std::uint64_t kWhole = ~std::uint64_t{0};
constexpr std::uint64_t kPassStride = 0x9E3779B97F4A7C15u; // between the seeds of two passes of randommap

/// A share of [0, 100] percent as a threshold for a 64-bit random number.
std::uint64_t threshold(double percent) {
  if (percent >= 100.0) return kWhole;
  return static_cast<std::uint64_t>(std::ldexp(percent / 100.0, 64));
}

void require(bool condition, const std::string& message) {
  if (!condition) throw InputError("workload: " + message);
}

/// bssplit of one kind of request.
class SizeMix {
 public:
  SizeMix(const std::vector<SizeShare>& shares, const char* kind) {
    require(!shares.empty(), std::string("bs: expected a block size for ") + kind + ", got none");
    double sum = 0.0;
    for (const SizeShare& share : shares) {
      require(share.bytes > 0, std::string("bs: expected sizes above 0 for ") + kind);
      require(share.percent >= 0.0, std::string("bssplit: expected shares of at least 0 for ") + kind);
      sum += share.percent;
      entries_.push_back({threshold(sum), share.bytes});
    }
    require(std::abs(sum - 100.0) < 1e-6, std::string("bssplit: expected shares of ") + kind +
                                              " that add up to 100, got " + std::to_string(sum));
    entries_.back().until = kWhole;
  }

  std::uint32_t draw(Random& random) const {
    if (entries_.size() == 1) return entries_[0].bytes;
    const std::uint64_t r = random.next();
    std::size_t i = 0;
    while (i + 1 < entries_.size() && r >= entries_[i].until) ++i;
    return entries_[i].bytes;
  }

  std::vector<std::uint32_t> all() const {
    std::vector<std::uint32_t> sizes;
    for (const Entry& entry : entries_) sizes.push_back(entry.bytes);
    return sizes;
  }
  std::uint32_t smallest() const {
    return std::min_element(entries_.begin(), entries_.end(), by_bytes)->bytes;
  }
  std::uint32_t largest() const {
    return std::max_element(entries_.begin(), entries_.end(), by_bytes)->bytes;
  }

 private:
  struct Entry {
    std::uint64_t until;
    std::uint32_t bytes;
  };
  static bool by_bytes(const Entry& a, const Entry& b) { return a.bytes < b.bytes; }
  std::vector<Entry> entries_;
};

struct PatternTraits {
  bool random;
  bool mixed;
  IoOp op;
};

PatternTraits traits_of(AccessPattern pattern) {
  switch (pattern) {
    case AccessPattern::read:
      return {false, false, IoOp::read};
    case AccessPattern::write:
      return {false, false, IoOp::write};
    case AccessPattern::trim:
      return {false, false, IoOp::trim};
    case AccessPattern::rw:
      return {false, true, IoOp::read};
    case AccessPattern::randread:
      return {true, false, IoOp::read};
    case AccessPattern::randwrite:
      return {true, false, IoOp::write};
    case AccessPattern::randtrim:
      return {true, false, IoOp::trim};
    case AccessPattern::randrw:
      return {true, true, IoOp::read};
  }
  throw InputError("workload: rw: unknown pattern");
}

class Workload final : public IoSource {
 public:
  explicit Workload(const WorkloadSpec& spec);

  bool next(IoRecord& record) override;
  void rewind() override;
  void next_round() override;
  bool rounds_differ() const override { return true; }
  std::uint64_t size_hint() const override { return spec_.number_ios; }

 private:
  struct State {
    explicit State(std::uint64_t seed) : random(seed) {}
    Random random;
    std::array<std::uint64_t, 3> cursor{}; // per kind: where the last request ended, within the space
    std::uint64_t issued = 0;
    std::uint64_t map_position = 0;
    std::uint64_t map_passes = 0;
    std::uint64_t writes_since_flush = 0;
    std::uint64_t until_think = 0;
    double clock_ns = 0.0; // of rate_iops
    std::uint64_t thought_ns = 0;
    std::uint64_t last_arrival_ns = 0;
  };

  void check() const;
  bool uses(IoOp op) const {
    if (!traits_.mixed) return op == traits_.op;
    return op != IoOp::trim || trim_below_ != 0;
  }
  void prepare_addresses();
  void lay_map(std::uint64_t pass);
  std::uint64_t offset_of(IoOp op, std::uint32_t length);
  std::uint64_t random_block();
  std::uint64_t arrival(std::uint64_t& pause_ns);

  WorkloadSpec spec_;
  PatternTraits traits_;
  std::array<SizeMix, 3> sizes_;
  std::uint64_t align_ = 0;
  std::uint64_t blocks_ = 0;
  std::uint64_t read_below_ = 0;
  std::uint64_t trim_below_ = 0; // of what is not read
  std::uint64_t random_below_ = 0;
  double gap_ns_ = 0.0;
  bool timed_ = false; // requests have arrival times
  std::unique_ptr<AddressSampler> sampler_;
  std::unique_ptr<Permutation> map_;
  std::unique_ptr<SizedAddresses> sized_; // in the place of sampler_
  State state_;
};

Workload::Workload(const WorkloadSpec& spec)
    : spec_(spec),
      traits_(traits_of(spec.rw)),
      sizes_{SizeMix(spec.read_sizes, "reads"), SizeMix(spec.write_sizes, "writes"),
             SizeMix(spec.trim_sizes, "trims")},
      read_below_(threshold(spec.rwmixread)),
      trim_below_(threshold(spec.rwmixtrim)),
      random_below_(traits_.random ? threshold(spec.percentage_random) : 0),
      state_(spec.seed) {
  check();
  align_ = spec_.blockalign;
  if (align_ == 0) {
    const auto kind = static_cast<std::size_t>(traits_.op);
    align_ = sizes_[kind].smallest();
    if (traits_.mixed) align_ = std::min(sizes_[0].smallest(), sizes_[1].smallest());
    if (traits_.mixed && trim_below_ != 0) align_ = std::min(align_, std::uint64_t{sizes_[2].smallest()});
  }
  blocks_ = spec_.size / align_;
  require(blocks_ > 0, "blockalign: expected at most size, got " + std::to_string(align_));
  if (spec_.rate_iops > 0.0) gap_ns_ = 1e9 / spec_.rate_iops;
  timed_ = spec_.rate_iops > 0.0 || spec_.thinktime_ns != 0;
  if (traits_.random) prepare_addresses();
  rewind();
}

void Workload::prepare_addresses() {
  if (spec_.random_distribution.kind != AddressDistribution::Kind::sized) {
    sampler_ = make_address_sampler(spec_.random_distribution, blocks_, mix64(spec_.seed));
    return;
  }
  require(spec_.percentage_random >= 100.0, "random_distribution=sized: expected percentage_random=100");
  sized_ = std::make_unique<SizedAddresses>(spec_.random_distribution.spaces, spec_.size, mix64(spec_.seed));
  for (const IoOp op : {IoOp::read, IoOp::write, IoOp::trim}) {
    if (!uses(op)) continue;
    for (const std::uint32_t bytes : sizes_[static_cast<std::size_t>(op)].all()) {
      require(sized_->covers(bytes), "random_distribution=sized: expected a space for requests of " +
                                         std::to_string(bytes) + " bytes");
    }
  }
}

void Workload::check() const {
  require(spec_.size > 0, "size: expected the bytes of the space to use, got 0");
  require(spec_.rwmixread >= 0.0 && spec_.rwmixread <= 100.0, "rwmixread: expected 0 to 100 percent");
  require(spec_.rwmixtrim >= 0.0 && spec_.rwmixtrim <= 100.0, "rwmixtrim: expected 0 to 100 percent");
  require(spec_.percentage_random >= 0.0 && spec_.percentage_random <= 100.0,
          "percentage_random: expected 0 to 100 percent");
  require(spec_.rate_iops >= 0.0 && spec_.rate_iops <= 1e9,
          "rate_iops: expected 0 to 1e9 requests per second");
  require(!spec_.poisson || spec_.rate_iops > 0.0, "rate_process=poisson: expected a rate_iops as well");
  require(spec_.thinktime_ns == 0 || spec_.thinktime_blocks > 0, "thinktime_blocks: expected at least 1");
  for (const IoOp op : {IoOp::read, IoOp::write, IoOp::trim}) {
    const SizeMix& mix = sizes_[static_cast<std::size_t>(op)];
    require(!uses(op) || mix.largest() <= spec_.size, "bs: expected at most size (" +
                                                          std::to_string(spec_.size) + " bytes), got " +
                                                          std::to_string(mix.largest()));
  }
  if (!spec_.randommap) return;
  const SizeMix& mix = sizes_[static_cast<std::size_t>(traits_.op)];
  require(
      traits_.random && !traits_.mixed && mix.smallest() == mix.largest() &&
          spec_.percentage_random >= 100.0 &&
          spec_.random_distribution.kind == AddressDistribution::Kind::random,
      "randommap: expected randread, randwrite or randtrim of one block size, random_distribution=random and "
      "percentage_random=100");
}

/// Each pass of randommap over the space has an order of its own.
void Workload::lay_map(std::uint64_t pass) {
  state_.map_position = 0;
  state_.map_passes = pass;
  map_ = std::make_unique<Permutation>(blocks_, mix64(spec_.seed + 1 + pass * kPassStride));
}

void Workload::rewind() {
  state_ = State(spec_.seed);
  state_.until_think = spec_.thinktime_blocks;
  if (spec_.randommap) lay_map(0);
}

void Workload::next_round() {
  state_.issued = 0;
  state_.clock_ns = 0.0;
  state_.thought_ns = 0;
  state_.last_arrival_ns = 0;
}

std::uint64_t Workload::random_block() {
  if (map_ == nullptr) return sampler_->draw(state_.random);
  const std::uint64_t block = (*map_)(state_.map_position);
  if (++state_.map_position == blocks_) lay_map(state_.map_passes + 1);
  return block;
}

std::uint64_t Workload::offset_of(IoOp op, std::uint32_t length) {
  if (sized_ != nullptr) return spec_.offset + sized_->draw(length, state_.random);
  const bool always = random_below_ == kWhole;
  std::uint64_t& cursor = state_.cursor[static_cast<std::size_t>(op)];
  std::uint64_t at = cursor;
  if (always || (random_below_ != 0 && state_.random.next() < random_below_)) {
    at = random_block() * align_;
    if (at + length > spec_.size) at = (spec_.size - length) / align_ * align_;
  } else if (at + length > spec_.size) {
    at = 0;
  }
  cursor = at + length;
  return spec_.offset + at;
}

/// Arrival of the request about to be issued, and the pause before it; the first comes at 0.
std::uint64_t Workload::arrival(std::uint64_t& pause_ns) {
  if (spec_.thinktime_ns != 0) {
    if (state_.until_think == 0) {
      state_.thought_ns += spec_.thinktime_ns;
      pause_ns = spec_.thinktime_ns;
      state_.until_think = spec_.thinktime_blocks;
    }
    --state_.until_think;
  }
  const auto now = static_cast<std::uint64_t>(state_.clock_ns) + state_.thought_ns;
  if (spec_.poisson) {
    state_.clock_ns -= std::log1p(-state_.random.uniform()) * gap_ns_;
  } else {
    state_.clock_ns = static_cast<double>(state_.issued + 1) * gap_ns_;
  }
  return now;
}

bool Workload::next(IoRecord& record) {
  if (spec_.fsync != 0 && state_.writes_since_flush == spec_.fsync) {
    state_.writes_since_flush = 0;
    record = IoRecord{};
    record.op = IoOp::flush;
    record.arrival_ns = state_.last_arrival_ns; // right after the write
    return true;
  }
  if (state_.issued == spec_.number_ios) return false;
  IoOp op = traits_.op;
  if (traits_.mixed) {
    op = read_below_ == kWhole || state_.random.next() < read_below_ ? IoOp::read : IoOp::write;
    if (op == IoOp::write && trim_below_ != 0 && state_.random.next() < trim_below_) op = IoOp::trim;
  }
  record = IoRecord{};
  record.op = op;
  record.length = sizes_[static_cast<std::size_t>(op)].draw(state_.random);
  record.offset = offset_of(op, record.length);
  if (timed_) record.arrival_ns = state_.last_arrival_ns = arrival(record.pause_ns);
  ++state_.issued;
  state_.writes_since_flush += op == IoOp::write ? 1 : 0;
  return true;
}

} // namespace

std::unique_ptr<IoSource> make_workload(const WorkloadSpec& spec) {
  return std::make_unique<Workload>(spec);
}

} // namespace twinplane::platform
