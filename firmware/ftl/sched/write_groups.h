// Groups of host pages: writes that have everything but their place get it here.
#pragma once

#include "firmware/ftl/io/write_path.h"
#include "firmware/ftl/sched/command_group.h"

namespace twinplane::fw {

class WriteGroups {
 public:
  void boot(FtlState& state, DieQueues& board, WritePath& writes, const GroupRules& rules);

  /// Adds waiting writes, at most `most` of them: each takes the first plane still open that it fits, looking
  /// from plane `start` or from behind the last one on. False when there was none.
  [[nodiscard]] bool add(CommandGroup& g, std::uint32_t start, std::uint32_t most);
  /// A group with as many planes as fit; false when not even one does.
  [[nodiscard]] bool fill(std::uint32_t first_plane, CommandGroup& g) {
    return add(g, levels_planes_ ? lagging_plane(g, first_plane) : first_plane, ~0u);
  }
  /// The first write that belongs into a page of this die.
  [[nodiscard]] bool form_in_place(TransactionList& lane, CommandGroup& g);

 private:
  [[nodiscard]] std::uint32_t lagging_plane(const CommandGroup& g, std::uint32_t start) const;
  [[nodiscard]] bool add_write(CommandGroup& g, std::uint32_t plane);
  [[nodiscard]] bool peek(const Transaction& t, std::uint32_t plane, PageSlot& slot) const;
  [[nodiscard]] bool find_complete(std::uint32_t c, std::uint32_t plane, PageSlot& slot);
  void take(CommandGroup& g, std::uint32_t c, std::uint32_t plane);
  void fill_pass(CommandGroup& g, std::uint32_t c, std::uint32_t plane);
  [[nodiscard]] bool joins_pass(const CommandGroup& g, std::uint32_t c, const PageSlot& slot) const;
  void restrict_pairs(CommandGroup& g, std::uint32_t plane) const;

  FtlState* state_ = nullptr;
  DieQueues* board_ = nullptr;
  WritePath* writes_ = nullptr;
  const GroupRules* rules_ = nullptr;
  Units* units_ = nullptr; // null in drives that are mapped by page
  std::uint32_t planes_per_die_ = 0;
  Pairing pair_ = Pairing::any;
  bool levels_planes_ = false; // those of a die are to be programmed together, and each takes pages by itself
};

} // namespace twinplane::fw
