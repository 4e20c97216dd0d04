#include "hw/host_if/front_end.h"

namespace twinplane::hw {

FrontEnd::FrontEnd(FrontEndBlock& block, const HostInterfaceConfig& config)
    : link(config.pcie),
      host(block.dma, config.host_waits),
      queues(QueueLimits{config.max_io_queues, config.max_queue_entries, config.max_io_queues + 1}),
      slots(config.max_slots),
      interrupts(host, link, queues, config.max_io_queues + 1),
      path{host, link, queues, slots, interrupts},
      poster(path),
      dma_engine(DmaConfig{config.sector_size, config.data_mode}, path, poster,
                 config.dram_port != nullptr ? *config.dram_port : own_dram_port),
      fetch_engine(FetchPath{host, link, queues, slots, command_ring}, config.sector_size),
      block_(block) {
  dma_engine.on_progress([this] { after_dma(kernel_now()); });
  fetch_engine.on_fetched([this](TimePs notice) { after_fetch(notice); });
}

void FrontEnd::connect(const GrantedDram& granted, RunAhead* run_ahead) {
  irq_port_ = RegisterPort(block_.irq.operator->());
  host.bind_message_port();
  ahead = run_ahead;
  if (ahead != nullptr) host.bind_run_ahead(*ahead);
  const auto bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(granted.bytes, 0xFFFF'FFFFu));
  command_ring.set_memory(granted.memory, bytes);
  dma_engine.set_memory(granted.memory, bytes);
}

void FrontEnd::send_posted() {
  for (;;) {
    while (host.posted_writes() == 0) sc_core::wait(host.posted());
    poster.on_written(host.send_posted());
    arm();
  }
}

void FrontEnd::after_dma(TimePs at) {
  raise_dma();
  if (fetch_engine.starved()) fetch(std::max(at, dma_engine.last_done()));
  arm();
}

void FrontEnd::after_fetch(TimePs notice) {
  if (notice != kNever) raise(reg::irq::host_command, notice);
  fetch(kernel_now());
}

void FrontEnd::fetch(TimePs at) {
  const TimePs visible = fetch_engine.run(at);
  if (fetch_engine.broken()) fatal = true;
  if (visible != kNever) raise(reg::irq::host_command, visible);
  arm();
}

void FrontEnd::raise(std::uint32_t source, TimePs at) {
  TimePs when = std::max(at, kernel_now());
  if (!irq_port_.write(irq_access_, reg::intc::trigger, source, when))
    irq_access_.report(block_.irq.get_base_port(), at);
}

// A later notification is ignored by the kernel and an earlier one leaves a dead entry in its queue, so
// notify only when the wake-up moves forward.
void FrontEnd::wake_up_at(TimePs at) {
  const TimePs now = kernel_now();
  wake_at_ = at;
  host.notify(wake_, to_sc_time(std::max(at, now) - now));
}

bool FrontEnd::serve(bool pin) {
  wake_at_ = kNever;
  const TimePs now = kernel_now();
  if (interrupts.due() <= now) pin = interrupts.service(now);
  if (fetch_engine.due() <= now) {
    fetch(now);
  } else {
    arm();
  }
  return pin;
}

std::vector<QueueLevel> FrontEnd::queue_levels() const {
  std::vector<QueueLevel> levels;
  for (std::uint32_t id = 0; id < queues.count(); ++id) {
    if (queues.has_sq(id)) {
      const SubmissionQueue& q = queues.sq(id);
      levels.push_back({true, id, q.entries, q.head, q.tail, q.pending, q.cqid});
    }
    if (queues.has_cq(id)) {
      const CompletionQueue& q = queues.cq(id);
      levels.push_back({false, id, q.entries, q.head, q.tail, static_cast<std::uint32_t>(q.held.size()), id});
    }
  }
  return levels;
}

FrontEndStatistics FrontEnd::statistics() const {
  FrontEndStatistics s;
  s.fetched = fetch_engine.fetched();
  s.completed = poster.posted();
  s.held_completions = poster.held();
  s.bytes_in = dma_engine.bytes_in();
  s.bytes_out = dma_engine.bytes_out();
  s.link_bytes_up = link.bytes_up();
  s.link_bytes_down = link.bytes_down();
  s.link_busy_up = link.busy_up();
  s.link_busy_down = link.busy_down();
  s.in_flight_time = poster.in_flight_time();
  s.interrupts = interrupts.messages();
  s.firmware_faults = dma_engine.faults();
  return s;
}

} // namespace twinplane::hw
