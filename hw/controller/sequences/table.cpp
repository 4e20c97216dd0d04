#include "hw/controller/sequences/table.h"

#include <utility>

#include "hw/controller/sequences/read.h"

namespace twinplane::hw {

namespace {

std::unique_ptr<OpSequence> make_reads(const SequenceContext& context) {
  const FlashControllerConfig& config = context.config;
  std::unique_ptr<OpSequence> alone =
      config.cache_reads ? make_cache_read(context) : std::make_unique<ReadSequence>(context);
  const bool planes = config.independent_reads && config.geometry.planes_per_die > 1;
  return planes ? make_plane_reads(context, std::move(alone)) : std::move(alone);
}

constexpr std::uint32_t bit(FlashOp op) {
  return 1u << static_cast<std::uint32_t>(op);
}
constexpr std::uint32_t kOfTargets = bit(FlashOp::reset) | bit(FlashOp::read_id) |
                                     bit(FlashOp::read_parameter_page) | bit(FlashOp::get_features) |
                                     bit(FlashOp::set_features);

struct Row {
  std::uint32_t ops; // bits
  bool with_loads;   // of groups behind pages of their wordline
  std::unique_ptr<OpSequence> (*make)(const SequenceContext&);
};
constexpr std::array<Row, 6> kRows{{
    {bit(FlashOp::read), false, make_reads},
    {bit(FlashOp::program), false, make_programs},
    {bit(FlashOp::program), true, make_wordline_pass},
    {bit(FlashOp::erase), false, make_erase},
    {bit(FlashOp::copyback), false, make_copyback},
    {kOfTargets, false, make_target_command},
}};

} // namespace

SequenceTable::SequenceTable(SequenceContext context) : suspension_(context) {
  context.suspension = &suspension_;
  retry_ = make_retry(context);
  for (const Row& row : kRows) {
    sequences_.push_back(row.make(context));
    for (std::uint32_t op = 0; op < kFlashOps; ++op) {
      if ((row.ops >> op & 1u) != 0) (row.with_loads ? with_loads_ : alone_)[op] = sequences_.back().get();
    }
  }
}

std::uint32_t SequenceTable::operations() {
  std::uint32_t operations = 0;
  for (const Row& row : kRows) operations |= row.ops;
  return operations;
}

} // namespace twinplane::hw
