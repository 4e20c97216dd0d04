// One-pass programming: all pages of a wordline are loaded one after the other and programmed together.
//
//   80h A5 data 1Ah  ...  80h A5 data 10h     one page of each type, in the order of types
//
// 1Ah moves the page from the register to the latches of its type (tDCBSYW), 10h behind the last one programs
// all of them (tPROG_wordline). Each page may be of several planes, joined by 11h as ever. That is how parts
// with a Toggle interface program TLC and QLC; ONFI has no such command. Opcode and sequence are vendor
// practice, the times and the refusals are assumed.
//
// Such a part takes native pages in no other way: page types ascend without a gap, in the same planes and
// blocks, and nothing but status, resets and what does not touch the array comes between. A page that breaks
// this is refused, and with it what has been loaded. Cells (order, mode, blocks) are judged at the end, plane
// by plane. A program that fails spoils all pages of its plane's wordline.
//
// Functional accesses take no time and have no passes: they program each page as it comes. A pass goes on
// where they have left a wordline.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/nand/cell_array.h"

namespace twinplane::hw {

class WordlinePass {
 public:
  WordlinePass(const NandConfig& config, const PageOrderTable& order);

  bool open() const { return loaded_ != 0; }
  void close() { loaded_ = 0; }
  /// Pages that 10h would program in each plane.
  std::uint32_t pages() const { return loaded_ + 1; }

  /// The planes that wait go on where the pass was, with pages of the `last` type of their wordline or not.
  /// Sets `planes` to those that a fault concerns, if these are not all.
  RuleResult check(const ArrayCommand& command, const PlaneQueue& queue, bool last,
                   std::uint32_t& planes) const;
  /// 1Ah: the pages of the planes that wait go to the latches.
  void load(DieAccess& access);

  // --- 10h: the pages of a plane, up to `last` ---
  RuleResult check_cells(const CellArray& cells, const PageRegister& page, const PlaneAddress& last,
                         const ArrayGroup* held) const;
  void program(CellArray& cells, DieAccess& access, const ArrayCommand& command, const PlaneAddress& last);

 private:
  RuleResult check_plane(const PlaneAddress& address, bool last) const;
  PlaneAddress first_page(const PlaneAddress& last) const {
    return {last.plane, last.block, last.page - loaded_};
  }

  const NandConfig& config_;
  const PageOrderTable& order_;
  std::uint32_t loaded_ = 0;                                         // page types; 0: no pass is open
  std::uint32_t planes_ = 0;                                         // of each
  std::array<PlaneAddress, kMaxPlanesPerDie> last_{};                // of the type that was loaded last
  std::array<std::vector<PageRegister>, kMaxPageTypes - 1> latches_; // by order of loading, and plane
};

} // namespace twinplane::hw
