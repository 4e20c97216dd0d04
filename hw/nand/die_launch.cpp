// From the last confirm cycle to the cells: what a launch is judged by, and what it does with each plane.
// Facts: ONFI multi-plane addressing; PA-SSD section 4.3.1 for the relaxed order.
#include <algorithm>

#include "hw/nand/die.h"

namespace twinplane::hw {

namespace {

constexpr Fault kTooManyPlanes{Rule::distinct_planes, "more planes queued than the die has"};
constexpr Fault kNotAlone{Rule::busy, "expected 30h of one plane while other planes read"};
constexpr Fault kSamePlane{Rule::distinct_planes, "planes of a group must differ"};
constexpr Fault kOtherPage{Rule::pac, "pages of a group must be equal"};
constexpr Fault kOtherBlock{Rule::bac, "blocks of a group must be equal"};
constexpr Fault kNoBlock{Rule::bad_address, "block beyond the plane"};
constexpr Fault kNoPage{Rule::bad_address, "page beyond the block"};
constexpr Fault kWrongMode{Rule::slc_mode, "SLC prefix does not fit the block's mode"};
constexpr Fault kAbortedErase{Rule::erase_before_program, "the block's erase was aborted"};
constexpr Fault kOutOfOrder{Rule::order, "not the next page of the block"};
constexpr Fault kProgrammed{Rule::erase_before_program, "the page is already programmed"};
constexpr Fault kSectorProgrammed{Rule::erase_before_program, "a sector is already programmed"};
constexpr Fault kNoMoreCopies{Rule::protocol, "the page has had all its moves by copyback"};
constexpr Fault kNoMorePrograms{Rule::partial_limit, "the page had all its partial programs"};

} // namespace

// --- the planes of a group ---

void Die::join(Face face, ArrayKind kind, const PlaneAddress& address, TimePs at) {
  FaceState& f = faces_[index(face)];
  if (f.queued == registers_) {
    refuse_group(f, all_planes(), kTooManyPlanes, Launch{kind, false, address, at});
    return;
  }
  f.queue_kind = kind;
  f.queue[f.queued++] = address;
  f.last_kept = false;
}

void Die::queue(Face face, ArrayKind kind, const PlaneAddress& address, TimePs at) {
  FaceState& f = faces_[index(face)];
  if (face == Face::bus && reads_by_plane(at)) {
    refuse_group(f, all_planes(), kNotAlone, Launch{kind, false, address, at});
    return;
  }
  join(face, kind, address, at);
  if (face == Face::bus && queued(face, kind)) occupy(at, context_.config.array.tDBSY);
}

void Die::launch(FaceState& face, const Launch& command) {
  if (pass_ != nullptr && face.timed && command.kind == ArrayKind::program &&
      (!command.slc || pass_->loaded != 0)) {
    return launch_pass(face, command);
  }
  const Stream before = face.stream;
  if (!may_launch(face, command)) return;
  std::uint32_t accepted = 0; // the queue's first planes, those that the rules allow
  TimePs duration = 0;
  for (std::uint32_t i = 0; i < face.queued; ++i) {
    const PlaneAddress& address = face.queue[i];
    Verdict fault = judge_address(face, command, address);
    if (fault == nullptr) {
      const Cells cells{address, store_.block(address.plane, address.block), face.registers[address.plane]};
      fault = judge_cells(command, cells);
      if (fault == nullptr) {
        duration = std::max(duration, execute(face, command, cells));
      } else if (looks_for_mode(*fault, command)) {
        duration = std::max(duration, read_in_other_mode(face, command, cells));
        fault = nullptr;
      }
    }
    if (fault != nullptr) {
      refuse_plane(face, *fault, command, address);
      continue;
    }
    if (accepted != i) face.queue[accepted] = address;
    ++accepted;
  }
  face.queued = 0;
  face.last_kind = command.kind;
  face.last_count = static_cast<std::uint8_t>(accepted);
  face.last_slc = command.slc;
  face.last_kept = true;
  if (command.kind == ArrayKind::read) face.many_planes = accepted > 1;
  if (accepted == 0) {
    if (command.kind == ArrayKind::read) face.stream = before; // 3Fh has nothing to end
  } else if (face.timed) {
    start_busy(command, accepted, duration);
  }
}

/// Adds the last plane. False when a rule that concerns the whole group forbids it, or it resumed an erase.
inline bool Die::may_launch(FaceState& face, const Launch& command) {
  std::uint32_t planes = all_planes();
  Verdict fault = nullptr;
  if (face.queued == registers_) {
    fault = &kTooManyPlanes;
  } else {
    face.queue[face.queued++] = command.address;
    fault = judge_beside_reads(face, command);
    if (fault == nullptr && face.queued > 1) fault = judge_group(face, command.kind, planes);
    const bool restricted = face.timed && suspended_.active;
    if (fault == nullptr && (face.stream != Stream::none || command.cache || restricted)) {
      fault = enter_stream(face, command);
    }
  }
  if (fault != nullptr) refuse_group(face, planes, *fault, command);
  return face.queued != 0;
}

/// What may be launched while planes read.
inline Die::Verdict Die::judge_beside_reads(const FaceState& face, const Launch& command) const {
  if (!face.timed || !reads_by_plane(command.at)) return nullptr;
  return face.queued == 1 && !command.cache && !command.copyback ? nullptr : &kNotAlone;
}

/// Sets `planes` to those of the group.
Die::Verdict Die::judge_group(const FaceState& face, ArrayKind kind, std::uint32_t& planes) const {
  const NandConfig& config = context_.config;
  Verdict fault = nullptr;
  planes = 0;
  for (std::uint32_t i = 0; i < face.queued; ++i) {
    const PlaneAddress& a = face.queue[i];
    const std::uint32_t plane = 1u << a.plane;
    if (fault == nullptr) {
      if ((planes & plane) != 0) {
        fault = &kSamePlane;
      } else if (config.pac && kind != ArrayKind::erase && a.page != face.queue[0].page) {
        fault = &kOtherPage;
      } else if (config.bac && a.block != face.queue[0].block) {
        fault = &kOtherBlock;
      }
    }
    planes |= plane;
  }
  return fault;
}

// --- one plane ---

/// Block and page exist, and nothing that is suspended needs the block.
Die::Verdict Die::judge_address(const FaceState& face, const Launch& command,
                                const PlaneAddress& address) const {
  const Geometry& g = context_.config.geometry;
  if (address.block >= g.blocks_per_plane) return &kNoBlock;
  if (suspended_.active && face.timed) {
    if (const Verdict fault = judge_suspended(address)) return fault;
  }
  if (command.kind == ArrayKind::erase) return nullptr;
  const std::uint32_t pages = command.slc ? context_.page_order.wordlines() : g.pages_per_block;
  return address.page < pages ? nullptr : &kNoPage;
}

inline Die::Verdict Die::judge_cells(const Launch& command, const Cells& cells) const {
  if (command.kind == ArrayKind::erase) return nullptr;
  const BlockMode mode = cells.block.mode;
  if (mode != BlockMode::erased && (mode == BlockMode::slc) != command.slc) return &kWrongMode;
  return command.kind == ArrayKind::read ? nullptr : judge_program(command, cells);
}

inline Die::Verdict Die::judge_program(const Launch& command, const Cells& cells) const {
  const PageStore::Block& block = cells.block;
  if (block.corrupt) return &kAbortedErase;
  if (cells.page.copied != 0 && cells.page.copies >= context_.config.copybacks) return &kNoMoreCopies;
  const bool one_by_one = command.slc || context_.config.program_order == ProgramOrder::strict;
  if (one_by_one && cells.at.page == block.programmed) return nullptr; // nothing is there or behind it
  const std::uint32_t programs = store_.program_count(block, cells.at.page);
  if (programs == 0) {
    return !one_by_one && in_relaxed_order(block, cells.at.page) ? nullptr : &kOutOfOrder;
  }
  if (context_.config.partial_programs == 1) {
    return &kProgrammed;
  }
  if ((store_.programmed_sectors(block, cells.at.page) & cells.page.mask) != 0) {
    return &kSectorProgrammed;
  }
  if (programs >= context_.config.partial_programs) {
    return &kNoMorePrograms;
  }
  return nullptr;
}

bool Die::in_relaxed_order(const PageStore::Block& block, std::uint32_t page) const {
  if (context_.config.program_order == ProgramOrder::ascending) return page >= block.programmed;
  const PageOrderTable& order = context_.page_order;
  const PageType type = order.type(page);
  const std::uint32_t position = order.wordline(page);
  if (position != block.by_type[type]) return false;
  if (context_.config.program_order == ProgramOrder::slc) return type == 0;
  if (type == 0) return true;
  // Type t of a wordline needs type t-1 of the wordline and of both neighbours.
  const std::uint32_t per_wordline = context_.config.page_table == PageTable::even_odd ? 2 : 1;
  const std::uint32_t needed = (position / per_wordline + 2) * per_wordline;
  return block.by_type[type - 1u] >= std::min(order.wordlines(), needed);
}

/// Changes the cells, or fetches what they hold; returns how long the array takes. Functional accesses take
/// no time and are not counted.
inline TimePs Die::execute(FaceState& face, const Launch& command, const Cells& cells) {
  switch (command.kind) {
    case ArrayKind::read:
      return read_page(face, command, cells);
    case ArrayKind::program:
      return program_page(face, command, cells);
    case ArrayKind::erase:
      break;
  }
  return erase_block(face, command, cells);
}

inline TimePs Die::read_page(FaceState& face, const Launch& command, const Cells& cells) {
  PageRegister& target = command.cache ? ahead(face, cells.at.plane) : cells.page;
  read_cells(face, cells.block, cells.at, target);
  if (errors_ && face.timed) add_noise(command, cells.at, target);
  cells.page.copyback = command.copyback; // a cache read takes the register away
  if (command.copyback) cells.page.copies = copies_.empty() ? std::uint8_t{0} : copies_[page_index(cells.at)];
  if (!command.cache) face.plane = cells.at.plane;
  if (!face.timed) return 0;
  const ArrayTiming& t = context_.config.array;
  const PageType type = page_type(cells.at, command.slc);
  ++(command.slc ? context_.statistics.slc_reads : context_.statistics.reads[type]);
  if (read_level_ != 0) {
    ++context_.statistics.level_reads[command.slc ? kSlcPages : type][read_level_ - 1];
    return t.tR_level[read_level_ - 1];
  }
  return command.slc ? t.slc_tR : t.tR[type];
}

/// Nobody has to know after power-on how the blocks have been used before.
bool Die::looks_for_mode(const Fault& fault, const Launch& command) const {
  return &fault == &kWrongMode && command.kind == ArrayKind::read && !modes_told_;
}

/// A page of the other mode is no page of these cells: garbage, unless its wordline is erased.
TimePs Die::read_in_other_mode(FaceState& face, const Launch& command, const Cells& cells) {
  const TimePs duration = read_page(face, command, cells);
  PageRegister& target = command.cache ? ahead(face, cells.at.plane) : cells.page;
  const PageOrderTable& order = context_.page_order;
  const std::uint32_t wordline = command.slc ? cells.at.page : order.wordline(cells.at.page);
  const std::uint32_t first = command.slc ? order.page(wordline, 0) : wordline;
  store_.read(cells.block, first, target);
  if (!target.blank) target.spoil();
  if (target.noise) target.noise->counts = false;
  return duration;
}

inline TimePs Die::program_page(FaceState& face, const Launch& command, const Cells& cells) {
  const PageType type = program_cells(face, command, cells);
  if (faults_.programs_fail()) spoil_cells(face, ArrayKind::program, cells.block, cells.at);
  if (!face.timed) return 0;
  const ArrayTiming& t = context_.config.array;
  if (command.slc) return t.slc_tPROG;
  return t.tPROG[type] + (wordlines_.empty() ? 0 : wordline_time(cells.at));
}

// 40 instructions a page
[[gnu::always_inline]] inline PageType Die::program_cells(FaceState& face, const Launch& command,
                                                          const Cells& cells) {
  const PageType type = page_type(cells.at, command.slc);
  if (errors_) note_change(face, command, cells.at);
  cells.block.mode = command.slc ? BlockMode::slc : BlockMode::native;
  store_.program(cells.block, cells.at.page, type, cells.page);
  if (cells.page.copied != 0) {
    note_copy(cells.at,
              static_cast<std::uint8_t>(std::min<std::uint32_t>(cells.page.copies + 1u, kAnyCopybacks)));
  }
  cells.page.readable = false;
  if (!face.timed) return type;
  NandStatistics& s = context_.statistics;
  ++(command.slc ? s.slc_programs : s.programs[type]);
  if (cells.page.mask != store_.full_mask()) {
    ++s.partial_programs;
    const std::uint32_t left_out = store_.full_mask() & ~(cells.page.mask | cells.page.lost);
    s.sectors_left_out += static_cast<std::uint32_t>(__builtin_popcount(left_out));
  }
  return type;
}

inline TimePs Die::erase_block(FaceState& face, const Launch& command, const Cells& cells) {
  if (errors_) note_change(face, command, cells.at);
  store_.erase(cells.block);
  modes_told_ = true;
  if (!copies_.empty()) forget_copies(cells.at);
  spoil_cells(face, ArrayKind::erase, cells.block, cells.at);
  if (!face.timed) return 0;
  if (!wordlines_.empty()) wordlines_[cells.at.plane].forget(cells.at.block);
  NandStatistics& s = context_.statistics;
  ++(command.slc ? s.slc_erases : s.native_erases);
  return command.slc ? context_.config.array.slc_tBERS : context_.config.array.tBERS;
}

/// Of a program in native mode: time to read the lower pages of a wordline that is not buffered.
TimePs Die::wordline_time(const PlaneAddress& address) {
  const PageOrderTable& order = context_.page_order;
  const PageType type = order.type(address.page);
  const bool last = type + 1u == order.types();
  WordlineBuffer& buffer = wordlines_[address.plane];
  if (!buffer.program(address.block, order.wordline(address.page), type, last)) return 0;
  TimePs time = 0;
  for (PageType lower = 0; lower < type; ++lower) time += context_.config.array.tR[lower];
  context_.statistics.wordline_reads += type;
  return time;
}

// --- the array at work ---

void Die::count_multiplane(ArrayKind kind, std::uint32_t planes) {
  NandStatistics& s = context_.statistics;
  MultiplaneStatistics& m = kind == ArrayKind::read      ? s.multiplane_read
                            : kind == ArrayKind::program ? s.multiplane_program
                                                         : s.multiplane_erase;
  ++m.commands;
  m.units += planes;
}

/// The first `planes` of the queue run.
inline void Die::set_running(const Launch& command, std::uint32_t planes, TimePs start, TimePs duration) {
  const FaceState& f = faces_[index(Face::bus)];
  for (std::uint32_t i = 0; i < planes; ++i) running_.planes[i] = f.queue[i];
  running_.kind = command.kind;
  running_.slc = command.slc;
  running_.state = plane_state(command.kind);
  running_.planes_in_group = planes;
  running_.pages = command.pages;
  running_.request_tag = context_.request_tag;
  running_.start = start;
  running_.end = start + duration;
  locate(running_, running_, 0);
  DieStatistics& die = context_.statistics.dies[lun_];
  die.plane_busy += duration * planes;
  if (planes > 1) count_multiplane(command.kind, planes);
}

// 25 instructions a page
[[gnu::always_inline]] inline void Die::start_busy(const Launch& command, std::uint32_t planes,
                                                   TimePs duration) {
  if (plane_reads_ != nullptr && command.kind == ArrayKind::read && !command.cache && !command.copyback) {
    start_plane_reads(command, planes, duration);
    return;
  }
  // The array may still be busy with the page before.
  if (command.at < array_until_) before_ = running_;
  set_running(command, planes, std::max(command.at, array_until_), duration);
  busy_until_ = array_until_ = running_.end;
  context_.statistics.dies[lun_].busy += duration;
  if (command.cache) free_cache_register(command);
  if (!context_.observers.empty()) announce(command.at);
}

DieStatistics Die::still_to_do(TimePs at) const {
  DieStatistics rest;
  const auto add = [&](const Running& group) {
    if (group.end <= at) return;
    const TimePs left = group.end - std::max(at, group.start);
    rest.busy += left;
    rest.plane_busy += left * group.planes_in_group;
  };
  if (reads_by_plane(at)) {
    for (std::uint32_t p = 0; p < registers_; ++p) add(plane_reads_->of[p]);
    rest.busy = plane_reads_->until - at;
  } else {
    if (at < running_.start) add(before_);
    add(running_);
  }
  if (suspended_.active) {
    rest.busy += suspended_.remaining;
    rest.plane_busy += suspended_.remaining * suspended_.operation.planes_in_group;
  }
  return rest;
}

// What a one-pass program shares with `launch`, in which it is inlined.

void Die::program_pass_page(FaceState& face, const Launch& command, const Cells& cells) {
  program_cells(face, command, cells);
}

void Die::start_pass(const Launch& command, std::uint32_t planes) {
  start_busy(command, planes, context_.config.array.tPROG_wordline);
}

/// Of one plane, or of several that were launched together.
void Die::start_plane_reads(const Launch& command, std::uint32_t planes, TimePs duration) {
  const bool beside = busy(command.at);
  set_running(command, planes, command.at, duration);
  for (std::uint32_t i = 0; i < planes; ++i) {
    Running& own = plane_reads_->of[running_.planes[i].plane];
    own = running_;
    own.planes[0] = running_.planes[i];
    own.planes_in_group = 1;
  }
  const TimePs before = std::max(busy_until_, command.at);
  busy_until_ = array_until_ = plane_reads_->until = std::max(before, running_.end);
  context_.statistics.dies[lun_].busy += busy_until_ - before;
  if (!beside) {
    if (!context_.observers.empty()) announce(command.at);
    return;
  }
  ++context_.statistics.independent_reads;
  announce_beside(before);
}

} // namespace twinplane::hw
