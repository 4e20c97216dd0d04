// Reads a group of pages again that could not be corrected (services/read_retries.h). Once it is its turn it
// keeps the die: D5h sets the level of the LUN, 00h-30h and data out follow, and so on; after the last sense D5h
// sets level 0 again. The bus serves other dies during tFEAT, tR and decoding.
#include <algorithm>
#include <array>

#include "hw/controller/sequences/read.h"
#include "hw/controller/sequences/table.h"

namespace twinplane::hw {

namespace {

class RetrySequence final : public ReadSequence {
 public:
  explicit RetrySequence(const SequenceContext& context) : ReadSequence(context) {}

  void begin(DieQueue& die, TimePs at) override { want(die, level, TenureKind::read_command, at); }

  TimePs tenure(DieQueue& die, TimePs at) override {
    switch (die.step) {
      case level:
        set_level(die, at);
        return kNever;
      case level_wait: // tFEAT has passed, or is asked for
        if (!c_.config.poll_status) return level_set(die, at);
        return is_ready(die, at) ? level_set(die, c_.bus.free()) : kNever;
      case data_out:
        if (!move_page(die, at)) return kNever;
        c_.pages.retries().end_sense(*die.head);
        want(die, level, TenureKind::read_command, std::max(c_.bus.free(), die.head->retry->due));
        return kNever;
      default:
        return ReadSequence::tenure(die, at);
    }
  }

  /// The parameters of a level are data on the bus, too.
  StepPower power(const DieQueue& die, TimePs at) override {
    return die.step == level ? transfer_power(c_.config.power.data_in) : ReadSequence::power(die, at);
  }

 private:
  enum : std::uint8_t { level = kSteps, level_wait };

  void set_level(DieQueue& die, TimePs at) {
    const FlashGroup& group = *die.head;
    const std::uint32_t edges = c_.config.ddr ? 2 : 1;
    parameters_.fill(0);
    std::fill_n(parameters_.begin(), edges, static_cast<std::uint8_t>(group.retry->level));
    OnfiTenure& tenure = c_.bus.tenure();
    c_.builder.raw(tenure);
    tenure.command(onfi::opcode::set_lun_features);
    OnfiPhase& address = tenure.add(PhaseKind::address);
    address.address_cycles = 2;
    address.address = {static_cast<std::uint8_t>(die.lun), onfi::feature::read_retry};
    TenureBuilder::move(tenure, PhaseKind::data_in, onfi::feature::parameters * edges, parameters_.data());
    send(die, at);
    want(die, level_wait, TenureKind::status, c_.config.poll_status ? die.command_end : die.ready_at);
  }

  TimePs level_set(DieQueue& die, TimePs at) {
    FlashGroup& group = *die.head;
    if (group.retry->level != 0) {
      want(die, command, TenureKind::read_command, at);
      return kNever;
    }
    c_.pages.retries().forget(group);
    return end(die, at);
  }

  std::array<std::uint8_t, 2 * onfi::feature::parameters> parameters_{}; // on both edges
};

} // namespace

std::unique_ptr<OpSequence> make_retry(const SequenceContext& context) {
  return std::make_unique<RetrySequence>(context);
}

} // namespace twinplane::hw
