#include "hw/controller/ecc.h"

namespace twinplane::hw {

namespace {

class EccEngine final : public EccStage {
 public:
  explicit EccEngine(const EccConfig& config)
      : config_(config), intake_(Rate::bytes_per_second(config.throughput)) {}

  EccResult decode(const EccInput& input) override {
    const double worst = input.errors.worst;
    const std::uint32_t senses = config_.code == EccCode::ldpc ? config_.soft_senses : 0;
    TimePs at = input.at;
    EccResult result;
    for (std::uint32_t sense = 0;; ++sense) {
      const double limit = correctable(sense, senses);
      at = take_in(at, input.bytes) + decoding_time(worst, limit);
      result.uncorrectable = worst > limit;
      if (!result.uncorrectable || sense == senses) break;
      at += config_.sense_time;
      result.soft = true;
    }
    result.latency = at - input.at;
    if (!result.uncorrectable) result.corrected_bits = whole_bits(input.errors.total);
    return result;
  }

  TimePs busy() const override { return engine_.busy(); }

 private:
  double correctable(std::uint32_t sense, std::uint32_t senses) const {
    if (sense == 0) return config_.corrects;
    return config_.corrects + (double{1} * config_.soft_corrects - config_.corrects) * sense / senses;
  }

  /// When the engine has taken the data in.
  TimePs take_in(TimePs at, std::uint32_t bytes) {
    return config_.throughput == 0 ? at : engine_.book(at, intake_.duration(bytes));
  }

  TimePs decoding_time(double worst, double limit) const {
    if (!config_.early_termination || worst >= limit) return config_.slowest;
    const double range = static_cast<double>(config_.slowest - config_.fastest);
    return config_.fastest + static_cast<TimePs>(range * (worst / limit));
  }

  EccConfig config_;
  Rate intake_;
  Reservation engine_;
};

} // namespace

std::unique_ptr<EccStage> make_ecc(const EccConfig& config) {
  if (config.code == EccCode::fixed) return make_fixed_ecc(config.fixed_latency);
  return std::make_unique<EccEngine>(config);
}

} // namespace twinplane::hw
