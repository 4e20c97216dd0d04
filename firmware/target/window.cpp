#include "firmware/target/window.h"

#include "firmware/ftl/issue_observer.h"
#include "firmware/ftl/zero_time_writer.h"
#include "firmware/hal/work_mark.h"
#include "firmware/nvme/command_observer.h"
#include "firmware/target/target_hal.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::fw {

volatile WorkFor WorkMark::current = WorkFor::turn;

namespace target {

namespace {

Firmware* firmware_of_image = nullptr;

/// Bytes that go to, or come from, the caller outside.
class WindowVisitor final : public StateVisitor {
 public:
  explicit WindowVisitor(bool loading) : loading_(loading) {}
  [[nodiscard]] bool loading() const override { return loading_; }
  void section(const char* name) override { send(StateKind::section, name, 0); }
  void bytes(void* data, std::size_t size) override { send(StateKind::bytes, data, size); }
  void refuse(const char* why) override { send(StateKind::refuse, why, 0); }

 private:
  static void send(StateKind kind, const void* data, std::size_t size) {
    const StateMessage message{kind, static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(data)),
                               static_cast<std::uint32_t>(size)};
    tell(debug::state, &message);
  }
  bool loading_;
};

class Commands final : public CommandObserver {
 public:
  void on_command_done(const Command& command, std::uint64_t now_ps) override {
    const CommandMessage message{command.seen_ps, now_ps, command.breakdown, command.sqe.cid, command.sqid};
    tell(debug::command, &message);
  }
};

class Issues final : public IssueObserver {
 public:
  void on_issue(const Transaction& transaction, std::uint64_t now_ps) override {
    if (transaction.request == nullptr) return;
    const auto& command = static_cast<const Command&>(*transaction.request); // see firmware/nvme/command.h
    const IssueMessage message{now_ps, command.sqe.cid, command.sqid, transaction.index};
    tell(debug::issue, &message);
  }
};

class Work final : public WorkProbe {
 public:
  void on_seen(std::uint32_t slot, std::uint64_t now_ps) override { send({Kind::seen, slot, 0, 0, now_ps}); }
  void on_refused(std::uint32_t plane, HeldReason why) override {
    send({Kind::refused, plane, static_cast<std::uint32_t>(why)});
  }
  void on_issue(const IssuedWork& work) override { send({Kind::issue, 0, 0, address_of(work)}); }
  void on_doorbells(std::uint64_t channels, std::uint64_t now_ps) override {
    send({Kind::doorbells, 0, 0, 0, now_ps, channels});
  }
  void on_done(std::uint32_t index, std::uint32_t plane, std::uint64_t ecc_ps,
               std::uint64_t now_ps) override {
    send({Kind::done, index, plane, 0, now_ps, ecc_ps});
  }
  void on_dependency(const WaitingWork& work) override { send({Kind::dependency, 0, 0, address_of(work)}); }
  void on_dependency_over(std::uint32_t index, std::uint64_t now_ps) override {
    send({Kind::dependency_over, index, 0, 0, now_ps});
  }
  void on_space(std::uint32_t die, bool short_of_it, std::uint64_t now_ps) override {
    send({Kind::space, die, short_of_it ? 1u : 0u, 0, now_ps});
  }
  void on_page_buffers(bool short_of_them, std::uint64_t now_ps) override {
    send({Kind::page_buffers, 0, short_of_them ? 1u : 0u, 0, now_ps});
  }
  void on_waiting(const WaitingWork& work) override { send({Kind::waiting, 0, 0, address_of(work)}); }

 private:
  using Kind = WorkMessage::Kind;

  template <class T>
  static std::uint32_t address_of(const T& work) {
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(&work));
  }
  static void send(const WorkMessage& message) { tell(debug::work, &message); }
};

Commands commands;
Issues issues;
Work work_probe;

Ftl& ftl() {
  return firmware_of_image->ftl();
}

template <class T>
T& window_memory() {
  return *reinterpret_cast<T*>(std::uintptr_t{kWindow});
}

// --- the calls, in the order of their numbers ---

std::uint64_t exported_sectors() {
  return ftl().exported_sectors();
}
const FtlStatistics* statistics() {
  return &ftl().statistics();
}
const char* store(std::uint32_t lpn, const std::uint8_t* payload) {
  return ftl().zero_time_writer().store(lpn, payload);
}
const char* write(std::uint32_t lpn, const std::uint8_t* payload) {
  return ftl().zero_time_writer().write(lpn, payload);
}
const char* age() {
  return ftl().zero_time_writer().age(window_memory<double>());
}
const char* scatter() {
  return ftl().zero_time_writer().scatter(window_memory<std::uint64_t>());
}
void end_functional() {
  ftl().functional_end();
}
std::uint32_t quiesce() {
  return ftl().quiesce() ? 1 : 0;
}
std::uint32_t cache_level(std::uint32_t plane, std::uint32_t block) {
  return ftl().cache_level(plane, block);
}
std::uint32_t flash_under_way(std::uint32_t channel) {
  return ftl().flash_under_way(channel);
}
std::uint32_t flash_completed(std::uint32_t channel) {
  return ftl().flash_completed(channel);
}
std::uint32_t dma_posted() {
  return firmware_of_image->host_port().posted();
}
const RecoveryCounters* recovery() {
  return &ftl().recovery();
}
const HealthCounters* health() {
  return &firmware_of_image->nvme().health();
}
void dram_use() {
  window_memory<DramUse>() = firmware_of_image->dram_use();
}
void serialise(std::uint32_t loading) {
  WindowVisitor visitor(loading != 0);
  firmware_of_image->serialise(visitor);
}
const BringUpTimes* bring_up() {
  return &ftl().bring_up();
}

std::uint32_t class_of_plane(std::uint32_t plane) {
  return ftl().class_of_plane(plane);
}
void tell_waiting() {
  ftl().tell_waiting(work_probe);
}
const char* write_packed(const std::uint8_t* payload) {
  return ftl().zero_time_writer().write_packed(&window_memory<std::uint32_t>(), payload);
}

} // namespace

extern "C" {
extern const char window_begins[]; // of the section .window, from the linker script
extern const char window_ends[];
extern const ProbePoint probes_begin[]; // of the section .probes
extern const ProbePoint probes_end[];

/// ImageHeader, with functions for their addresses, which no constant can be made of.
extern const struct Header {
  std::uint32_t magic, hal_version, layout;
  const char* window_begin;
  const char* window_end;
  volatile WorkFor* work_mark;
  const ProbePoint* probes_begin;
  const ProbePoint* probes_end;
  // the calls, in the order of their numbers
  decltype(exported_sectors)* exported;
  decltype(statistics)* statistics_at;
  decltype(store)* stores[2]; // write is like it
  decltype(age)* ages[2];     // ... and scatter
  decltype(end_functional)* ends;
  decltype(quiesce)* quiesces;
  decltype(cache_level)* level;
  decltype(flash_under_way)* flash[2]; // under way, completed
  decltype(dma_posted)* posted;
  decltype(recovery)* recovery_at;
  decltype(health)* health_at;
  decltype(dram_use)* use;
  decltype(serialise)* serialises;
  decltype(bring_up)* bring_up_at;
  decltype(class_of_plane)* plane_class;
  decltype(tell_waiting)* waiting;
  decltype(write_packed)* packed;
} image_header;
static_assert(sizeof(void*) != 4 || sizeof(Header) == sizeof(ImageHeader));

__attribute__((section(".header"), used))
const Header image_header = {kImageMagic,      kHalVersion,
                             layout(),         window_begins,
                             window_ends,      &WorkMark::current,
                             probes_begin,     probes_end,
                             exported_sectors, statistics,
                             {store, write},   {age, scatter},
                             end_functional,   quiesce,
                             cache_level,      {flash_under_way, flash_completed},
                             dma_posted,       recovery,
                             health,           dram_use,
                             serialise,        bring_up,
                             class_of_plane,   tell_waiting,
                             write_packed};
}

void open_window(Firmware& firmware) {
  firmware_of_image = &firmware;
  firmware.attach(commands);
  firmware.ftl().attach(issues);
}
void window_for_work(Firmware& firmware) {
  firmware.ftl().attach(work_probe);
}

} // namespace target
} // namespace twinplane::fw
