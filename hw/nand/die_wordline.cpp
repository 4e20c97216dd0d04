// One-pass programming: all pages of a wordline are loaded one after the other and programmed together.
//
//   80h A5 data 1Ah  ...  80h A5 data 10h     one page of each type, in the order of types
//
// 1Ah moves the page from the register to the latches of its type (tDCBSYW), 10h behind the last one programs
// all of them (tPROG_wordline). Each page may be of several planes, joined by 11h as ever. That is how parts
// with a Toggle interface program TLC and QLC; ONFI has no such command. Opcode and sequence are vendor
// practice, the times and the refusals below are assumed.
//
// Such a part takes native pages in no other way: page types ascend without a gap, in the same planes and
// blocks, and nothing but status, resets and what does not touch the array comes between. A page that breaks
// this is refused, and with it what has been loaded. Cells (order, mode, blocks) are judged at the end, plane
// by plane. A program that fails spoils all pages of its plane's wordline.
//
// Functional accesses take no time and have no passes: they program each page as it comes. A pass goes on
// where they have left a wordline.
#include <algorithm>
#include <utility>

#include "hw/nand/die.h"

namespace twinplane::hw {

namespace {

constexpr Fault kTooManyPlanes{Rule::distinct_planes, "more planes queued than the die has"};
constexpr Fault kReads{Rule::busy, "expected 1Ah or 10h while no plane reads"};
constexpr Fault kArrayBusy{Rule::busy, "expected an idle array: a cache operation goes on"};
constexpr Fault kNoSlc{Rule::wordline, "expected no SLC prefix in a pass"};
constexpr Fault kNoCache{Rule::wordline, "expected 1Ah or 10h behind a page of a wordline, not 15h"};
constexpr Fault kNoPage{Rule::bad_address, "page beyond the block"};
constexpr Fault kOtherPlanes{Rule::wordline, "expected the planes and blocks of the pass"};
constexpr Fault kNotNext{Rule::wordline, "expected the next page of the wordline"};
constexpr Fault kMoreToLoad{Rule::wordline, "expected 1Ah before the last page of the wordline"};
constexpr Fault kNothingToLoad{Rule::wordline, "expected 10h behind the last page of the wordline"};
constexpr Fault kWrongMode{Rule::slc_mode, "SLC prefix does not fit the block's mode"};
constexpr Fault kAbortedErase{Rule::erase_before_program, "the block's erase was aborted"};
constexpr Fault kProgrammed{Rule::erase_before_program, "the page is already programmed"};
constexpr Fault kOutOfOrder{Rule::order, "not the next page of the block"};
constexpr Fault kNoMoreCopies{Rule::protocol, "the page has had all its moves by copyback"};

} // namespace

void Die::make_pass() {
  pass_ = std::make_unique<WordlinePass>();
  for (std::uint32_t step = 0; step + 1 < context_.page_order.types(); ++step) {
    pass_->pages[step].resize(registers_);
    for (PageRegister& r : pass_->pages[step]) equip(r);
  }
}

void Die::close_pass() {
  if (pass_ == nullptr) return;
  pass_->loaded = 0;
  restrict_operations();
}

void Die::load(Face face, const Launch& command) {
  FaceState& f = faces_[index(face)];
  if (!f.timed) return launch(f, command);
  std::uint32_t planes = all_planes();
  Verdict fault = add_to_pass(f, command, planes);
  for (std::uint32_t i = 0; fault == nullptr && i < f.queued; ++i) fault = judge_step(f.queue[i], false);
  if (fault != nullptr) {
    close_pass();
    return refuse_group(f, planes, *fault, command);
  }
  for (std::uint32_t i = 0; i < f.queued; ++i) {
    const PlaneAddress& a = f.queue[i];
    std::swap(f.registers[a.plane], pass_->pages[pass_->loaded][a.plane]);
    f.registers[a.plane].clear();
    pass_->last[i] = a;
  }
  pass_->planes = f.queued;
  ++pass_->loaded;
  f.queued = 0;
  restrict_operations();
  occupy(command.at, context_.config.array.tDCBSYW);
}

/// Adds the last plane of a step; sets `planes` to those that a fault concerns.
Die::Verdict Die::add_to_pass(FaceState& face, const Launch& command, std::uint32_t& planes) {
  face.stream = Stream::none;
  face.ahead_planes = 0;
  face.last_count = 0;
  if (face.queued == registers_) return &kTooManyPlanes;
  face.queue[face.queued++] = command.address;
  if (reads_by_plane(command.at)) return &kReads;
  if (array_busy(command.at)) return &kArrayBusy;
  if (command.slc) return &kNoSlc;
  if (command.cache) return &kNoCache;
  if (face.queued > 1) {
    if (const Verdict fault = judge_group(face, ArrayKind::program, planes)) return fault;
    planes = all_planes();
  }
  const bool same_planes = pass_->loaded == 0 || pass_->planes == face.queued;
  return same_planes ? nullptr : &kOtherPlanes;
}

/// One plane of a step: it goes on where the plane's last one was, and it is the `last` type or is not.
Die::Verdict Die::judge_step(const PlaneAddress& address, bool last) const {
  const PageOrderTable& order = context_.page_order;
  if (address.page >= order.pages()) return &kNoPage;
  if (pass_->loaded != 0) {
    const auto begin = pass_->last.cbegin();
    const auto end = begin + pass_->planes;
    const auto before = std::find_if(begin, end, [&](const PlaneAddress& a) {
      return a.plane == address.plane && a.block == address.block;
    });
    if (before == end) return &kOtherPlanes;
    if (address.page != before->page + 1 || order.wordline(address.page) != order.wordline(before->page))
      return &kNotNext;
  }
  const bool is_last = order.type(address.page) + 1u == order.types();
  if (is_last == last) return nullptr;
  return last ? &kMoreToLoad : &kNothingToLoad;
}

/// 10h.
void Die::launch_pass(FaceState& face, Launch command) {
  std::uint32_t planes = all_planes();
  Verdict fault = add_to_pass(face, command, planes);
  for (std::uint32_t i = 0; fault == nullptr && i < face.queued; ++i) fault = judge_step(face.queue[i], true);
  if (fault != nullptr) {
    close_pass();
    return refuse_group(face, planes, *fault, command);
  }
  command.pages = pass_->loaded + 1;
  std::uint32_t accepted = 0;
  for (std::uint32_t i = 0; i < face.queued; ++i) {
    const PlaneAddress last = face.queue[i];
    if (const Verdict broken = judge_wordline(face, command, last)) {
      refuse_plane(face, *broken, command, last);
      continue;
    }
    program_wordline(face, command, last);
    face.queue[accepted++] = last;
  }
  face.queued = 0;
  close_pass();
  if (accepted != 0) start_pass(command, accepted);
}

/// The cells of a plane: its pages are those up to `last`.
Die::Verdict Die::judge_wordline(const FaceState& face, const Launch& command,
                                 const PlaneAddress& last) const {
  if (const Verdict fault = judge_address(face, command, last)) return fault;
  const PageStore::Block& block = store_.block(last.plane, last.block);
  if (block.mode == BlockMode::slc) return &kWrongMode;
  if (block.corrupt) return &kAbortedErase;
  const std::uint32_t first = last.page + 1 - command.pages;
  if (first < block.programmed) return &kProgrammed;
  if (first > block.programmed) return &kOutOfOrder;
  for (std::uint32_t step = 0; step < command.pages; ++step) {
    const PageRegister& r =
        step + 1 == command.pages ? face.registers[last.plane] : pass_->pages[step][last.plane];
    if (r.copied != 0 && r.copies >= context_.config.copybacks) return &kNoMoreCopies;
  }
  return nullptr;
}

void Die::program_wordline(FaceState& face, const Launch& command, const PlaneAddress& last) {
  PageStore::Block& block = store_.block(last.plane, last.block);
  PageRegister& page = face.registers[last.plane];
  const PlaneAddress first{last.plane, last.block, last.page + 1 - command.pages};
  PlaneAddress at = first;
  for (std::uint32_t step = 0; step < command.pages; ++step, ++at.page) {
    const bool waits = step + 1 != command.pages; // all that is behind the register works on what is in it
    if (waits) std::swap(page, pass_->pages[step][last.plane]);
    program_pass_page(face, command, {at, block, page});
    if (waits) std::swap(page, pass_->pages[step][last.plane]);
  }
  ++context_.statistics.passes;
  if (faults_.programs_fail()) spoil_wordline(face, block, first);
}

/// One pass, one draw: it is the wordline that fails.
void Die::spoil_wordline(FaceState& face, PageStore::Block& block, const PlaneAddress& first) {
  if (!faults_.factory_bad(first.plane, first.block) &&
      !faults_.program_fails(first.plane, first.block, first.page, block.erase_count))
    return;
  for (std::uint32_t page = first.page; page < block.programmed; ++page) {
    store_.mark_corrupt(block, page);
    ++context_.statistics.failed_programs;
  }
  face.failed_planes |= 1u << first.plane;
}

} // namespace twinplane::hw
