#include "firmware/boot/firmware.h"

#include "firmware/hal/dram_layout.h"
#include "hw/spec/host_descriptor.h"
#include "hw/spec/registers.h"

namespace twinplane::fw {

namespace {

constexpr std::uint32_t kCauseOffsets[] = {reg::intc::cause_lo, reg::intc::cause_hi, reg::intc::cause_top};
constexpr std::uint8_t kMaxMdts = 12;      // 16 MiB
constexpr std::uint32_t kMaxSlots = 65535; // slot numbers are 16 bits

constexpr bool is_power_of_two(std::uint32_t v) {
  return v != 0 && (v & (v - 1)) == 0;
}

constexpr std::uint32_t bit(std::uint32_t source) {
  return 1u << source;
}

// Descriptors one command may have on the DMA ring at once: its data in subpage pieces, one piece
// more when it starts inside a page, and its completion.
std::uint64_t dma_per_command(const NvmeConfig& nvme) {
  const Geometry& g = nvme.geometry;
  const std::uint64_t pages = nvme.max_transfer_bytes() / g.page_size + 2;
  return pages * g.subpages_per_page + 2;
}

} // namespace

const Firmware::Step Firmware::kSteps[] = {
    {"check the configuration", &Firmware::check_configuration},
    {"lay out device DRAM", &Firmware::lay_out_memory},
    {"start the host DMA ring", &Firmware::boot_host_port},
    {"boot the flash translation layer", &Firmware::boot_ftl},
    {"boot the NVMe controller", &Firmware::boot_nvme},
    {"count the interrupt words", &Firmware::count_cause_words},
};

Firmware::BootError Firmware::boot(Hal& hal, const FirmwareConfig& config) {
  hal_ = &hal;
  hal.forget_alarms();
  config_ = config;
  for (const Step& step : kSteps) {
    if (const char* text = (this->*step.action)()) return {step.name, text};
  }
  return {nullptr, nullptr};
}

const char* Firmware::check_configuration() {
  const Geometry& g = config_.ftl.geometry;
  if (!is_power_of_two(g.sector_size) || g.sector_size < 512)
    return "sector_size must be a power of two from 512";
  if (g.page_size == 0 || g.page_size % g.sector_size != 0)
    return "page_size must be a multiple of sector_size";
  if (g.channels == 0 || g.channels > kMaxChannels) return "channels must be 1 to 64";
  if (g.subpages_per_page == 0) return "subpages_per_page must not be 0";
  if (config_.nvme.mdts > kMaxMdts) return "mdts must be at most 12 (16 MiB)";
  if (g.sector_size > config_.nvme.max_transfer_bytes())
    return "a sector is larger than the largest transfer";

  NvmeConfig& nvme = config_.nvme;
  nvme.geometry = g;
  nvme.unit_sectors = g.sectors_per_page() / config_.ftl.map_units;
  nvme.data_mode = config_.ftl.data_mode;
  nvme.cost = config_.ftl.cost;
  nvme.volatile_write_cache =
      config_.ftl.write_buffer_pages != 0 && config_.ftl.write_ack == WriteAck::buffered;
  slots_ = hal_->mmio_read(reg::kHostBase + reg::host::max_slots);
  if (slots_ < 2 || slots_ > kMaxSlots)
    return "the front end must have 2 to 65535 command slots: an asynchronous event request holds one";
  config_.ftl.max_requests = slots_;
  return nullptr;
}

const char* Firmware::lay_out_memory() {
  const std::uint64_t in_flight = slots_ * dma_per_command(config_.nvme);
  std::uint64_t dma_entries = 1;
  while (dma_entries < in_flight) dma_entries *= 2;
  dma_entries_ = static_cast<std::uint32_t>(dma_entries);
  DramLayout layout(*hal_, 0);
  command_ring_ = layout.take(std::uint64_t{NvmeController::ring_entries(slots_)} * sizeof(CommandEntry));
  dma_ring_ = layout.take(HostPort::dram_bytes(dma_entries));
  nvme_data_ = layout.take(NvmeController::data_bytes(config_.nvme));
  if (layout.exhausted()) return "device DRAM is too small for the rings and buffers of the host interface";
  config_.ftl.dram_base = layout.next();
  return nullptr;
}

const char* Firmware::boot_host_port() {
  host_.boot(*hal_, dma_ring_, dma_entries_);
  return nullptr;
}

const char* Firmware::boot_ftl() {
  if (const char* error = ftl_.boot(*hal_, host_, config_.ftl, nvme_)) return error;
  config_.nvme.longest_flush_ps = ftl_.longest_flush_ps();
  return nullptr;
}

const char* Firmware::boot_nvme() {
  return nvme_.boot({hal_, &host_, &storage_, &config_.nvme, slots_, command_ring_, nvme_data_});
}

const char* Firmware::count_cause_words() {
  const std::uint32_t last_source = reg::irq::flash0 + config_.ftl.geometry.channels - 1;
  cause_words_ = last_source / 32 + 1;
  return nullptr;
}

std::uint32_t Firmware::cause(std::uint32_t word) {
  return hal_->mmio_read(reg::kIntcBase + kCauseOffsets[word]);
}

void Firmware::serve_flash(std::uint32_t causes, std::uint32_t first_channel) {
  for (; causes != 0; causes &= causes - 1) {
    ftl_.on_flash_irq(first_channel + static_cast<std::uint32_t>(__builtin_ctz(causes)));
  }
}

// The controller has stopped and completions are missing: nothing that follows could be right.
void Firmware::panic_about_flash() {
  namespace error = reg::flash_error;
  static constexpr struct {
    std::uint32_t bits;
    const char* text;
  } kTexts[] = {
      {error::bad_ring, "a flash controller refuses its rings"},
      {error::bad_doorbell, "a flash controller refuses a doorbell"},
      {error::too_many_commands, "a flash controller was given more commands than it holds"},
      {error::completion_overflow, "a flash controller's completion ring is full"},
  };
  for (std::uint32_t channel = 0; channel < config_.ftl.geometry.channels; ++channel) {
    const std::uint32_t bank = reg::kFlashBase + channel * reg::kFlashStride;
    const std::uint32_t bits = hal_->mmio_read(bank + reg::flash::error);
    for (const auto& known : kTexts) {
      if ((bits & known.bits) != 0) hal_->panic(known.text);
    }
  }
}

/// The FTL looks at its alarms in each turn.
void Firmware::serve_timer() {
  hal_->arm_timer();
  nvme_.on_timer();
}

void Firmware::serve_failure(std::uint32_t causes) {
  if ((causes & bit(reg::irq::flash_error)) != 0) panic_about_flash();
  if ((causes & bit(reg::irq::power_fail)) != 0) ftl_.supply_failed();
}

void Firmware::serialise(StateVisitor& state) {
  state.section("nvme");
  nvme_.serialise(state);
  ftl_.serialise(state);
}

// Completions before commands: what they free serves the commands of the same turn.
bool Firmware::step() {
  const std::uint32_t causes = cause(0);
  hal_->charge(config_.ftl.cost.interrupt);
  if ((causes & bit(reg::irq::host_event)) != 0) nvme_.on_host_event();
  if ((causes & bit(reg::irq::timer)) != 0) serve_timer();
  if ((causes & (bit(reg::irq::flash_error) | bit(reg::irq::power_fail))) != 0) serve_failure(causes);
  serve_flash(causes >> reg::irq::flash0, 0);
  for (std::uint32_t word = 1; word < cause_words_; ++word) {
    serve_flash(cause(word), word * 32 - reg::irq::flash0);
  }
  if ((causes & bit(reg::irq::host_dma)) != 0) nvme_.on_host_dma();
  if (commands_left_ || (causes & bit(reg::irq::host_command)) != 0) nvme_.on_host_command();
  commands_left_ = nvme_.pump();
  ftl_.pump();
  host_.kick();
  return commands_left_ || nvme_.wants_turn();
}

} // namespace twinplane::fw
