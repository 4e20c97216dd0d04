#include "rtl_flash_controller.h"

#include <algorithm>
#include <cstring>

#include "hw/core/kernel_time.h"
#include "hw/pins/notify.h"
#include "hw/spec/onfi_commands.h"
#include "hw/spec/registers.h"

namespace twinplane::example {

namespace {

constexpr char kReportId[] = "twinplane.rtl_controller";

RtlOperation rtl_operation(FlashOp op) {
  switch (op) {
    case FlashOp::read:
      return RtlOperation::read;
    case FlashOp::program:
      return RtlOperation::program;
    case FlashOp::erase:
      return RtlOperation::erase;
    default:
      return RtlOperation::reset;
  }
}

/// Sectors from the first to the last one of a mask: what crosses the bus.
struct Span {
  std::uint32_t first = 0;
  std::uint32_t sectors = 0;
};

Span span_of(std::uint32_t mask) {
  if (mask == 0) return {};
  const auto first = static_cast<std::uint32_t>(__builtin_ctz(mask));
  return {first, 32u - static_cast<std::uint32_t>(__builtin_clz(mask)) - first};
}

} // namespace

std::string RtlFlashController::check(const hw::FlashControllerConfig& config) {
  if (config.suspend.enabled) return "suspend programs or erases (nand.suspend)";
  if (config.cache_reads) return "read with cache commands (controller.cache_reads)";
  if (config.cache_programs) return "program with cache commands (controller.cache_programs)";
  if (config.independent_reads) return "read planes independently (nand.independent_plane_reads)";
  if (config.slc_mode)
    return "use blocks in SLC mode (ftl.slc_mode, ftl.regions, or ftl.lower_pages = backup without "
           "power.hold_up)";
  if (config.unit_words) return "store a word for each unit of a page (ftl.map_unit)";
  if (config.one_pass) return "program the pages of a wordline together (nand.one_pass)";
  if (config.copybacks) return "move pages inside a die (ftl.copyback)";
  if (config.read_retries != 0) return "read at other levels (controller.read_retries)";
  if (config.parity_per_sector != 0)
    return "move parity or the spare area (bus.spare_area, controller.ecc.parity_on_bus)";
  if (config.poll_status) return "poll where R/B# can tell (bus.ready)";
  if (config.ddr) return "drive another interface than SDR (bus.interface)";
  return {};
}

RtlFlashController::RtlFlashController(const sc_core::sc_module_name& name,
                                       const hw::FlashControllerConfig& config)
    : ControllerBlock(name),
      config_(config),
      rows_(config.geometry),
      stride_(payload_bytes(config.data_mode, config.geometry.sector_size)),
      rings_(this->name(), *this),
      buffers_(std::size_t{RtlCore::kDies} * kMaxPlanesPerDie,
               hw::PageBytes(config.geometry, config.data_mode)),
      functional_(hw::TenureBuilder(config.geometry, config.data_mode), bus) {
  if (const std::string missing = check(config); !missing.empty()) {
    SC_REPORT_ERROR(kReportId, (std::string(this->name()) + " cannot " + missing).c_str());
  }
  regs.bind(*this);
  SC_HAS_PROCESS(RtlFlashController);
  SC_METHOD(start_due);
  sensitive << start_;
  dont_initialize();
}

void RtlFlashController::drive(hw::PinChannel& channel, const RtlClock& clock) {
  RtlCoreConfig c;
  c.geometry = config_.geometry;
  c.bus = channel.config().bus;
  c.tDBSY = channel.config().tDBSY;
  c.clock = clock;
  if (const std::string missing = RtlCore::check(c); !missing.empty()) {
    SC_REPORT_ERROR(kReportId, (std::string(name()) + " cannot drive its channel: " + missing).c_str());
    return;
  }
  channel_ = &channel;
  RtlCore::Client& client = *this;
  core_ = std::make_unique<RtlCore>((std::string(basename()) + "_rtl").c_str(), c, channel.pins, client);
}

void RtlFlashController::end_of_elaboration() {
  tlm::tlm_generic_payload payload;
  tlm::tlm_dmi dmi;
  if (dram->get_direct_mem_ptr(payload, dmi)) {
    dram_ = dmi.get_dmi_ptr();
    dram_size_ = dmi.get_end_address() + 1;
  }
  rings_.use(dram_, dram_size_);
}

const hw::FlashControllerStatistics& RtlFlashController::statistics() const {
  statistics_.completions = rings_.completions();
  statistics_.errors = rings_.errors();
  return statistics_;
}

// --- registers and descriptors ---

void RtlFlashController::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (!hw::is_word_access(payload)) return;
  const auto offset = static_cast<std::uint32_t>(payload.get_address());
  const TimePs at = hw::time_at(delay);
  bool ok = true;
  if (payload.is_read()) {
    hw::set_word(payload, rings_.read(offset, at));
  } else if (payload.is_write()) {
    ok = rings_.write(offset, hw::word_of(payload), at);
  }
  payload.set_response_status(ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

void RtlFlashController::on_descriptor(const FlashDescriptor& descriptor, TimePs at) {
  Group& group = assembling_;
  group.planes[group.count++] = descriptor;
  if ((descriptor.flags & flash_flag::more) != 0 && group.count < kMaxPlanesPerDie) return;
  group.accepted = group.due = at;
  if (acceptable(group)) {
    count(group);
    group.die = descriptor.chip * config_.geometry.dies_per_chip + lun_of(descriptor);
    dies_[group.die].waiting.push_back(group);
    hw::notify_at(start_, at);
  } else {
    reject(group, at);
  }
  group = Group();
}

bool RtlFlashController::acceptable(const Group& group) const {
  const Geometry& g = config_.geometry;
  const FlashDescriptor& first = group.planes[0];
  const std::uint64_t page = std::uint64_t{g.sectors_per_page()} * stride_;
  const auto sectors = static_cast<std::uint32_t>((std::uint64_t{1} << g.sectors_per_page()) - 1);
  if (first.chip >= g.chips_per_channel || lun_of(first) >= g.dies_per_chip) return false;
  for (std::uint32_t i = 0; i < group.count; ++i) {
    const FlashDescriptor& d = group.planes[i];
    if (d.chip != first.chip || lun_of(d) != lun_of(first) || d.op != first.op) return false;
    if ((d.flags & (flash_flag::slc_mode | flash_flag::oob_words)) != 0) return false;
    if (group.op() == FlashOp::read || group.op() == FlashOp::program) {
      if (d.buffer + page > dram_size_ || (d.sector_mask & ~sectors) != 0) return false;
    } else if (group.op() != FlashOp::erase && group.op() != FlashOp::reset) {
      return false;
    }
  }
  return true;
}

void RtlFlashController::reject(const Group& group, TimePs at) {
  statistics_.rejected_descriptors += group.count;
  for (std::uint32_t p = 0; p < group.count; ++p) {
    FlashCompletion completion;
    completion.cookie = group.planes[p].cookie;
    completion.result = flash_result::fail;
    post(completion, at);
  }
}

void RtlFlashController::count(const Group& group) {
  if (group.op() == FlashOp::read) statistics_.reads += group.count;
  if (group.op() == FlashOp::program) statistics_.programs += group.count;
  if (group.op() == FlashOp::erase) statistics_.erases += group.count;
}

void RtlFlashController::interrupt(std::uint32_t source, TimePs at) {
  sc_core::sc_time delay = hw::to_sc_time(at - hw::kernel_now());
  irq_access_.write(irq, reg::intc::trigger, source, delay);
}

void RtlFlashController::post(const FlashCompletion& completion, TimePs visible_at) {
  interrupt(reg::irq::flash0 + config_.channel, rings_.post(completion, visible_at));
}

// --- operations ---

/// When the data of the host are in DRAM: those of a DMA ring come in order, so the newest fence tells.
/// It may not be known yet; then it is asked again later.
TimePs RtlFlashController::start_of(const Group& group) const {
  TimePs start = group.due;
  if (group.op() != FlashOp::program || dma_fence.size() == 0) return start;
  for (std::uint32_t p = 0; p < group.count; ++p) {
    const std::uint32_t fence = group.planes[p].fence;
    if (fence == 0) continue;
    const TimePs done = dma_fence->done_at(fence);
    start = std::max(start, done == kNever ? hw::kernel_now() + us(1) : done);
  }
  return start;
}

/// When DRAM has given or taken the page data of a descriptor.
TimePs RtlFlashController::ask_dram(const FlashDescriptor& d, bool write, TimePs at) {
  if (config_.dram_port == nullptr || config_.dram_port->ample()) return at;
  const std::uint32_t sector = config_.geometry.sector_size;
  const Span span = span_of(d.sector_mask);
  const std::uint64_t begin =
      nominal_address(d.buffer, config_.data_mode, sector) + std::uint64_t{span.first} * sector;
  return config_.dram_port->reserve(
      {begin, std::uint64_t{span.sectors} * sector, at, hw::DramMaster::flash, write});
}

/// Asks for the data of a program, once; all of them are in the page buffer before it begins.
TimePs RtlFlashController::fetch(Group& group, TimePs at) {
  if (group.op() != FlashOp::program || group.fetched) return at;
  group.fetched = true;
  for (std::uint32_t p = 0; p < group.count; ++p) {
    group.due = std::max(group.due, ask_dram(group.planes[p], false, at));
  }
  return std::max(at, group.due);
}

void RtlFlashController::start_due() {
  const TimePs now = hw::kernel_now();
  TimePs next = kNever;
  for (Die& die : dies_) {
    if (die.busy || die.waiting.empty()) continue;
    TimePs start = start_of(die.waiting.front());
    if (start <= now) start = fetch(die.waiting.front(), now);
    if (start <= now) {
      begin(die);
    } else {
      next = std::min(next, start);
    }
  }
  if (next != kNever) hw::notify_at(start_, next);
}

void RtlFlashController::begin(Die& die) {
  die.running = die.waiting.front();
  die.waiting.pop_front();
  die.busy = true;
  const Group& group = die.running;
  for (std::uint32_t p = 0; p < group.count; ++p) {
    const FlashDescriptor& d = group.planes[p];
    const bool moves = group.op() == FlashOp::read || group.op() == FlashOp::program;
    const Span span = moves ? span_of(d.sector_mask) : Span();
    RtlCore::Load load;
    load.operation = rtl_operation(group.op());
    load.die = group.die;
    load.chip = d.chip;
    load.plane = p;
    load.last = p + 1 == group.count;
    load.row = d.row;
    load.column =
        (span.sectors == 0 ? config_.geometry.sectors_per_page() : span.first) * config_.geometry.sector_size;
    load.length = span.sectors * config_.geometry.sector_size;
    if (group.op() == FlashOp::program) fill(group, p);
    core_->load(load);
  }
}

/// DRAM to the page buffer.
void RtlFlashController::fill(const Group& group, std::uint32_t plane) {
  const FlashDescriptor& d = group.planes[plane];
  hw::PageBytes& page = buffer(group.die, plane);
  page.clear();
  page.words[0] = d.oob;
  for (std::uint32_t s = 0; s < config_.geometry.sectors_per_page(); ++s) {
    if ((d.sector_mask >> s & 1u) == 0) continue;
    std::memcpy(page.sectors() + s * stride_, dram_ + d.buffer + s * stride_, stride_);
  }
}

/// The page buffer to DRAM, through ECC; returns when they are there.
TimePs RtlFlashController::store(const Group& group, std::uint32_t plane, FlashCompletion& completion) {
  const FlashDescriptor& d = group.planes[plane];
  hw::PageBytes& page = buffer(group.die, plane);
  const TimePs now = hw::kernel_now();
  for (std::uint32_t s = 0; s < config_.geometry.sectors_per_page(); ++s) {
    if ((d.sector_mask >> s & 1u) == 0) continue;
    std::memcpy(dram_ + d.buffer + s * stride_, page.sectors() + s * stride_, stride_);
  }
  hw::EccInput input;
  input.bytes = span_of(d.sector_mask).sectors * config_.geometry.sector_size;
  input.at = now;
  input.sectors = d.sector_mask;
  statistics_.page_bytes_out += input.bytes;
  completion.ecc_ps = ecc_stage.size() == 0 ? 0 : ecc_stage->decode(input).latency;
  completion.status = onfi::status::idle;
  completion.oob = page.words[0];
  if (completion.oob == ~std::uint64_t{0}) completion.result = flash_result::blank;
  if (completion.oob == hw::PageBytes::kUndecodable) {
    completion.oob = ~std::uint64_t{0};
    completion.result = flash_result::uncorrectable;
    completion.failed_sectors = d.sector_mask;
  }
  const TimePs decoded = now + completion.ecc_ps;
  const TimePs there = std::max(decoded, ask_dram(d, true, decoded));
  completion.bus_wait_ps += there - decoded;
  return there;
}

/// The operation's own tenures and array time are known; what is left since the doorbell was waiting.
FlashCompletion RtlFlashController::timed(const Group& group) const {
  const TimePs now = hw::kernel_now();
  const TimePs total = now - group.accepted;
  FlashCompletion completion;
  completion.bus_ps = group.bus + (bus_since_ == 0 ? 0 : now - bus_since_);
  completion.array_ps = std::min(group.ready_at - group.command_end, total - completion.bus_ps);
  completion.bus_wait_ps = total - completion.bus_ps - completion.array_ps;
  return completion;
}

// --- the Verilog's side ---

std::uint8_t RtlFlashController::byte_to_program(std::uint32_t die, std::uint32_t plane,
                                                 std::uint32_t column) {
  const hw::PageBytes& page = buffer(die, plane);
  return page.has(column) ? page.read(column) : std::uint8_t{0xFF};
}

void RtlFlashController::take_byte(std::uint32_t die, std::uint32_t plane, std::uint32_t column,
                                   std::uint8_t byte) {
  hw::PageBytes& page = buffer(die, plane);
  if (page.has(column)) page.write(column, byte);
}

void RtlFlashController::on_result(const RtlCore::Result& result) {
  Die& die = dies_[result.die];
  const Group& group = die.running;
  FlashCompletion completion = timed(group);
  completion.cookie = group.planes[result.plane].cookie;
  TimePs visible_at = hw::kernel_now();
  if (group.op() == FlashOp::read) {
    visible_at = store(group, result.plane, completion);
  } else {
    completion.status = result.status;
    if ((result.status & onfi::status::fail) != 0) completion.result = flash_result::fail;
  }
  post(completion, visible_at);
  has_result_ = true;
  if (!result.last) return;
  die.busy = false;
  bus_since_ = 0;
  hw::notify_at(start_, hw::kernel_now());
}

void RtlFlashController::on_bus(std::uint32_t die, bool taken, bool serves) {
  const TimePs now = hw::kernel_now();
  Group& group = dies_[die].running;
  if (taken) {
    bus_since_ = now;
    has_result_ = false;
    if (serves && group.ready_at == 0) group.ready_at = now; // unless it is only asked
    return;
  }
  if (bus_since_ == 0) return; // the operation has ended
  group.bus += now - bus_since_;
  bus_since_ = 0;
  if (!serves) group.command_end = now;
  if (serves && !has_result_) group.ready_at = 0;
}

/// Data count when the die has them, as there.
void RtlFlashController::on_array_start(std::uint32_t die) {
  const Group& group = dies_[die].running;
  for (std::uint32_t p = 0; p < group.count && group.op() == FlashOp::program; ++p) {
    statistics_.page_bytes_in +=
        std::uint64_t{span_of(group.planes[p].sector_mask).sectors} * config_.geometry.sector_size;
  }
}

void RtlFlashController::on_ready(std::uint32_t chip) {
  for (std::uint32_t d = 0; d < config_.geometry.dies_per_channel(); ++d) {
    Die& die = dies_[d];
    const bool waits = die.busy && die.running.command_end != 0 && die.running.ready_at == 0;
    if (waits && die.running.planes[0].chip == chip) die.running.ready_at = hw::kernel_now();
  }
}

} // namespace twinplane::example
