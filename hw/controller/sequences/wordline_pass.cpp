// One-pass programming: the pages of a wordline go to the die one after the other (1Ah), and with the last
// one (10h) it programs them all. One command to the firmware: nothing comes between, no read passes until
// the array works, and all of it is completed together.
//
// While one die takes the pages of a wordline another die of the channel does not begin to, unless the pages are not
// there yet. Two dies that took them in turn would be done at the same time, program at the same time, and want the bus
// again at the same time, for ever: each would wait for both transfers, and the bus for both arrays. While several others
// wait it is the bus that limits: then two dies take pages in turn, and the bus has work during tDCBSYW.
#include <algorithm>
#include <vector>

#include "hw/controller/sequences/program.h"
#include "hw/controller/sequences/table.h"

namespace twinplane::hw {

namespace {

class WordlinePassSequence final : public ProgramSequence {
 public:
  explicit WordlinePassSequence(const SequenceContext& context)
      : ProgramSequence(context), loading_(context.config.geometry.dies_per_channel()) {}

  /// Programs of one die. Whether they are a wordline's pages is the die's judgement.
  bool accept(FlashGroup& group) override {
    std::uint32_t pages = 0;
    for (FlashGroup* load = group.loads; load != nullptr; load = load->next) {
      const bool program = load->op() == FlashOp::program && c_.addresses.is_command(*load);
      const bool same_die = c_.addresses.die(load->planes[0]) == c_.addresses.die(group.planes[0]);
      if (!program || !same_die || !c_.addresses.pages_in_dram(*load)) return false;
      pages += load->count;
      load->data_at = 0;
    }
    if (!ProgramSequence::accept(group)) return false;
    c_.statistics.programs += pages;
    group.next_load = group.loads;
    return true;
  }

  void begin(DieQueue& die, TimePs at) override {
    if (die.head->next_load == die.head->loads) loading_[die.number] = {};
    ProgramSequence::begin(die, at);
  }

  TimePs tenure(DieQueue& die, TimePs at) override {
    if (die.step == load_poll) {
      if (is_ready(die, at)) want(die, command, TenureKind::program, c_.bus.free());
      return kNever;
    }
    if (die.step != command) return has_result(die, at) ? conclude_pass(die) : kNever;
    if (!may_load(die, at)) return kNever;
    if (die.head->next_load != nullptr) {
      send_load(die, at);
      return kNever;
    }
    const bool there = compose(die, at);
    stop_loading(die, at);
    if (!there) return at;
    c_.statistics.page_bytes_in += loading_[die.number].bytes;
    launch(die, at);
    return kNever;
  }

  StepPower power(const DieQueue& die, TimePs at) override {
    if (die.step == load_poll) return {};
    if (die.step != command || die.head->next_load == nullptr) return ProgramSequence::power(die, at);
    return transfer_power(c_.config.power.data_in);
  }

 private:
  enum : std::uint8_t { load_poll = kSteps };
  /// What 1Ah of the pass that runs have taken.
  struct Loading {
    TimePs busy = 0;         // the die
    std::uint64_t bytes = 0; // counted with 10h, as the die does
    bool on = false;         // the die takes pages, and others may have to wait
  };

  /// Sends the next page, unless its data are not there.
  void send_load(DieQueue& die, TimePs at) {
    FlashGroup& group = *die.head;
    FlashGroup& load = *group.next_load;
    OnfiTenure& tenure = c_.bus.tenure();
    TimePs due = data_time(group, at);
    if (due <= at && c_.pacing.keeps_waiting(load, tenure, at)) due = load.data_at;
    if (due > at) {
      stop_loading(die, at);
      return want(die, command, TenureKind::program, due);
    }
    c_.builder.operation(tenure, load);
    Loading& loading = loading_[die.number];
    loading.bytes += tenure.page_bytes();
    send(die, at);
    if (die.ready_at != kNever) loading.busy += die.ready_at - die.command_end;
    group.next_load = load.next;
    want_when_ready(die, load_poll, command, TenureKind::program);
  }

  /// Whether the die takes pages now; if not, it is called when it may.
  bool may_load(DieQueue& die, TimePs at) {
    Loading& loading = loading_[die.number];
    if (loading.on) return true;
    if (loaders_ != 0) {
      held_up_.push_back(&die);
      call_next(at);
      return false;
    }
    loading.on = true;
    ++loaders_;
    return true;
  }
  /// It has them all, or has to wait for them.
  void stop_loading(const DieQueue& die, TimePs at) {
    loading_[die.number].on = false;
    --loaders_;
    call_next(at);
  }
  void call_next(TimePs at) {
    while (!held_up_.empty() && (loaders_ == 0 || (loaders_ == 1 && held_up_.size() > 1))) {
      DieQueue& die = *held_up_.front();
      held_up_.erase(held_up_.begin());
      loading_[die.number].on = true;
      ++loaders_;
      want(die, command, TenureKind::program, at);
    }
  }

  /// The status of the group's planes is that of all pages of their wordlines. Their times, and the die's during
  /// 1Ah, are those of all pages, too.
  TimePs conclude_pass(DieQueue& die) {
    FlashGroup& group = *die.head;
    const TimePs known = known_at();
    const TimePs array = die.ready_at - die.command_end;
    FlashCompletion completion = group.completion(c_.bus.on_bus(group, known), array, known);
    const TimePs busy = std::min(loading_[die.number].busy, completion.bus_wait_ps);
    completion.array_ps += busy;
    completion.bus_wait_ps -= busy;
    for (const FlashGroup* load = group.loads; load != nullptr; load = load->next) {
      for (std::uint32_t p = 0; p < load->count; ++p) report_load(group, load->planes[p], completion);
    }
    c_.groups.release_loads(group);
    report(group, completion, onfi::status::fail);
    c_.rings.interrupt();
    return end(die, c_.bus.free());
  }

  void report_load(const FlashGroup& group, const FlashDescriptor& d, FlashCompletion& completion) {
    std::uint32_t same = 0; // a die that has refused the pass may have been given other planes
    while (same + 1 < group.count && !c_.addresses.same_block(group.planes[same], d)) ++same;
    report_page(d, c_.bus.tenure().planes[same].status, onfi::status::fail, completion);
  }

  std::vector<Loading> loading_; // by die
  std::uint32_t loaders_ = 0;
  std::vector<DieQueue*> held_up_; // dies that may not load yet, the first one first
};

} // namespace

std::unique_ptr<OpSequence> make_wordline_pass(const SequenceContext& context) {
  return std::make_unique<WordlinePassSequence>(context);
}

} // namespace twinplane::hw
