#include "hw/nand/die.h"

#include <algorithm>

namespace twinplane::hw {

Die::Die(PackageContext& context, std::uint32_t lun)
    : context_(context),
      lun_(lun),
      registers_(context.config.geometry.planes_per_die),
      store_(context.config.geometry, context.config.data_mode, context.config.partial_programs),
      faults_(context.config, lun),
      errors_(context.config.errors.reading == ErrorReading::off ? nullptr
                                                                 : std::make_unique<Errors>(context, lun)),
      plain_(plain_by_configuration(context.config) && !faults_.programs_fail() && !errors_) {
  if (context.config.wordline_buffer < kAllWordlines) {
    wordlines_.reserve(registers_);
    for (std::uint32_t p = 0; p < registers_; ++p) wordlines_.emplace_back(context.config.wordline_buffer);
  }
  if (context.config.independent_plane_reads) plane_reads_ = std::make_unique<PlaneReads>();
  for (FaceState& face : faces_) {
    face.registers.resize(registers_);
    for (PageRegister& r : face.registers)
      r.payload = std::make_unique<std::uint8_t[]>(store_.payload_size());
  }
}

/// Of a busy, suspended or write-protected die, or one with a failure to tell.
std::uint8_t Die::unusual_status(Face face, TimePs at, std::uint32_t planes) const {
  const FaceState& f = faces_[index(face)];
  std::uint32_t value = (write_protected_ ? 0u : onfi::status::wp_n) | onfi::status::rdy;
  const bool by_plane = reads_by_plane(at);
  if (face == Face::debug || !(by_plane ? planes_read(planes, at) : array_busy(at))) {
    value |= onfi::status::ardy;
    if ((f.failed_planes & planes) != 0) value |= onfi::status::fail;
  } else if (by_plane || busy(at)) {
    return write_protected_ ? 0 : onfi::status::busy;
  }
  if ((f.failed_previous & planes) != 0) value |= onfi::status::fail_previous;
  if (face == Face::bus && suspended_.active) value |= onfi::status::suspended;
  return static_cast<std::uint8_t>(value);
}

void Die::occupy(TimePs at, TimePs duration) {
  const TimePs until = std::max(busy_until_, at + duration);
  if (until > at && !context_.edge_observers.empty()) announce_ready_busy(at, until);
  busy_until_ = until;
}

void Die::data_in(Face face, std::uint32_t plane, std::uint32_t mask, const std::uint8_t* sectors,
                  const std::uint64_t* oob) {
  PageRegister& r = faces_[index(face)].registers[plane];
  r.mask |= mask & store_.full_mask();
  if (sectors != nullptr) store_.copy(r.payload.get(), sectors, mask);
  if (oob == nullptr) return;
  r.oob = *oob;
  r.oob_loaded = true;
}

const PageRegister& Die::data_out(Face face, std::uint32_t mask, std::uint8_t* sectors) const {
  const FaceState& f = faces_[index(face)];
  const PageRegister& r = f.registers[f.plane];
  if (sectors != nullptr) store_.copy(sectors, r.payload.get(), mask);
  return r;
}

void Die::join(Face face, ArrayKind kind, const PlaneAddress& address, TimePs at) {
  FaceState& f = faces_[index(face)];
  if (f.queued == registers_) {
    refuse_group(face, all_planes(), kTooManyPlanes, Launch{kind, false, address, at});
    return;
  }
  f.queue_kind = kind;
  f.queue[f.queued++] = address;
}

void Die::queue(Face face, ArrayKind kind, const PlaneAddress& address, TimePs at) {
  if (face == Face::bus && reads_by_plane(at)) {
    refuse_group(face, all_planes(), kNotAlone, Launch{kind, false, address, at});
    return;
  }
  join(face, kind, address, at);
  if (face == Face::bus && queued(face, kind)) occupy(at, context_.config.array.tDBSY);
}

void Die::launch(Face face, const Launch& command) {
  FaceState& f = faces_[index(face)];
  if (f.queued == registers_) {
    refuse_group(face, all_planes(), kTooManyPlanes, command);
    return;
  }
  f.queue[f.queued++] = command.address;
  if (plane_reads_ != nullptr && face == Face::bus) {
    if (const Verdict fault = judge_beside_reads(f, command)) {
      refuse_group(face, all_planes(), *fault, command);
      return;
    }
  }
  if (f.queued > 1) {
    if (const Verdict fault = judge_group(f, command.kind)) {
      std::uint32_t planes = 0;
      for (std::uint32_t i = 0; i < f.queued; ++i) planes |= 1u << f.queue[i].plane;
      refuse_group(face, planes, *fault, command);
      return;
    }
  }
  if (f.stream != Stream::none || command.cache || (face == Face::bus && suspended_.active)) {
    if (const Verdict fault = enter_stream(face, command)) {
      refuse_group(face, all_planes(), *fault, command);
      return;
    }
    if (f.queued == 0) return; // it resumed a suspended erase
  }

  std::uint32_t accepted = 0; // the queue's first planes, those that the rules allow
  TimePs duration = 0;
  for (std::uint32_t i = 0; i < f.queued; ++i) {
    const PlaneAddress address = f.queue[i];
    if (const Verdict fault = judge_plane(f, command, address)) {
      refuse_plane(face, *fault, command, address);
      continue;
    }
    if (face == Face::bus) {
      TimePs time = array_time(command, address);
      if (!wordlines_.empty()) time += wordline_time(command, address);
      duration = std::max(duration, time);
      count(command, address, f.registers[address.plane]);
    }
    execute(face, command, address);
    f.queue[accepted++] = address;
  }
  f.queued = 0;
  f.last_kind = command.kind;
  f.last_count = static_cast<std::uint8_t>(accepted);
  f.last_slc = command.slc;
  if (command.kind == ArrayKind::read) f.many_planes = accepted > 1;
  if (face == Face::bus && accepted != 0) start_busy(command, accepted, duration);
}

void Die::execute(Face face, const Launch& command, const PlaneAddress& address) {
  FaceState& f = faces_[index(face)];
  PageStore::Block& block = store_.block(address.plane, address.block);
  PageRegister& page_register = f.registers[address.plane];
  if (errors_ && command.kind != ArrayKind::read) note_change(face, command, address);
  switch (command.kind) {
    case ArrayKind::read:
      read_cells(face, block, address, command.cache ? ahead(f, address.plane) : page_register);
      if (errors_) add_noise(face, command, address, command.cache ? f.ahead[address.plane] : page_register);
      page_register.copyback = command.copyback; // a cache read takes the register away
      if (!command.cache) f.plane = address.plane;
      return;
    case ArrayKind::program:
      block.mode = command.slc ? BlockMode::slc : BlockMode::native;
      store_.program(block, address.page, page_type(address, command.slc), page_register);
      page_register.readable = false;
      break;
    case ArrayKind::erase:
      store_.erase(block);
      break;
  }
  if (command.kind == ArrayKind::erase || faults_.programs_fail()) {
    spoil_cells(face, command.kind, block, address);
  }
}

PageType Die::page_type(const PlaneAddress& address, bool slc) const {
  return slc ? PageType{0} : context_.page_order.type(address.page);
}

TimePs Die::array_time(const Launch& command, const PlaneAddress& address) const {
  const ArrayTiming& t = context_.config.array;
  switch (command.kind) {
    case ArrayKind::read:
      if (context_.read_level != 0) return t.tR_retry;
      return command.slc ? t.slc_tR : t.tR[page_type(address, false)];
    case ArrayKind::program:
      return command.slc ? t.slc_tPROG : t.tPROG[page_type(address, false)];
    case ArrayKind::erase:
      break;
  }
  return command.slc ? t.slc_tBERS : t.tBERS;
}

/// Time to read the lower pages of a wordline that is not buffered.
TimePs Die::wordline_time(const Launch& command, const PlaneAddress& address) {
  WordlineBuffer& buffer = wordlines_[address.plane];
  if (command.kind == ArrayKind::erase) buffer.forget(address.block);
  if (command.kind != ArrayKind::program || command.slc) return 0;
  const PageOrderTable& order = context_.page_order;
  const PageType type = order.type(address.page);
  const bool last = type + 1u == order.types();
  if (!buffer.program(address.block, order.wordline(address.page), type, last)) return 0;
  TimePs time = 0;
  for (PageType lower = 0; lower < type; ++lower) time += context_.config.array.tR[lower];
  context_.statistics.wordline_reads += type;
  return time;
}

void Die::count(const Launch& command, const PlaneAddress& address, const PageRegister& page_register) {
  NandStatistics& s = context_.statistics;
  switch (command.kind) {
    case ArrayKind::read:
      ++(command.slc ? s.slc_reads : s.reads[page_type(address, false)]);
      break;
    case ArrayKind::program:
      ++(command.slc ? s.slc_programs : s.programs[page_type(address, false)]);
      if (page_register.mask != store_.full_mask()) ++s.partial_programs;
      break;
    case ArrayKind::erase:
      ++(command.slc ? s.slc_erases : s.native_erases);
      break;
  }
}

void Die::count_multiplane(ArrayKind kind, std::uint32_t planes) {
  NandStatistics& s = context_.statistics;
  MultiplaneStatistics& m = kind == ArrayKind::read      ? s.multiplane_read
                            : kind == ArrayKind::program ? s.multiplane_program
                                                         : s.multiplane_erase;
  ++m.commands;
  m.units += planes;
}

void Die::start_busy(const Launch& command, std::uint32_t planes, TimePs duration) {
  if (plane_reads_ != nullptr && command.kind == ArrayKind::read && !command.cache && !command.copyback) {
    start_plane_reads(command, planes, duration);
    return;
  }
  // The array may still be busy with the page before.
  if (command.at < array_until_) before_ = running_;
  const FaceState& f = faces_[index(Face::bus)];
  for (std::uint32_t i = 0; i < planes; ++i) running_.planes[i] = f.queue[i];
  occupy_array(command, planes, duration);
  if (command.cache) free_cache_register(command);
  if (!context_.observers.empty()) announce(command.at);
}

/// Of the planes in `running_`.
void Die::occupy_array(const Launch& command, std::uint32_t planes, TimePs duration) {
  running_.kind = command.kind;
  running_.count = planes;
  running_.slc = command.slc;
  running_.start = std::max(command.at, array_until_);
  running_.end = running_.start + duration;
  busy_until_ = array_until_ = running_.end;
  DieStatistics& die = context_.statistics.dies[lun_];
  die.busy += duration;
  die.plane_busy += duration * planes;
  if (planes > 1) count_multiplane(command.kind, planes);
}

} // namespace twinplane::hw
