// Flash controller of one channel: descriptor ring in, ONFI bus tenures out, completion ring back.
//
// Firmware that misuses the rings gets a bit in the ERROR register, an interrupt and a warning
// "twinplane.flash_controller", and the controller takes nothing more.
//
// Sockets and ports: hw/controller/controller_block.h. Without a fence bound, fences are ignored.
//
// Structure: one SC_METHOD, or worker of an agenda, per controller. Everything that wants the bus has a due
// time; the method arms itself at max(bus free, earliest due), grants the bus through the arbiter and starts
// the tenure. A tenure's end and the die's ready time are known when it starts, so completions are posted
// with a time stamp (visible-at) instead of an event. A doorbell that finds the bus idle starts its
// tenure at once. A read's data-out becomes due when R/B# rises, not when the read was issued, so
// the bus serves other dies during tR.
//
// Groups of one die run in ring order; dies run in parallel. With suspension configured (suspend.cpp)
// reads may pass a program or erase that has a long way to go, and what waits behind it. Consecutive
// pages in a die's FIFO can be read (cache_read.cpp) and programmed (cache_program.cpp) with cache commands.
// Reads of single planes can run beside each other (plane_reads.cpp), out of order among themselves. Pages
// that could not be corrected are read again at other read levels (read_retry.cpp). Page data take their
// share of the DRAM's bandwidth (dram_pacing.cpp). The pages of a wordline can be programmed in one pass
// (wordline_pass.cpp). What draws current can be asked for first (power_use.cpp). IDs, parameter page and
// features of a target are moved by target_commands.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "hw/controller/bus_waiters.h"
#include "hw/controller/controller_block.h"
#include "hw/controller/ecc.h"
#include "hw/controller/flash_group.h"
#include "hw/controller/functional_access.h"
#include "hw/controller/tenure_builder.h"
#include "hw/core/agenda.h"
#include "hw/core/bandwidth_port.h"
#include "hw/core/dma_fence.h"
#include "hw/core/power_grant.h"
#include "hw/core/register_access.h"
#include "hw/core/target_socket.h"
#include "hw/spec/bus_timing.h"

namespace twinplane::hw {

/// When a program or erase is interrupted for reads that wait for its die. With R the time of a read, an
/// operation is delayed by at most most_per_operation x (reads_at_a_time x R + suspend and resume).
struct SuspendConfig {
  bool enabled = false;
  TimePs gain = us(500);                 // suspend only when the operation has more than this to go
  std::uint32_t most_per_operation = 16; // suspends of one operation
  std::uint32_t reads_at_a_time = 16;    // read groups before it is resumed
};

/// What the parts draw at VCC, microamperes. Asked for before it is drawn.
struct PowerConfig {
  PowerGrant* grant = nullptr;                   // of the drive; null: nobody limits it
  std::int64_t read = 0, program = 0, erase = 0; // a plane
  double further_planes = 1;                     // each further plane of a command: share of that
  std::int64_t data_in = 0, data_out = 0;
};

struct FlashControllerConfig {
  std::uint32_t channel = 0;
  Geometry geometry;
  DataMode data_mode = DataMode::tag;
  std::string arbiter = "round_robin";
  TimePs age_limit = 0;            // of waits for the bus, see make_aged_arbiter(); 0: none
  bool poll_status = false;        // false: R/B# pin; true: status polling
  TimePs poll_interval = us(1);    // between two polls of one die
  TimePs ready_timeout = ms(1000); // a die that is busy for longer is an error
  EccConfig ecc;                   // of the engine that is inside, when nothing is bound to port `ecc_stage`
  std::uint32_t parity_per_sector = 0; // bytes that follow page data on the bus
  std::uint32_t max_groups = 1024;     // commands the controller holds
  SuspendConfig suspend;
  bool cache_reads = false;       // consecutive pages in a die's FIFO: 31h and 3Fh, tR runs beside data out
  bool independent_reads = false; // the parts read planes independently: reads of one page each overlap
  bool ddr = false;               // the bus: bytes of features go over it twice
  std::uint32_t read_retries = 0; // read levels that are tried for a page which cannot be corrected
  bool cache_programs = false;    // pages of one block in a die's FIFO: 15h, data in runs beside tPROG
  BandwidthPort* dram_port = nullptr; // of the DRAM that page data cross; null: it takes no time
  ByteTime data_in;                   // the bus: how fast it takes page data
  PowerConfig power;
};

class FlashController final : public ControllerBlock,
                              public BlockingTarget<>,
                              public RegisterTarget,
                              private Agenda::Worker,
                              private PowerGrant::Client {
 public:
  FlashController(const sc_core::sc_module_name& name, const FlashControllerConfig& config);
  ~FlashController() override;

  bool acts_unannounced() const override { return false; }
  const FlashControllerStatistics& statistics() const override { return statistics_; }
  TimePs die_in_use(std::uint32_t die, TimePs now) const override;
  /// That went from DRAM to dies or back.
  std::uint64_t dram_bytes() const {
    return builder_.data_of(statistics_.page_bytes_in + statistics_.page_bytes_out);
  }

 private:
  enum class Stage : std::uint8_t {
    idle,
    command,
    poll,
    status,
    data_out,
    suspend,
    suspend_status,
    resume,
    cache_read,  // 31h, 3Fh
    late_status, // of `before`: no group came in time that would have asked for it
    plane_reads,
    level,       // D5h: the head is a retry
    level_wait,  // tFEAT
    copy,        // 85h-10h: the head is a copyback, its page has been read
    copy_poll,   // ... or has not yet
    load_poll,   // 1Ah: the head is a pass
    answer,      // the head is of a target, and its answer is ready
    answer_poll, // ... or is not yet
  };
  static constexpr std::size_t kStages = 18;
  /// A plane of a die that reads independently.
  struct PlaneRead {
    FlashGroup* group = nullptr;
    Stage stage = Stage::idle; // command, poll, data_out
    TimePs due = 0;
    TimePs command_end = 0;
    TimePs ready_at = 0;
  };
  struct DieState {
    TimePs in_use = 0;          // from the first tenure of each group to the last one so far
    TimePs used_until = 0;      // the end of that one
    FlashGroup* head = nullptr; // running group, then the FIFO behind it
    FlashGroup* tail = nullptr;
    Stage stage = Stage::idle;
    TimePs command_end = 0;
    TimePs ready_at = 0;
    bool status_mode = false; // 70h was the last command: data out needs 00h first
    // suspension
    FlashGroup* suspended = nullptr; // stands in the list behind the read that runs now
    TimePs array_done = 0;           // array time that it has had
    std::uint32_t reads_left = 0;    // until it is resumed
    TimePs suspend_sent = kNever;    // whose effect is not known yet
    TimePs suspending = 0;           // from suspends until their effect was known, so far
    // cache reads: the group behind the head is in the array, or was
    bool ahead = false;
    TimePs ahead_begin = 0;
    TimePs ahead_end = 0;
    // cache programs: the group in front of the head, whose array time goes on; then there is a head
    FlashGroup* before = nullptr;
    TimePs before_begin = 0;
    TimePs before_end = 0;
    TimePs array_begin = 0; // of the head
    TimePs array_end = 0;
    // independent reads: bit per plane that has one; `head` is the first group behind them
    std::uint32_t reading = 0;
    bool reading_waits = false; // for the bus
  };

  // registers
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  bool read32(std::uint64_t address, std::uint32_t& value, TimePs& at) override;
  bool write32(std::uint64_t address, std::uint32_t value, TimePs& at) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;
  std::uint32_t read_register(std::uint32_t offset, TimePs at);
  bool write_register(std::uint32_t offset, std::uint32_t value, TimePs at);
  std::uint32_t visible_tail(TimePs at);
  void end_of_elaboration() override;
  void bind_ecc();

  // descriptors
  void fetch(std::uint32_t tail, TimePs at);
  // rings (flash_rings.cpp)
  bool set_ring(std::uint32_t& setting, std::uint32_t value, TimePs at);
  void enable(bool on, TimePs at);
  void fail(std::uint32_t error, TimePs at);
  std::uint32_t check_doorbell(std::uint32_t tail) const;
  bool acceptable(const FlashGroup& group) const;
  bool words_fit(const FlashDescriptor& descriptor) const;
  void reject_group(const FlashGroup& group, TimePs at);
  void reject(FlashGroup& group, TimePs at);
  std::uint32_t lun_of(const FlashDescriptor& d) const { return d.row >> lun_shift_ & lun_mask_; }
  /// Of the same chip: whether both name pages of one block.
  bool same_block(const FlashDescriptor& a, const FlashDescriptor& b) const {
    return (a.row ^ b.row) >> rows_.plane_shift() == 0;
  }
  void enqueue(FlashGroup& group, TimePs at);
  void count(FlashGroup& group);
  void start_head(std::uint32_t die, TimePs at);
  TimePs host_data_time(FlashGroup& group, TimePs at) const;
  TimePs fence_time(FlashGroup& group, TimePs at) const;

  // bus
  void on_due_event() { on_due(kernel_now()); }
  void on_due(TimePs at) override;
  void run(TimePs horizon);
  TimePs run_before(TimePs limit);
  void arm(TimePs at);
  void tenure(std::uint32_t die, TimePs at);
  [[gnu::cold, gnu::noinline]] void tenure_with_power(std::uint32_t die, TimePs at);
  TimePs drive(std::uint32_t die, TimePs at) { return drive(*dies_[die].head, at); }
  TimePs drive(FlashGroup& group, TimePs at);
  void command_tenure(std::uint32_t die, TimePs at);
  void data_out_tenure(std::uint32_t die, TimePs at);
  void status_tenure(std::uint32_t die, TimePs at);
  void want(std::uint32_t die, Stage stage, TimePs due);
  void wait_for_status(std::uint32_t die, TimePs at);
  void next_group(std::uint32_t die, TimePs at);
  FlashCompletion timed_completion(const DieState& die, TimePs end) const {
    return timed_completion(*die.head, die.ready_at - die.command_end, end);
  }
  FlashCompletion timed_completion(const FlashGroup& group, TimePs array, TimePs end) const;
  void post_page(FlashCompletion& completion, FlashGroup& group);
  void release(FlashGroup& group);
  void end_group(FlashGroup& group) { group.retry == nullptr ? release(group) : defer(group); }
  void finish_group(std::uint32_t die, TimePs at);
  void post(const FlashCompletion& completion, TimePs visible_at);
  void post_in_time_order(const FlashCompletion& completion, TimePs visible_at);
  void correct(std::uint32_t buffer, const std::vector<std::uint32_t>& flips, std::uint32_t failed);
  void count(const RawErrors& errors, bool for_host);
  void count_end(std::uint8_t kind, const FlashCompletion& completion);
  void interrupt();
  TenureKind kind_of(const DieState& die) const;

  // dies that say when they are ready only when they are (ready_busy.cpp)
  void rises(std::uint32_t chip, std::uint32_t lun, TimePs at) override;
  void planes_rise(std::uint32_t die, TimePs at);
  [[gnu::cold]] void watch(TimePs since);
  void on_watch();
  [[gnu::cold]] void poll_again(std::uint32_t die, TimePs end, TimePs at);
  EccResult decode(const EccInput& input, TimePs at);
  [[gnu::cold]] void check_decoding(TimePs since, TimePs latency);
  [[gnu::cold]] void check_patience(std::uint32_t die, TimePs since, TimePs now) const;
  // the DRAM's bandwidth (dram_pacing.cpp)
  bool fetch_page_data(FlashGroup& group, TimePs at);
  TimePs page_buffer_free() const { return paced_ ? drained_[page_buffer_] : 0; }
  TimePs drain_page_data(TimePs decoded_from, TimePs decoded, std::uint32_t buffer);
  TimePs ask_dram(const OnfiPlane& plane, std::uint32_t buffer, bool write, TimePs at);

  // suspension (suspend.cpp)
  bool passes(const FlashGroup& operation, const FlashGroup& read) const;
  FlashGroup* before_passing_read(FlashGroup& operation) const;
  void consider_suspend(std::uint32_t die, TimePs at);
  void suspend_tenure(std::uint32_t die, TimePs at);
  void suspend_status_tenure(std::uint32_t die, TimePs at);
  void run_reads_in_between(std::uint32_t die, TimePs at);
  void note_suspend(DieState& die, TimePs at);
  TimePs suspending_until(const DieState& die, TimePs at) const {
    return die.suspending + (die.suspend_sent < at ? at - die.suspend_sent : 0);
  }
  void split_wait(FlashCompletion& completion, const FlashGroup& group) const;
  void resume_tenure(std::uint32_t die, TimePs at);

  // cache reads (cache_read.cpp)
  bool read_ahead_possible(const DieState& die) const;
  void cache_read_tenure(std::uint32_t die, TimePs at);

  // cache programs (cache_program.cpp)
  bool program_goes_on(const DieState& die) const;
  void note_array_time(DieState& die) const;
  void send_behind(std::uint32_t die, TimePs at);
  void stream_status(std::uint32_t die, TimePs end);
  void late_status_tenure(std::uint32_t die, TimePs at);
  void report(const FlashGroup& group, TimePs on_bus, TimePs array, std::uint8_t fail_bit);
  void end_before(DieState& die, TimePs on_bus, std::uint8_t fail_bit);

  // copyback (copyback.cpp)
  void start_apart(std::uint32_t die, TimePs at);
  /// Asks whether the die is ready for `next`, which belongs to the same command of the firmware.
  void poll_part(std::uint32_t die, Stage next, TimePs at);
  void copy_tenure(std::uint32_t die, TimePs at);

  // targets (target_commands.cpp)
  bool target_acceptable(const FlashGroup& group) const;
  bool of_ddr(const FlashDescriptor& d) const { return config_.ddr && (d.flags & flash_flag::sdr) == 0; }
  void target_tenure(std::uint32_t die, TimePs at);
  void answer_tenure(std::uint32_t die, TimePs at);
  void poll_answer(std::uint32_t die, TimePs at);
  void post_answer(std::uint32_t die, TimePs end);

  // one-pass programming (wordline_pass.cpp)
  void take_pass(FlashGroup& group);
  bool pass_acceptable(const FlashGroup& group) const;
  void load_tenure(std::uint32_t die, TimePs at);
  void post_loads(FlashGroup& group, FlashCompletion& completion, TimePs known);
  void release_loads(FlashGroup& group);

  // retries (read_retry.cpp)
  void keep_for_retry(FlashGroup& group, const FlashCompletion& completion, TimePs known);
  void post_retried(FlashGroup& group, const FlashCompletion& latest, TimePs known);
  void defer(FlashGroup& group);
  void join_retry(TimePs at);
  static void sense_again(FlashGroup& group);
  void end_sense(std::uint32_t die, TimePs at);
  void level_tenure(std::uint32_t die, TimePs at);
  void level_wait(std::uint32_t die, TimePs at);

  // independent reads of planes (plane_reads.cpp)
  bool start_plane_reads(std::uint32_t die, TimePs at);
  void admit_reads(std::uint32_t die, TimePs at);
  PlaneRead& next_plane(std::uint32_t die, TimePs at);
  void want_planes(std::uint32_t die);
  void plane_tenure(std::uint32_t die, TimePs at);
  void finish_plane(std::uint32_t die, PlaneRead& plane, TimePs at);
  PlaneRead* planes_of(std::uint32_t die) { return &plane_reads_[die * config_.geometry.planes_per_die]; }

  // a limit of what the drive draws (power_use.cpp)
  std::int64_t current(FlashOp op, std::uint32_t planes) const;
  TimePs least_time_in(const FlashGroup& group) const;
  PowerDemand demand_of_command(const DieState& die) const;
  PowerDemand demand_of_array(const DieState& die, FlashOp op) const;
  PowerDemand demand_ahead(const DieState& die) const;
  PowerDemand demand_of(std::uint32_t die, TimePs at);
  [[gnu::cold, gnu::noinline]] bool has_power(std::uint32_t die, TimePs at);
  TimePs array_end() const;
  [[gnu::cold, gnu::noinline]] void note_power(TimePs at);
  [[gnu::cold, gnu::noinline]] void power_ends(std::uint32_t die, TimePs at);
  bool waits_for_power(std::uint32_t die) const;
  void power_from(std::uint32_t who, TimePs at) override;
  PowerGrant::Asker asker(std::uint32_t die, std::uint32_t plane) const {
    return {power_member_, die * (config_.geometry.planes_per_die + 1) + plane};
  }
  /// The die as a whole, where planes do not read independently.
  PowerGrant::Asker asker(std::uint32_t die) const { return asker(die, config_.geometry.planes_per_die); }

  FlashControllerConfig config_;
  RowLayout rows_;
  std::uint32_t lun_shift_; // ... its LUN bits
  std::uint32_t lun_mask_;
  std::uint64_t page_payload_; // bytes of a page in DRAM
  std::uint32_t no_sectors_;   // bits of a mask that name no sector of a page
  TenureBuilder builder_;
  std::unique_ptr<FunctionalAccess> functional_;
  std::unique_ptr<EccStage> own_ecc_; // where no other engine is bound
  EccStage* ecc_ = nullptr;
  std::unique_ptr<Arbiter> arbiter_;
  const DmaFence* fence_ = nullptr;
  BandwidthPort own_dram_port_; // where none is shared: infinitely fast
  BandwidthPort& dram_port_;
  bool paced_;                      // it may keep page data waiting
  std::array<TimePs, 2> drained_{}; // by page buffer of data out: when DRAM has taken what is in it
  std::uint32_t page_buffer_ = 0;   // of the next data out
  std::uint8_t* dram_ = nullptr;
  std::uint64_t dram_size_ = 0;

  // rings (free-running indices)
  std::uint32_t control_ = 0;
  std::uint32_t error_ = 0;
  std::uint32_t submission_base_ = 0, submission_size_ = 0, submission_head_ = 0;
  std::uint32_t completion_base_ = 0, completion_size_ = 0, completion_tail_ = 0;
  std::uint32_t completion_visible_ = 0;
  std::vector<TimePs> visible_at_; // by completion slot
  TimePs last_visible_ = 0;
  bool by_time_ = false; // decodes or DRAM take time that differs: completions that come early overtake

  std::vector<FlashGroup> pool_;
  FlashGroup* free_groups_ = nullptr;
  FlashGroup* assembling_ = nullptr; // group whose last descriptor has not arrived yet
  FlashGroup* first_load_ = nullptr; // of the pass whose last descriptor has not arrived yet
  FlashGroup* last_load_ = nullptr;
  std::vector<DieState> dies_;
  std::uint32_t read_levels_ = 0;  // that retries use: at other thresholds, then for soft decisions
  FlashGroup* deferred_ = nullptr; // retries whose decodings are still under way, by the time of their end
  std::deque<ReadRetry> retries_;  // all that were ever needed at the same time
  ReadRetry* free_retries_ = nullptr;
  std::array<std::uint8_t, 2 * flash_target::id_bytes> parameters_{}; // of features, or an ID; on both edges
  std::vector<PlaneRead> plane_reads_; // by die and plane; empty: not configured
  BusWaiters waiters_;
  TimePs now_ = 0; // kernel time of the call that the controller is in
  TimePs bus_free_ = 0;
  Agenda* agenda_ = nullptr; // null: the kernel calls, instead of whoever serves the agenda
  std::uint32_t worker_ = 0; // number in the agenda
  TimePs armed_at_ = kNever;
  sc_core::sc_event due_event_{"due"};
  TimePs decoded_until_ = 0; // of the pages that took longer than patience the latest end
  TimePs watched_until_ = kNever;
  sc_core::sc_event watch_event_{"watch"};

  OnfiTenure tenure_;
  tlm::tlm_generic_payload bus_payload_;
  OnfiTarget* bus_port_ = nullptr; // behind the sockets, as the core's: a call asks no port
  tlm::tlm_blocking_transport_if<>* irq_port_ = nullptr;
  RegisterAccess irq_access_;
  FlashControllerStatistics statistics_;

  PowerGrant* power_ = nullptr;
  std::uint32_t power_member_ = 0;
  /// The tenure that has power.
  struct Powered {
    PowerGrant::Asker asker;
    PowerDemand demand;
    Stage stage = Stage::idle;
  } powered_;
};

} // namespace twinplane::hw
