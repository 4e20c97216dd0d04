// The command sequences of a flash controller, by what descriptors ask for.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "hw/controller/sequences/suspension.h"

namespace twinplane::hw {

std::unique_ptr<OpSequence> make_reads(const SequenceContext& context);
std::unique_ptr<OpSequence> make_programs(const SequenceContext& context);
std::unique_ptr<OpSequence> make_wordline_pass(const SequenceContext& context);
std::unique_ptr<OpSequence> make_erase(const SequenceContext& context);
std::unique_ptr<OpSequence> make_copyback(const SequenceContext& context);
std::unique_ptr<OpSequence> make_target_command(const SequenceContext& context);
/// Of groups that are read again.
std::unique_ptr<OpSequence> make_retry(const SequenceContext& context);

struct SequenceRow {
  FlashOp first, last; // operations that it is for
  bool with_loads;     // of groups behind pages of their wordline
  std::unique_ptr<OpSequence> (*make)(const SequenceContext&);
};
inline constexpr std::array<SequenceRow, 7> kCommandSequences{{
    {FlashOp::read, FlashOp::read, false, make_reads},
    {FlashOp::program, FlashOp::program, false, make_programs},
    {FlashOp::program, FlashOp::program, true, make_wordline_pass},
    {FlashOp::erase, FlashOp::erase, false, make_erase},
    {FlashOp::reset, FlashOp::reset, false, make_target_command},
    {FlashOp::copyback, FlashOp::copyback, false, make_copyback},
    {FlashOp::read_id, FlashOp::set_features, false, make_target_command},
}};

class SequenceTable {
 public:
  explicit SequenceTable(SequenceContext context);

  /// FlashOps that there is a sequence for, as reg::flash::operations.
  std::uint32_t operations() const;
  /// Null: there is none for such a group.
  OpSequence* of(const FlashGroup& group) const {
    const auto& by_op = group.loads == nullptr ? alone_ : with_loads_;
    return group.planes[0].op < kFlashOps ? by_op[group.planes[0].op] : nullptr;
  }
  OpSequence& retry() const { return *retry_; }

 private:
  SuspendSequence suspension_;
  std::unique_ptr<OpSequence> retry_;
  std::vector<std::unique_ptr<OpSequence>> sequences_;
  std::array<OpSequence*, kFlashOps> alone_{};
  std::array<OpSequence*, kFlashOps> with_loads_{};
};

} // namespace twinplane::hw
