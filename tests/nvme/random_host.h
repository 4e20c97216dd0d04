// A host that does what it pleases with a drive, and knows what it may get back.
//
// Every command must complete exactly once, with a status that its fields allow, unless a reset or the
// deletion of its queue ends it first; then never. Sectors hold what the shadow allows. A reset always leads
// back to a drive that works. The first finding ends the run.
#pragma once

#include <deque>
#include <map>
#include <string>

#include "tests/nvme/command_draw.h"
#include "tests/support/drive_host.h"

namespace twinplane::test {

struct RandomHostOptions {
  std::uint64_t seed = 1;
  std::uint32_t commands = 4000;
  std::uint32_t queues = 1; // what the drive was configured with
  std::uint32_t queue_entries = 64;
  bool volatile_cache = false;
  bool broken_data = true;       // PRPs with faults, host memory that fails
  bool loaded_resets = true;     // resets, shutdowns and queue deletions with commands in flight
  bool waiting_memory = false;   // host memory that waits
  bool shadow_doorbells = false; // the drive takes them
  bool verbose = false;
};

struct RandomHostCounts {
  std::uint64_t commands = 0;
  std::uint64_t resets = 0;
  std::uint64_t deletions = 0;
  std::uint64_t sectors = 0; // compared with the shadow
  std::uint64_t errors = 0;  // commands that ended with one
  std::uint64_t dropped = 0; // ended by a reset or a deletion
};

class RandomHost : public DriveHost {
 public:
  RandomHost(const sc_core::sc_module_name& name, const RandomHostOptions& options);

  /// Empty when there was none.
  const std::string& finding() const { return finding_; }
  /// What the host did last.
  const std::deque<std::string>& log() const { return log_; }
  const RandomHostCounts& counts() const { return counts_; }
  bool finished() const { return finished_; }

 private:
  struct Finding {
    std::string text;
  };
  static constexpr std::uint64_t kPages = 16384;
  static constexpr std::uint64_t kFirstDataPage = 5300;
  static constexpr std::size_t kMostOutstanding = 200;
  static constexpr TimePs kPatience = ms(5000); // for a command, a reset, an enable

  // random_host.cpp
  void run();
  void episode();
  void bring_up();
  void fail_to_enable();
  void identify();
  void give_doorbell_buffers();
  void make_queues();
  void make_sq(std::uint16_t id);
  void reset();
  void shut_down();
  void toggle();
  void drop(std::uint32_t sqid, bool all);
  void quiesce();
  // random_load.cpp
  void load(std::uint32_t commands);
  void act();
  void submit();
  void submit(std::uint16_t id, Drawn drawn);
  void submit_abort();
  void forget_past();
  void remove_queue();
  void ring_wrongly();
  void change_interrupts();
  void change_memory();
  void break_memory();
  void format();
  void sanitize();
  int execute_admin(const nvme::Sqe& sqe, const char* what);
  // random_checks.cpp
  void poll(bool tell);
  void poll_queue(std::uint16_t id);
  void finish(Drawn& drawn, const nvme::Cqe& entry);
  void settle(Drawn& drawn, std::uint16_t status);
  void settle_write(const Drawn& drawn, std::uint16_t status);
  void check_read(const Drawn& drawn);
  void check_compare(Drawn& drawn) const;
  void check_spoilt(Drawn& drawn, std::uint16_t status) const;
  void check_head(const nvme::Cqe& entry);
  void settle_pin();
  void check_pin();
  void on_write(std::uint64_t address, std::uint32_t bytes);
  void on_message(std::uint32_t offset, std::uint32_t data);
  std::uint32_t waiting() const;
  [[noreturn]] void fail(const std::string& text) const { throw Finding{text}; }
  void note(const std::string& text);
  static std::uint32_t key(std::uint32_t sqid, std::uint32_t cid) { return sqid << 16 | cid; }

  RandomHostOptions options_;
  Draw draw_;
  PagePool pool_;
  PrpDraw prps_;
  SectorShadow shadow_;
  std::optional<CommandDraw> drawing_;
  std::map<std::uint32_t, Drawn> outstanding_;
  RandomHostCounts counts_;
  std::string finding_;
  std::string late_finding_; // in a callback of the drive's, where nothing may be thrown
  std::deque<std::string> log_;
  std::uint16_t next_cid_ = 1;
  std::uint32_t sector_bytes_ = 4096;
  int last_status_ = -1; // of the admin command that execute_admin() waits for
  std::uint32_t awaited_ = ~0u;
  bool off_ = true; // CC.EN = 0 and CSTS.RDY = 0: the drive must be quiet
  bool msix_ = true;
  bool sanitizes_ = false;
  bool finished_ = false;
};

} // namespace twinplane::test
