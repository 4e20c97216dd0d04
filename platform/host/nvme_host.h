// A host with an NVMe driver: brings the drive up as Linux does (NVMe 1.4 section 7.6.1), keeps queue pairs
// in its memory, submits commands, takes MSI-X interrupts and verifies what it reads against a shadow.
//
// The driver costs no time: a command is in the queue at the instant of submit(), its doorbell is rung
// by ring_doorbells(); completions are taken at the instant their interrupt arrives. One call of its timer
// (host_timer.h) serves all completions of an instant. Completion entries count as visible when the interrupt
// that followed them arrives, also where the device wrote them ahead of simulated time through DMI.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include "hw/core/target_socket.h"
#include "hw/spec/data_mode.h"
#include "hw/spec/nvme.h"
#include "hw/spec/state_visitor.h"
#include "platform/host/admin_queue.h"
#include "platform/host/drive_registers.h"
#include "platform/host/host_client.h"
#include "platform/host/host_memory.h"
#include "platform/host/host_queue.h"
#include "platform/host/host_timer.h"
#include "platform/host/shadow.h"

namespace twinplane::platform {

struct NvmeHostConfig {
  std::uint32_t queues = 1;                // I/O queue pairs
  std::uint32_t queue_size = 1024;         // entries; the drive's CAP.MQES may lower it
  std::vector<std::uint8_t> priorities;    // QPRIO per queue (0 urgent .. 3 low), repeated; empty: all 0
  bool weighted = false;                   // CC.AMS = 1
  std::uint32_t arbitration = 0;           // feature 01h CDW11, set when not 0
  std::uint32_t coalescing = 0;            // feature 08h CDW11, set when not 0
  std::uint32_t max_transfer = 128u << 10; // bytes; the drive's MDTS may lower it; at most 2 MiB
  std::uint32_t max_commands = 4096;       // in flight over all queues, at most 65536
  std::uint32_t async_events = 1;          // requests kept outstanding
  DataMode data_mode = DataMode::tag;      // none: nothing is stamped or verified
  std::uint32_t trim_unit = 0;             // sectors; see ShadowConfig
  bool power_cuts = false;                 // see ShadowConfig
  bool answered_is_durable = true;
};

struct NvmeHostStatistics {
  std::uint64_t submitted = 0;
  std::uint64_t completed = 0;
  std::uint64_t failed = 0; // completed with an error status
  std::uint64_t interrupts = 0;
  std::uint64_t activations = 0; // instants at which completions were taken
  std::uint64_t async_events = 0;
  TimePs latency_sum = 0;       // of completed commands: over a span, span * mean commands outstanding
  TimePs shutdown = 0;          // from CC.SHN to CSTS.SHST = complete
  TimePs shutdown_promised = 0; // RTD3E of Identify, or what stands for it
};

class NvmeHost : public sc_core::sc_module, public hw::BlockingTarget<>, public hw::RegisterTarget {
 public:
  tlm_utils::simple_initiator_socket<NvmeHost> bar{"bar"};
  tlm::tlm_target_socket<32, tlm::tlm_base_protocol_types, 0> memory{"memory"};

  NvmeHost(const sc_core::sc_module_name& name, const NvmeHostConfig& config);
  ~NvmeHost() override;

  /// Before simulation starts, or in a call of the client that was bound before.
  void bind(HostClient& client) { client_ = &client; }
  /// From then on its completions are taken by a worker of the drive's event queue. Before simulation starts.
  void act_with(hw::EventQueue& event_queue) { timer_.act_with(event_queue); }
  /// When the host acts: the kernel's time, or ahead of it with the drive.
  TimePs now() const { return timer_.now(); }
  /// Ends the simulation at now().
  void stop() { timer_.notify(stop_); }
  /// The drive was preconditioned: what its first sectors, or these pages, hold
  /// (ShadowConfig::filled_sectors). Before simulated time passes.
  void expect_filled(std::uint64_t sectors) { filled_sectors_ = sectors; }
  void expect_filled(std::vector<bool> pages, std::uint32_t sectors_per_page) {
    filled_pages_ = std::move(pages);
    page_sectors_ = sectors_per_page;
  }
  /// Another host has used the drive, and what it has written is not known. Before simulated time passes.
  void expect_foreign_data() { foreign_ = true; }
  bool expects_foreign_data() const { return foreign_; }
  /// The I/O queues are dealt out among so many shares; a command goes to those of its own. Before simulation
  /// starts; at most as many as there are queues.
  void share_queues(std::uint32_t shares);
  /// The supply will fail in this power cycle, or has failed before. Before simulation starts.
  void expect_power_cuts() { config_.power_cuts = true; }
  bool expects_power_cuts() const { return config_.power_cuts; }
  /// The drive's supply fails, and nothing follows: no completion is taken any more.
  void power_lost(bool trims_kept);
  /// After power_lost(), or before the simulation starts in the next power cycle: what the host knows
  /// of its data.
  void serialise(StateVisitor& state);

  // --- after HostClient::on_ready() ---
  std::uint64_t capacity_sectors() const { return capacity_; }
  std::uint32_t sector_size() const { return sector_size_; }
  std::uint32_t max_sectors() const { return max_sectors_; } // per read or write command
  /// Puts a command into the next queue with room; false when there is none (try again after a completion).
  bool submit(const HostCommand& command);
  /// Announces what was submitted. Called by the driver itself after each batch of completions.
  void ring_doorbells();
  /// Deletes the queues and shuts the controller down; call when nothing is in flight.
  void request_shutdown() { timer_.notify(shutdown_requested_); }

  /// Runs one admin command; only from SC_THREAD context (tests). `data` of `bytes` <= 4096 goes to or comes
  /// from the drive. Returns the completion entry.
  nvme::Cqe admin(const nvme::Sqe& sqe, void* data = nullptr, std::uint32_t bytes = 0) {
    return admin_.run(sqe, data, bytes);
  }

  const std::uint8_t* identify_controller() const { return identify_controller_.data(); }
  const NvmeHostStatistics& statistics() const { return statistics_; }
  std::uint32_t outstanding() const { return outstanding_; }
  /// Of the kernel, for completions.
  std::uint64_t kernel_events() const { return timer_.events(); }
  /// Null in data mode none and before on_ready().
  const Shadow* shadow() const { return shadow_.get(); }
  Shadow* shadow() { return shadow_.get(); }
  /// Result of the newest asynchronous event.
  std::uint32_t last_async_event() const { return admin_.last_event(); }

 private:
  struct Tag {
    std::uint64_t buffer = 0; // host address, page aligned
    std::uint64_t list = 0;   // prebuilt PRP list of its second page and on
    std::uint8_t* data = nullptr;
    TimePs submitted = 0;
    HostCommand command;
    std::uint64_t flush_mark = 0; // see Shadow
    std::uint32_t queue = 0;
    std::uint16_t next_free = 0;
  };

  // bring-up and shutdown (nvme_bring_up.cpp)
  void life();
  void bring_up();
  void enable_controller();
  void identify();
  void set_features();
  void create_queues();
  void give_doorbell_buffers();
  void create_buffers();
  void shut_down();
  void write32(std::uint32_t offset, std::uint32_t value) { registers_.write32(offset, value, now()); }

  // I/O (nvme_host.cpp)
  void end_of_elaboration() override { registers_.connect(bar.operator->()); }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;
  bool read32(std::uint64_t, std::uint32_t&, TimePs&) override { return false; }
  bool write32(std::uint64_t address, std::uint32_t value, TimePs& at) override;
  void on_message(std::uint32_t vector, TimePs at);
  void on_timer() { timer_.on_event(); }
  void on_interrupt();
  void end_simulation() { sc_core::sc_stop(); }
  void complete(HostQueue& queue, const nvme::Cqe& entry, TimePs at);
  HostQueue* queue_with_room(std::uint32_t share);
  void tell(std::uint32_t doorbell, std::uint32_t entries, std::uint32_t old, std::uint32_t value);
  void fill(nvme::Sqe& sqe, std::uint16_t number, Tag& tag);
  void point_at_data(nvme::Sqe& sqe, const Tag& tag, std::uint32_t bytes) const;
  void before_submission(std::uint16_t number, Tag& tag);
  void after_completion(std::uint16_t number, Tag& tag, bool succeeded);
  std::unique_ptr<Shadow> make_shadow(std::uint64_t sectors) const;
  std::uint32_t* snapshots(std::uint16_t number) {
    return snapshots_.data() + std::size_t{number} * max_sectors_;
  }

  NvmeHostConfig config_;
  HostClient* client_ = nullptr;
  std::unique_ptr<HostMemory> memory_;
  std::vector<HostQueue> queues_; // [0] = admin pair
  std::vector<Tag> tags_;
  std::uint32_t first_free_ = 0;
  std::uint32_t free_tags_ = 0;
  std::vector<std::uint32_t> next_queue_{1}; // of each share
  std::uint32_t outstanding_ = 0;
  bool foreign_ = false; // what is on the drive when this host comes
  std::uint64_t filled_sectors_ = 0;
  std::vector<bool> filled_pages_;
  std::uint32_t page_sectors_ = 1;
  std::unique_ptr<Shadow> shadow_;
  std::vector<std::uint32_t> snapshots_; // per tag and sector
  DriveRegisters registers_;

  HostTimer timer_{"interrupt", [this] { on_interrupt(); }};
  sc_core::sc_event stop_{"stop"};
  AdminQueue admin_{queues_, timer_, [this] { ring_doorbells(); }};
  sc_core::sc_event shutdown_requested_{"shutdown_requested"};
  bool lost_ = false; // the drive has no power

  std::uint32_t* doorbells_ = nullptr; // in memory, and then
  std::uint32_t* events_ = nullptr;    // EventIdx
  std::uint64_t capabilities_ = 0;
  std::uint64_t capacity_ = 0;
  std::uint32_t sector_size_ = 0;
  std::uint32_t max_sectors_ = 0;
  std::vector<std::uint8_t> identify_controller_;
  NvmeHostStatistics statistics_;
};

} // namespace twinplane::platform
