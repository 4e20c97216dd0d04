#include "hw/nand/wordline_pass.h"

#include <algorithm>
#include <utility>

#include "hw/nand/cell_launch.h"

namespace twinplane::hw {

namespace {

constexpr Fault kNoSlc{Rule::wordline, "expected no SLC prefix in a pass"};
constexpr Fault kNoCache{Rule::wordline, "expected 1Ah or 10h behind a page of a wordline, not 15h"};
constexpr Fault kNoPage{Rule::bad_address, "page beyond the block"};
constexpr Fault kOtherPlanes{Rule::wordline, "expected the planes and blocks of the pass"};
constexpr Fault kNotNext{Rule::wordline, "expected the next page of the wordline"};
constexpr Fault kMoreToLoad{Rule::wordline, "expected 1Ah before the last page of the wordline"};
constexpr Fault kNothingToLoad{Rule::wordline, "expected 10h behind the last page of the wordline"};

} // namespace

WordlinePass::WordlinePass(const NandConfig& config, const PageOrderTable& order)
    : config_(config), order_(order) {
  for (std::uint32_t step = 0; step + 1 < order.types(); ++step) {
    for (std::uint32_t plane = 0; plane < config.geometry.planes_per_die; ++plane)
      latches_[step].push_back(make_register(config));
  }
}

RuleResult WordlinePass::check(const ArrayCommand& command, const PlaneQueue& queue, bool last,
                               std::uint32_t& planes) const {
  if (command.slc) return &kNoSlc;
  if (command.cache) return &kNoCache;
  if (queue.count > 1) {
    const std::uint32_t all = planes;
    if (const RuleResult fault = queue.check(config_, ArrayKind::program, planes)) return fault;
    planes = all;
  }
  if (open() && planes_ != queue.count) return &kOtherPlanes;
  for (std::uint32_t i = 0; i < queue.count; ++i) {
    if (const RuleResult fault = check_plane(queue.planes[i], last)) return fault;
  }
  return nullptr;
}

RuleResult WordlinePass::check_plane(const PlaneAddress& address, bool last) const {
  if (address.page >= order_.pages()) return &kNoPage;
  if (open()) {
    const auto end = last_.cbegin() + planes_;
    const auto before = std::find_if(last_.cbegin(), end, [&](const PlaneAddress& a) {
      return a.plane == address.plane && a.block == address.block;
    });
    if (before == end) return &kOtherPlanes;
    if (address.page != before->page + 1 || order_.wordline(address.page) != order_.wordline(before->page))
      return &kNotNext;
  }
  const bool is_last = order_.type(address.page) + 1u == order_.types();
  if (is_last == last) return nullptr;
  return last ? &kMoreToLoad : &kNothingToLoad;
}

void WordlinePass::load(DieAccess& access) {
  planes_ = access.queue.count;
  for (std::uint32_t i = 0; i < planes_; ++i) {
    const PlaneAddress& a = access.queue.planes[i];
    PageRegister& page = access.registers[a.plane];
    std::swap(page, latches_[loaded_][a.plane]);
    page.clear();
    last_[i] = a;
  }
  ++loaded_;
  access.queue.count = 0;
}

RuleResult WordlinePass::check_cells(const CellArray& cells, const PageRegister& page,
                                     const PlaneAddress& last, const ArrayGroup* held) const {
  if (const RuleResult fault = cells.check_wordline(last, pages(), held)) return fault;
  for (std::uint32_t step = 0; step < loaded_; ++step) {
    if (const RuleResult fault = cells.check_copies(latches_[step][last.plane])) return fault;
  }
  return cells.check_copies(page);
}

void WordlinePass::program(CellArray& cells, DieAccess& access, const ArrayCommand& command,
                           const PlaneAddress& last) {
  const PlaneAddress first = first_page(last);
  PlaneAddress at = first;
  PageRegister& page = access.registers[last.plane];
  for (std::uint32_t step = 0; step <= loaded_; ++step, ++at.page) {
    const bool waits = step != loaded_; // all that is behind the register works on what is in it
    if (waits) std::swap(page, latches_[step][last.plane]);
    cells.program_pass_page(access, command, at);
    if (waits) std::swap(page, latches_[step][last.plane]);
  }
  cells.end_wordline(access, first);
}

} // namespace twinplane::hw
