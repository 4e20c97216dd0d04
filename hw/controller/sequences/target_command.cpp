// Commands of a whole target: reset, ID, parameter page, features. One command to the firmware, with what
// the target answers: an ID and features in the completion, the parameter page in DRAM. Nothing else of the
// chip may be under way, which is firmware's duty and the target's judgement.
//
// Where R/B# is not looked at the status is asked for by 70h, and 00h leads back to the answer.
#include <algorithm>
#include <array>

#include "hw/controller/sequences/status_sequence.h"
#include "hw/controller/sequences/table.h"

namespace twinplane::hw {

namespace {

class TargetSequence final : public StatusSequence {
 public:
  using StatusSequence::StatusSequence;

  bool accept(FlashGroup& group) override {
    if (group.op() != FlashOp::reset && !has_room(group)) return false;
    ++c_.statistics.target_commands;
    return true;
  }

  void begin(DieQueue& die, TimePs at) override { want(die, command, TenureKind::other, at); }

  TimePs tenure(DieQueue& die, TimePs at) override {
    switch (die.step) {
      case command:
        return send_command(die, at);
      case answer_poll:
        poll_answer(die, at);
        return kNever;
      case answer:
        return take_answer(die, at);
      default:
        return has_result(die, at) ? conclude(die) : kNever;
    }
  }

  StepPower power(const DieQueue& die, TimePs /*at*/) override {
    if (die.step == answer) return transfer_power(c_.config.power.data_out);
    if (die.step != command) return {};
    const FlashOp op = die.head->op();
    if (op == FlashOp::read_id) return transfer_power(c_.config.power.data_out);
    return op == FlashOp::set_features ? transfer_power(c_.config.power.data_in) : StepPower{};
  }

 private:
  enum : std::uint8_t { answer = kSteps, answer_poll };

  bool has_room(const FlashGroup& group) const {
    const FlashDescriptor& d = group.planes[0];
    if (group.count != 1 || c_.addresses.lun(d) != 0) return false;
    if (group.op() != FlashOp::read_parameter_page) return true;
    const auto bytes = static_cast<std::uint32_t>(d.oob);
    constexpr std::uint32_t kAll = onfi::parameter_page::bytes * onfi::parameter_page::copies;
    return bytes != 0 && bytes <= kAll && c_.addresses.in_dram(d.buffer, bytes);
  }

  static std::uint8_t opcode(FlashOp op) {
    if (op == FlashOp::reset) return onfi::opcode::reset;
    if (op == FlashOp::read_id) return onfi::opcode::read_id;
    if (op == FlashOp::read_parameter_page) return onfi::opcode::read_parameter_page;
    return op == FlashOp::get_features ? onfi::opcode::get_features : onfi::opcode::set_features;
  }

  /// How often a byte of an ID or of features crosses the bus.
  std::uint32_t edges(const FlashDescriptor& d) const {
    return c_.config.ddr && (d.flags & flash_flag::sdr) == 0 ? 2 : 1;
  }

  TimePs send_command(DieQueue& die, TimePs at) {
    compose(die.head->planes[0]);
    send(die, at);
    switch (die.head->op()) {
      case FlashOp::read_id:
        return conclude_answer(die);
      case FlashOp::read_parameter_page:
      case FlashOp::get_features:
        want_when_ready(die, answer_poll, answer, TenureKind::other);
        return kNever;
      default: // its interface may have changed: what is asked at once would be asked too early for the new one
        await_result(die, die.command_end + c_.config.poll_interval);
        return kNever;
    }
  }

  /// FFh, or the command with its address. 90h has its answer in the same tenure, and EFh its parameters.
  void compose(const FlashDescriptor& d) {
    OnfiTenure& tenure = c_.bus.tenure();
    const auto which = static_cast<FlashOp>(d.op);
    c_.builder.raw(tenure);
    tenure.command(opcode(which));
    if (which == FlashOp::reset) return;
    OnfiPhase& address = tenure.add(PhaseKind::address);
    address.address_cycles = 1;
    if (which != FlashOp::read_parameter_page) address.address[0] = static_cast<std::uint8_t>(d.oob);
    if (which == FlashOp::read_id)
      TenureBuilder::move(tenure, PhaseKind::data_out, flash_target::id_bytes * edges(d), bytes_.data());
    if (which != FlashOp::set_features) return;
    const std::uint32_t count = onfi::feature::parameters * edges(d);
    for (std::uint32_t i = 0; i < count; ++i)
      bytes_[i] = static_cast<std::uint8_t>(d.oob >> (32 + i / edges(d) * 8));
    TenureBuilder::move(tenure, PhaseKind::data_in, count, bytes_.data());
  }

  /// By 70h: 78h is not to be used there.
  void poll_answer(DieQueue& die, TimePs at) {
    OnfiTenure& tenure = c_.bus.tenure();
    c_.builder.raw(tenure, TenureKind::status);
    tenure.command(onfi::opcode::read_status);
    TenureBuilder::move(tenure, PhaseKind::data_out, edges(die.head->planes[0]),
                        tenure.status_bytes[0].data());
    const TimePs end = c_.bus.drive(die, *die.head, at);
    if ((tenure.status_bytes[0][0] & onfi::status::rdy) == 0) {
      poll_again(die, at);
    } else {
      want(die, answer, TenureKind::other, end);
    }
  }

  TimePs take_answer(DieQueue& die, TimePs at) {
    const FlashDescriptor& d = die.head->planes[0];
    const bool page = static_cast<FlashOp>(d.op) == FlashOp::read_parameter_page;
    OnfiTenure& tenure = c_.bus.tenure();
    c_.builder.raw(tenure);
    if (c_.config.poll_status) tenure.command(onfi::opcode::read);
    TenureBuilder::move(tenure, PhaseKind::data_out,
                        page ? static_cast<std::uint32_t>(d.oob) : onfi::feature::parameters * edges(d),
                        page ? c_.dram + d.buffer : bytes_.data());
    c_.bus.drive(die, *die.head, at);
    return conclude_answer(die);
  }

  /// The answer is complete at its last byte; then the bus turns round (tRHW).
  TimePs conclude_answer(DieQueue& die) {
    const FlashGroup& group = *die.head;
    const FlashDescriptor& d = group.planes[0];
    const OnfiPhase& data = c_.bus.tenure().phases[c_.bus.tenure().phase_count - 1];
    const TimePs array = die.ready_at - die.command_end;
    FlashCompletion completion = group.completion(c_.bus.on_bus(group, data.end), array, data.end);
    completion.cookie = d.cookie;
    completion.status = onfi::status::idle;
    TimePs known = data.end;
    if (group.op() == FlashOp::read_parameter_page) {
      known = std::max(known, c_.pacing.store(d.buffer, data.bytes, data.start));
      completion.bus_wait_ps += known - data.end;
    } else {
      for (std::uint32_t i = 0; i < data.bytes / edges(d); ++i)
        completion.oob |= std::uint64_t{bytes_[i * edges(d)]} << 8 * i;
    }
    c_.rings.post(completion, known);
    c_.rings.interrupt();
    return end(die, c_.bus.free());
  }

  std::array<std::uint8_t, 2 * flash_target::id_bytes> bytes_{}; // of features, or an ID; on both edges
};

} // namespace

std::unique_ptr<OpSequence> make_target_command(const SequenceContext& context) {
  return std::make_unique<TargetSequence>(context);
}

} // namespace twinplane::hw
