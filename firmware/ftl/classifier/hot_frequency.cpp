// Hot and cold by how often data are written: J.-W. Hsieh, T.-W. Kuo, L.-P. Chang, "Efficient identification of hot data
// for flash memory storage systems", ACM Transactions on Storage 2(1), 2006.
//
// Two hash functions of a unit of the map name two counters of four bits each; a write raises the lower one, both if they
// are equal. A unit is hot while one of the two highest bits of both is set: from four writes on. In their paper all
// counters are halved at once when so many units have been written; here one after the other is, as writes go on, so that
// each is halved once in that time, and no write takes longer than others.
//
// That time is two writes of each unit of the drive in the mean. So what is written at the mean rate has counters of 2 to 4
// at most and is cold, and what is written twice as often, and goes on being so, is hot. There are two to four counters
// for each unit, in half a byte each: so few units share both of theirs with others. A request is hot when all that it
// writes is.
#include "firmware/ftl/classifier/classifier.h"

namespace twinplane::fw {

namespace {

class HotByFrequency final : public Classifier {
 public:
  HotByFrequency(BootMemory& memory, const FtlConfig& config, std::uint32_t exported_pages)
      : sectors_per_unit_(config.geometry.sectors_per_page() / config.map_units), cold_(cold_page(config)) {
    const std::uint64_t units = std::uint64_t{exported_pages} * config.map_units;
    while (std::uint64_t{1} << bits_ < 2 * units) ++bits_;
    step_ = std::uint64_t{1} << bits_;
    round_ = 2 * units;
    counters_ = memory.zeroed<std::uint8_t>(step_ / 2);
  }

  PageHint classify(const Request& request, const DeviceState& /*state*/) override {
    if (request.sectors == 0) return kAnyPage;
    const std::uint64_t first = request.lba / sectors_per_unit_;
    const std::uint64_t last = (request.lba + request.sectors - 1) / sectors_per_unit_;
    bool hot = true;
    for (std::uint64_t unit = first; unit <= last; ++unit) hot = write(unit) && hot;
    return hot ? kHotPage : cold_;
  }
  PageHint refine(PageHint request_hint, bool /*partial*/) const override { return request_hint; }

  void serialise(StateVisitor& state) override {
    state.table(counters_, step_ / 2);
    state.value(due_);
    state.value(next_);
    state.require(due_ < round_ && next_ < step_, "it is damaged (how often data have been written)");
  }

 private:
  static constexpr std::uint32_t kMost = 15;
  static constexpr std::uint32_t kHot = 4;

  /// True when it is hot.
  bool write(std::uint64_t unit) {
    halve_next();
    const std::uint64_t a = place(unit * 0x9E3779B97F4A7C15u);
    const std::uint64_t b = place((unit ^ 0x5851F42D4C957F2Du) * 0xD1B54A32D192ED03u);
    const std::uint32_t at_a = count(a);
    const std::uint32_t at_b = count(b);
    if (at_a <= at_b) raise(a, at_a);
    if (at_b <= at_a && b != a) raise(b, at_b);
    return at_a >= kHot && at_b >= kHot;
  }
  /// Of `step_` counters so many that all have had their turn when `round_` units have been written.
  void halve_next() {
    for (due_ += step_; due_ >= round_; due_ -= round_) {
      set(next_, count(next_) / 2);
      next_ = next_ + 1 == step_ ? 0 : next_ + 1;
    }
  }
  std::uint64_t place(std::uint64_t hash) const { return bits_ == 0 ? 0 : hash >> (64 - bits_); }
  std::uint32_t count(std::uint64_t at) const { return counters_[at / 2] >> at % 2 * 4 & kMost; }
  void raise(std::uint64_t at, std::uint32_t count) {
    if (count != kMost) set(at, count + 1);
  }
  void set(std::uint64_t at, std::uint32_t count) {
    const std::uint32_t shift = at % 2 * 4;
    counters_[at / 2] = static_cast<std::uint8_t>((counters_[at / 2] & ~(kMost << shift)) | count << shift);
  }

  std::uint32_t sectors_per_unit_;
  PageHint cold_;
  std::uint32_t bits_ = 1;
  std::uint8_t* counters_ = nullptr; // two in a byte
  std::uint64_t step_ = 0;           // counters
  std::uint64_t round_ = 0;          // units written until each has been halved
  std::uint64_t due_ = 0;            // in counters times `round_`
  std::uint64_t next_ = 0;           // that is halved next
};

} // namespace

Classifier* make_hot_frequency_classifier(BootMemory& memory, const FtlConfig& config,
                                          std::uint32_t exported_pages) {
  return memory.make<HotByFrequency>(memory, config, exported_pages);
}

} // namespace twinplane::fw
