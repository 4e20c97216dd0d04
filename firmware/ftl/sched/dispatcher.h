// Gives idle dies what they do next: the lane that the scheduling policy picks, writes whose die is chosen late, and
// reads on top of what a die does where it can take them.
//
// Normally one command group is in flight per die (DieLoad).
#pragma once

#include "firmware/ftl/sched/command_issuer.h"
#include "firmware/ftl/sched/move_groups.h"
#include "firmware/ftl/sched/write_groups.h"

namespace twinplane::fw {

class Dispatcher {
 public:
  void boot(BootMemory& memory, FtlState& state, DieQueues& board, Collector& collector, WritePath& writes);
  /// The flash controllers' rings, and what is told of pages that are handed out.
  void attach(FlashPort* ports);

  /// Starts everything that can start now; rings no doorbell.
  void run();
  /// Nothing may be queued or in flight.
  void serialise(StateVisitor& state) { moves_->serialise(state); }

  CommandIssuer issuer;

 private:
  enum class Pass : std::uint8_t { bound_work_first, all };

  void serve_lanes(Pass pass);
  [[nodiscard]] bool serve(std::uint32_t die, Pass pass);
  void serve_reads(std::uint32_t die);
  [[nodiscard]] bool serve_planes(std::uint32_t die, Lane lane, bool others_wait);
  void issue_read(Transaction& t);
  CommandGroup& new_group(std::uint32_t die);
  CommandGroup& new_group_for(const Transaction& write, std::uint32_t die);
  [[nodiscard]] bool form(Lane lane, const DieView& view, CommandGroup& g);
  [[nodiscard]] bool form_writes(TransactionList& in_place, const DieView& view, CommandGroup& g);
  Lane before_padding(DieView& view) const;

  void serve_late_writes();
  void no_space(std::uint32_t die, std::uint32_t c);
  void serve_by_age(std::uint32_t a, std::uint32_t b);
  [[nodiscard]] bool fill_planes(std::uint32_t c);
  [[nodiscard]] bool fill_dies(std::uint32_t c);
  std::uint32_t begin_groups(std::uint32_t c);
  void issue_writes(CommandGroup& g);
  void earn(const CommandGroup& g);

  FtlState* state_ = nullptr;
  DieQueues* board_ = nullptr;
  GcJobs* jobs_ = nullptr;
  WritePath* path_ = nullptr;
  GroupRules rules_;
  WriteGroups writes_;
  MoveGroups* moves_ = nullptr;
  CommandGroup* groups_ = nullptr; // scratch: one per die
  std::uint64_t now_ps_ = 0;
  std::uint32_t planes_per_die_ = 0;
  std::uint32_t window_ = 0;
  bool late_ = false;
  bool paces_ = false;            // the scheduling does
  bool queue_depth_gt_1_ = false; // a die may be given several commands
};

} // namespace twinplane::fw
