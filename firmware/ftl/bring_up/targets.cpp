#include "firmware/ftl/bring_up/targets.h"

#include <cstring>

#include "firmware/ftl/bring_up/all_answers.h"
#include "firmware/ftl/bring_up/parameter_page.h"
#include "hw/spec/onfi_commands.h"
#include "hw/spec/registers.h"

namespace twinplane::fw {

namespace {

namespace pp = onfi::parameter_page;

constexpr std::uint8_t kMakerAddress = 0x00;
constexpr std::uint8_t kOnfiAddress = 0x20;
constexpr std::uint32_t kOnfi = 0x49464E4F; // "ONFI"
constexpr FlashOp kNeeded[] = {FlashOp::reset, FlashOp::read_id, FlashOp::read_parameter_page,
                               FlashOp::get_features, FlashOp::set_features};

/// Of a chip, in DRAM.
struct Identity {
  std::uint8_t pages[pp::bytes * pp::copies];
  std::uint8_t maker;
  bool known; // a copy of its parameter page is right
  std::uint8_t padding[62];
};
static_assert(sizeof(Identity) % 64 == 0, "the bursts of the next one begin with its page");

class Targets {
 public:
  Targets(FtlState& state, const BringUpContext& context, std::uint32_t identities)
      : state_(state),
        context_(context),
        channels_(context.config.geometry.channels),
        chips_(context.config.geometry.chips_per_channel),
        at_(identities),
        sdr_(falls_back(context.config)),
        interrupts_(*state.hal, channels_) {}

  const char* run() {
    BringUpTimes& times = state_.bring_up;
    timed(times.reset_ps, &Targets::reset);
    timed(times.read_id_ps, &Targets::read_ids);
    timed(times.parameter_page_ps, &Targets::read_pages);
    if (context_.config.bus_interface != BusInterface::fixed) timed(times.timing_mode_ps, &Targets::set_mode);
    return refused_;
  }

 private:
  using Step = void (Targets::*)();
  struct Command {
    FlashOp op;
    std::uint64_t argument;
    const char* name;
    void (Targets::*take)(std::uint32_t channel, std::uint32_t chip, std::uint64_t answer); // null: no answer
  };

  /// Nothing is done once the drive has been refused.
  void timed(std::uint64_t& time, Step step) {
    const std::uint64_t began = state_.now_ps();
    if (refused_ == nullptr) (this->*step)();
    time = state_.now_ps() - began;
  }

  void reset() { send({FlashOp::reset, 0, "reset (FFh)", nullptr}); }

  void read_ids() {
    send({FlashOp::read_id, flash_target::address(kOnfiAddress), "read ID (90h)", &Targets::take_onfi});
    send({FlashOp::read_id, flash_target::address(kMakerAddress), "read ID (90h)", &Targets::take_maker});
  }
  void take_onfi(std::uint32_t channel, std::uint32_t chip, std::uint64_t id) {
    expect(channel, chip, {"ID at address 20h", static_cast<std::uint32_t>(id), kOnfi});
  }
  void take_maker(std::uint32_t channel, std::uint32_t chip, std::uint64_t id) {
    of(channel, chip).maker = static_cast<std::uint8_t>(id);
    of(channel, chip).known = false;
  }

  /// One copy of all, then two of those whose first one is wrong, and so on.
  void read_pages() {
    again_ = true;
    for (copies_ = 1; copies_ <= pp::copies && again_; ++copies_) {
      again_ = false;
      send({FlashOp::read_parameter_page, flash_target::bytes(copies_ * pp::bytes),
            "read parameter page (ECh)", &Targets::take_page});
    }
  }
  void take_page(std::uint32_t channel, std::uint32_t chip, std::uint64_t /*none*/) {
    Identity& identity = of(channel, chip);
    const std::uint8_t* const page = intact_copy(identity.pages, copies_);
    identity.known = page != nullptr;
    if (page == nullptr && copies_ == pp::copies) {
      expect(channel, chip, {"copies of the parameter page whose CRC is right", 0, 1});
    } else if (page == nullptr) {
      again_ = true;
    } else {
      expect(channel, chip, {"maker in the parameter page", page[pp::jedec_id], identity.maker});
      expect(channel, chip, compare(page, context_.config));
    }
  }

  void set_mode() {
    constexpr std::uint8_t kFeature = onfi::feature::timing_mode;
    send({FlashOp::set_features, flash_target::parameters(kFeature, timing_parameter(context_.config)),
          "set features (EFh) of the timing mode", nullptr});
    sdr_ = false;
    send({FlashOp::get_features, flash_target::address(kFeature), "get features (EEh)", &Targets::take_mode});
  }
  void take_mode(std::uint32_t channel, std::uint32_t chip, std::uint64_t parameters) {
    expect(channel, chip,
           {"timing mode (feature 01h)", static_cast<std::uint32_t>(parameters),
            timing_parameter(context_.config)});
  }

  /// To all chips, but a parameter page only where it is not known; returns when all have answered.
  void send(const Command& command) {
    if (refused_ != nullptr) return;
    for (std::uint32_t c = 0; c < channels_; ++c) {
      if (!serves(c)) continue;
      for (std::uint32_t chip = 0; chip < chips_; ++chip) submit(command, c, chip);
      context_.ports[c].kick();
    }
    take_all_answers(
        state_, context_.ports, interrupts_, waiting_,
        [&](std::uint32_t channel, const FlashCompletion& done) { take(command, channel, done); });
  }

  void take(const Command& command, std::uint32_t channel, const FlashCompletion& done) {
    --waiting_;
    state_.charge(1, state_.config.cost.flash_complete);
    if ((done.result & flash_result::fail) != 0) return refuse(channel, done.cookie, command.name);
    if (command.take != nullptr) (this->*command.take)(channel, done.cookie, done.oob);
  }

  void submit(const Command& command, std::uint32_t channel, std::uint32_t chip) {
    if (command.op == FlashOp::read_parameter_page && of(channel, chip).known) return;
    FlashDescriptor d;
    d.op = static_cast<std::uint8_t>(command.op);
    if (sdr_) d.flags = flash_flag::sdr;
    d.chip = static_cast<std::uint8_t>(chip);
    d.buffer = offset_of(channel, chip);
    d.oob = command.argument;
    d.cookie = chip;
    context_.ports[channel].append() = d;
    ++waiting_;
    state_.charge(1, state_.config.cost.flash_submit);
  }

  bool serves(std::uint32_t channel) const {
    const std::uint32_t bank = reg::kFlashBase + channel * reg::kFlashStride;
    const std::uint32_t known = state_.hal->mmio_read(bank + reg::flash::operations);
    for (const FlashOp op : kNeeded) {
      if (!knows(known, op)) return false;
    }
    return true;
  }

  std::uint32_t offset_of(std::uint32_t channel, std::uint32_t chip) const {
    return at_ + (channel * chips_ + chip) * static_cast<std::uint32_t>(sizeof(Identity));
  }
  Identity& of(std::uint32_t channel, std::uint32_t chip) {
    return *reinterpret_cast<Identity*>(state_.hal->dram() + offset_of(channel, chip));
  }

  /// It has completed with FAIL.
  void refuse(std::uint32_t channel, std::uint32_t chip, const char* command) {
    if (refused_ == nullptr) refused_ = context_.refusal.of(channel, chip, command);
  }
  void expect(std::uint32_t channel, std::uint32_t chip, const Refusal::Field& field) {
    if (refused_ == nullptr && field.found != field.expected)
      refused_ = context_.refusal.of(channel, chip, field);
  }

  FtlState& state_;
  const BringUpContext& context_;
  std::uint32_t channels_;
  std::uint32_t chips_;
  std::uint32_t at_; // of the identities, in DRAM
  bool sdr_;
  std::uint32_t copies_ = 0; // of the parameter page that are being read
  bool again_ = false;
  const char* refused_ = nullptr;
  std::uint32_t waiting_ = 0;
  BootWait interrupts_;
};

} // namespace

std::uint64_t bring_up_bytes(const Geometry& geometry) {
  return std::uint64_t{geometry.chips()} * sizeof(Identity);
}

const char* bring_up_targets(FtlState& state, const BringUpContext& context) {
  DramLayout dram = context.dram;
  const std::uint32_t identities = dram.take(bring_up_bytes(context.config.geometry));
  if (dram.exhausted()) return "dram.size: too small for the parameter pages of all chips";
  const char* const refused = Targets(state, context, identities).run();
  std::memset(state.hal->dram() + identities, 0, bring_up_bytes(context.config.geometry)); // as it was
  return refused;
}

} // namespace twinplane::fw
