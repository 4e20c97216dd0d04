#include "hw/host_if/host_interface.h"

#include <algorithm>
#include <string>

#include "hw/core/block_error.h"
#include "hw/core/granted_dram.h"
#include "hw/spec/registers.h"

namespace twinplane::hw {

const char* HostInterface::check(const HostInterfaceConfig& config) {
  if (config.max_queue_entries < 2 || config.max_queue_entries > 65536) {
    return "host.queue_size must be 2 to 65536 entries";
  }
  if (config.max_io_queues < 1 || config.max_io_queues > 1023) return "host.queues must be 1 to 1023";
  if (config.max_slots < 1 || config.max_slots >= kNoSlot) return "host.slots must be 1 to 65534";
  if (config.sector_size < 512) return "geometry.sector_size must be 512 bytes or more";
  if (config.pcie.tags < 1 || config.pcie.tags > 256) return "pcie.tags must be 1 to 256";
  return PcieLink::check(config.pcie);
}

HostInterface::HostInterface(const sc_core::sc_module_name& name, const HostInterfaceConfig& config)
    : FrontEndBlock(name),
      config_(config),
      link_(config.pcie),
      host_(dma, config.host_waits),
      queues_(QueueLimits{config.max_io_queues, config.max_queue_entries, config.max_io_queues + 1}),
      slots_(config.max_slots),
      interrupts_(host_, link_, queues_, config.max_io_queues + 1),
      path_{host_, link_, queues_, slots_, interrupts_},
      poster_(path_),
      dma_engine_(DmaConfig{config.sector_size, config.data_mode}, path_, poster_,
                  config.dram_port != nullptr ? *config.dram_port : own_dram_port_),
      fetch_engine_(FetchPath{host_, link_, queues_, slots_, command_ring_}, config.sector_size),
      shadow_doorbells_(ShadowDoorbells::Path{host_, link_, queues_}, doorbell_user()) {
  require_picoseconds(this->name());
  bar.bind(bar_calls_);
  device.bind(device_calls_);
  fence.bind(dma_engine_);
  interrupts_.set_control(config.msix_enabled ? pci::msix::enable : 0, 0);
  SC_HAS_PROCESS(HostInterface);
  SC_METHOD(on_wake);
  sensitive << wake_;
  dont_initialize();
  poster_.on_held([this](std::uint32_t cqid, TimePs at) { shadow_doorbells_.wait_for_head(cqid, at); });
  dma_engine_.on_progress([this] { after_dma(kernel_now()); });
  fetch_engine_.on_fetched([this](TimePs notice) { after_fetch(notice); });
  if (config.host_waits) {
    start_threads();
  } else {
    SC_METHOD(on_doorbells);
    sensitive << shadow_doorbells_.due();
    dont_initialize();
  }
}

/// What may be made to wait in the host's b_transport.
void HostInterface::start_threads() {
  sc_core::sc_spawn([this] { fetch_engine_.serve(); }, "fetch");
  sc_core::sc_spawn([this] { send_posted(); }, "posted");
  const auto doorbells = [this] {
    for (;;) {
      sc_core::wait(shadow_doorbells_.due());
      shadow_doorbells_.serve(true);
    }
  };
  sc_core::sc_spawn(doorbells, "doorbells");
  sc_core::sc_spawn([this] { dma_engine_.serve_to_host(); }, "to_host");
  for (std::uint32_t i = 0; i < config_.pcie.tags; ++i) {
    sc_core::sc_spawn([this] { dma_engine_.serve_to_device(); }, ("to_device" + std::to_string(i)).c_str());
  }
}

void HostInterface::send_posted() {
  for (;;) {
    while (host_.posted_writes() == 0) sc_core::wait(host_.posted());
    poster_.on_written(host_.send_posted());
    arm();
  }
}

/// The ring has come on: somebody may wait for its notice, or for a slot.
void HostInterface::after_dma(TimePs at) {
  if (const TimePs next = dma_engine_.next_notice(); next != kNever) raise(reg::irq::host_dma, next);
  if (fetch_engine_.starved()) fetch(std::max(at, dma_engine_.last_done()));
  arm();
}

void HostInterface::after_fetch(TimePs notice) {
  if (notice != kNever) raise(reg::irq::host_command, notice);
  fetch(kernel_now());
}

void HostInterface::end_of_elaboration() {
  irq_port_ = RegisterPort(irq.operator->());
  host_.bind_message_port();
  if (agenda.size() != 0) {
    ahead_ = &agenda->run_ahead();
    host_.bind_run_ahead(*ahead_);
  }
  const GrantedDram granted = granted_dram(dram);
  const auto bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(granted.bytes, 0xFFFF'FFFFu));
  command_ring_.set_memory(granted.memory, bytes);
  dma_engine_.set_memory(granted.memory, bytes);
}

void HostInterface::on_invalidate(sc_dt::uint64 start, sc_dt::uint64 end) {
  host_.invalidate(start, end);
}

std::vector<QueueLevel> HostInterface::queue_levels() const {
  std::vector<QueueLevel> levels;
  for (std::uint32_t id = 0; id < queues_.count(); ++id) {
    if (queues_.has_sq(id)) {
      const SubmissionQueue& q = queues_.sq(id);
      levels.push_back({true, id, q.entries, q.head, q.tail, q.pending, q.cqid});
    }
    if (queues_.has_cq(id)) {
      const CompletionQueue& q = queues_.cq(id);
      levels.push_back({false, id, q.entries, q.head, q.tail, static_cast<std::uint32_t>(q.held.size()), id});
    }
  }
  return levels;
}

FrontEndStatistics HostInterface::statistics() const {
  FrontEndStatistics s;
  s.fetched = fetch_engine_.fetched();
  s.completed = poster_.posted();
  s.held_completions = poster_.held();
  s.bytes_in = dma_engine_.bytes_in();
  s.bytes_out = dma_engine_.bytes_out();
  s.link_bytes_up = link_.bytes_up();
  s.link_bytes_down = link_.bytes_down();
  s.link_busy_up = link_.busy_up();
  s.link_busy_down = link_.busy_down();
  s.in_flight_time = poster_.in_flight_time();
  s.interrupts = interrupts_.messages();
  s.bad_doorbells = bad_doorbells_;
  s.firmware_faults = dma_engine_.faults();
  s.activations = activations_;
  return s;
}

void HostInterface::raise(std::uint32_t source, TimePs at) {
  TimePs when = std::max(at, kernel_now());
  if (!irq_port_.write(irq_access_, reg::intc::trigger, source, when))
    irq_access_.report(irq.get_base_port(), at);
}

void HostInterface::post_event(std::uint32_t bits, TimePs at) {
  event_ |= bits;
  raise(reg::irq::host_event, at);
}

void HostInterface::fetch(TimePs at) {
  const TimePs visible = fetch_engine_.run(at);
  if (fetch_engine_.broken()) fatal_ = true;
  if (visible != kNever) raise(reg::irq::host_command, visible);
  arm();
}

// A later notification is ignored by the kernel and an earlier one leaves a dead entry in its queue, so
// notify only when the wake-up moves forward.
void HostInterface::wake_up_at(TimePs at) {
  const TimePs now = kernel_now();
  wake_at_ = at;
  host_.notify(wake_, to_sc_time(std::max(at, now) - now));
}

void HostInterface::on_wake() {
  ++activations_;
  wake_at_ = kNever;
  const TimePs now = kernel_now();
  if (interrupts_.due() <= now) {
    const bool level = interrupts_.service(now);
    if (level != pin_) intx.write(pin_ = level);
  }
  if (fetch_engine_.due() <= now) {
    fetch(now);
  } else {
    arm();
  }
}

} // namespace twinplane::hw
