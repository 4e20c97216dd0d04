// The command sequences of a flash controller, by what descriptors ask for.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "hw/controller/sequences/suspension.h"

namespace twinplane::hw {

class SequenceTable {
 public:
  explicit SequenceTable(SequenceContext context);

  /// FlashOps that there is a sequence for, as reg::flash::operations.
  static std::uint32_t operations();
  /// Null: there is none for such a group.
  OpSequence* of(const FlashGroup& group) const {
    const auto& by_op = group.loads == nullptr ? alone_ : with_loads_;
    return group.planes[0].op < kFlashOps ? by_op[group.planes[0].op] : nullptr;
  }
  /// Of groups that are read again.
  OpSequence& retry() const { return *retry_; }

 private:
  Suspension suspension_;
  std::unique_ptr<OpSequence> retry_;
  std::vector<std::unique_ptr<OpSequence>> sequences_;
  std::array<OpSequence*, kFlashOps> alone_{};
  std::array<OpSequence*, kFlashOps> with_loads_{}; // behind pages of its wordline
};

std::unique_ptr<OpSequence> make_cache_read(const SequenceContext& context);
std::unique_ptr<OpSequence> make_copyback(const SequenceContext& context);
std::unique_ptr<OpSequence> make_erase(const SequenceContext& context);
/// `alone`: reads that keep their die.
std::unique_ptr<OpSequence> make_plane_reads(const SequenceContext& context,
                                             std::unique_ptr<OpSequence> alone);
std::unique_ptr<OpSequence> make_programs(const SequenceContext& context);
std::unique_ptr<OpSequence> make_retry(const SequenceContext& context);
std::unique_ptr<OpSequence> make_target_command(const SequenceContext& context);
std::unique_ptr<OpSequence> make_wordline_pass(const SequenceContext& context);

} // namespace twinplane::hw
