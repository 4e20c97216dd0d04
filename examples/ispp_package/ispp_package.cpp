#include "ispp_package.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "hw/core/kernel_time.h"
#include "hw/nand/tenure_expansion.h"
#include "hw/spec/data_mode.h"
#include "hw/spec/flash_descriptor.h"
#include "hw/spec/onfi_commands.h"

namespace examples {

namespace opcode = twinplane::onfi::opcode;
using hw::OnfiPlane;
using hw::OnfiTenure;
using hw::PlaneState;
using hw::Sequence;
using twinplane::kNever;
using twinplane::PageOrderTable;
using twinplane::TimePs;

IsppPackage::IsppPackage(const sc_core::sc_module_name& name, const hw::NandConfig& config)
    : PackageBlock(name),
      config_(config),
      rows_(config.geometry),
      order_(config.page_order),
      stride_(twinplane::payload_bytes(config.data_mode, config.geometry.sector_size)),
      registers_(config),
      random_(config.faults.seed * 4096 + config.channel * 64 + config.chip) {
  const twinplane::Geometry& g = config.geometry;
  if (config.one_pass) {
    SC_REPORT_ERROR("examples.ispp",
                    (std::string(this->name()) +
                     ": expected nand.one_pass = false, for pages are programmed one at a time")
                        .c_str());
  }
  if (!order_) order_ = std::make_shared<const PageOrderTable>(g.cell, g.pages_per_block, config.page_table);
  statistics_.dies.resize(g.dies_per_chip);
  bus.bind(*this);
  for (std::uint32_t lun = 0; lun < g.dies_per_chip; ++lun) {
    luns_.push_back(std::make_unique<Lun>());
    sc_core::sc_spawn([this, lun] { pulses(lun); }, ("lun" + std::to_string(lun)).c_str());
  }
}

twinplane::PageType IsppPackage::type_of(std::uint32_t row) const {
  return order_->type(rows_.page(row));
}

std::uint32_t IsppPackage::erase_count(std::uint32_t lun, std::uint32_t plane, std::uint32_t block) const {
  const auto found = erases_.find(block_of(rows_.row(lun, plane, block, 0)));
  return found == erases_.end() ? 0 : found->second;
}

// --- the bus ---

void IsppPackage::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
  auto* tenure = payload.get_extension<OnfiTenure>();
  payload.set_response_status(tenure == nullptr ? tlm::TLM_GENERIC_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
  if (tenure != nullptr) execute(*tenure, true);
}

unsigned IsppPackage::transport_dbg(tlm::tlm_generic_payload& payload) {
  auto* tenure = payload.get_extension<OnfiTenure>();
  payload.set_response_status(tenure == nullptr ? tlm::TLM_GENERIC_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
  if (tenure == nullptr) return 0;
  execute(*tenure, false);
  return tenure->plane_count;
}

void IsppPackage::execute(OnfiTenure& tenure, bool timed) {
  if (tenure.sequence == Sequence::raw) return raw(tenure);
  OnfiPlane* const last = tenure.planes.data() + tenure.plane_count;
  for (OnfiPlane* plane = tenure.planes.data(); plane != last; ++plane) {
    Lun& lun = *luns_[rows_.lun(plane->row)];
    switch (tenure.sequence) {
      case Sequence::read_command:
        lun.page_register[rows_.plane(plane->row)] = plane->row;
        if (timed) ++statistics_.reads[type_of(plane->row)];
        break;
      case Sequence::program:
        program(*plane, timed);
        break;
      case Sequence::erase:
        erase(plane->row, timed);
        break;
      case Sequence::data_out:
        data_out(*plane);
        break;
      default: {
        const bool busy = timed && plane->end < std::max(lun.ready_at, target_ready_at_);
        plane->status = busy ? twinplane::onfi::status::busy : twinplane::onfi::status::idle;
      }
    }
  }
  static constexpr PlaneState kStates[]{PlaneState::idle,    PlaneState::reading, PlaneState::programming,
                                        PlaneState::erasing, PlaneState::idle,    PlaneState::idle};
  const PlaneState state = kStates[static_cast<std::size_t>(tenure.sequence)];
  if (timed) tenure.ready_at = 0;
  if (timed && state != PlaneState::idle) start(tenure, state);
  if (tenure.phase_count != 0) hw::show_in_phases(tenure);
}

/// Resets, and what boot asks of a target: 90h, ECh, EEh, EFh, with 70h and 00h between command and answer.
void IsppPackage::raw(OnfiTenure& tenure) {
  for (std::uint32_t i = 0; i < tenure.phase_count; ++i) {
    hw::OnfiPhase& phase = tenure.phases[i];
    switch (phase.kind) {
      case hw::PhaseKind::command:
        command(phase);
        break;
      case hw::PhaseKind::address:
        address_ = phase.address[0];
        if (asked_ == opcode::read_parameter_page) target_ready_at_ = phase.end + config_.array.tR[0];
        if (asked_ == opcode::get_features) target_ready_at_ = phase.end + config_.array.tFEAT;
        break;
      case hw::PhaseKind::data_in:
        store(phase);
        break;
      case hw::PhaseKind::data_out:
        answer(phase);
        break;
    }
  }
  tenure.ready_at = target_ready_at_;
}

void IsppPackage::command(const hw::OnfiPhase& phase) {
  status_ = phase.opcode == opcode::read_status;
  switch (phase.opcode) {
    case opcode::reset: // of an idle part: this one is never interrupted
      target_ready_at_ = phase.end + config_.array.tRST_idle;
      break;
    case opcode::read_id:
    case opcode::read_parameter_page:
    case opcode::get_features:
    case opcode::set_features:
      asked_ = phase.opcode;
      break;
    case opcode::read_status:
    case opcode::read: // back to the answer
      break;
    default:
      SC_REPORT_ERROR("examples.ispp", (std::string(name()) + ": expected sequences, resets, and commands of "
                                                              "the target's registers only")
                                           .c_str());
  }
}

/// Its interface never changes: the mode is only kept. A DDR bus moves parameters on both edges.
void IsppPackage::store(const hw::OnfiPhase& phase) {
  hw::TargetRegisters::Parameters* const feature = registers_.feature(0, address_);
  const std::size_t edges = feature == nullptr ? 1 : phase.bytes / feature->size();
  for (std::size_t i = 0; feature != nullptr && i < feature->size(); ++i)
    (*feature)[i] = phase.data[i * edges];
  target_ready_at_ = phase.end + config_.array.tFEAT;
}

void IsppPackage::answer(hw::OnfiPhase& phase) {
  using twinplane::onfi::status::busy;
  using twinplane::onfi::status::idle;
  const std::uint32_t features = twinplane::onfi::feature::parameters;
  const std::uint32_t edges = asked_ == opcode::read_id ? phase.bytes / twinplane::flash_target::id_bytes
                              : asked_ == opcode::get_features ? phase.bytes / features
                                                               : 1;
  const hw::TargetRegisters::Parameters* const feature = registers_.feature(0, address_);
  for (std::uint32_t i = 0; i < phase.bytes; ++i) {
    std::uint8_t& byte = phase.data[i];
    if (status_) {
      byte = phase.start < target_ready_at_ ? busy : idle;
    } else if (asked_ == opcode::read_id) {
      byte = registers_.id(address_, i / edges);
    } else if (asked_ == opcode::read_parameter_page) {
      byte = registers_.parameter_page()[i];
    } else {
      byte = feature == nullptr ? std::uint8_t{0} : (*feature)[i / edges];
    }
  }
}

// --- the cells ---

void IsppPackage::program(const OnfiPlane& plane, bool timed) {
  Page& page = pages_[plane.row];
  page.payload.resize(std::size_t{config_.geometry.sectors_per_page()} * stride_);
  page.oob = plane.oob;
  std::uint32_t sectors = 0;
  for (std::uint32_t s = 0; s < config_.geometry.sectors_per_page(); ++s) {
    if ((plane.sector_mask >> s & 1u) == 0) continue;
    ++sectors;
    const std::size_t at = std::size_t{s} * stride_;
    if (plane.sectors != nullptr) std::memcpy(page.payload.data() + at, plane.sectors + at, stride_);
  }
  if (!timed) return;
  ++statistics_.programs[type_of(plane.row)];
  const std::uint32_t left_out = config_.geometry.sectors_per_page() - sectors;
  statistics_.sectors_left_out += left_out;
  if (left_out != 0) ++statistics_.partial_programs;
}

void IsppPackage::erase(std::uint32_t row, bool timed) {
  const std::uint32_t first = block_of(row) << rows_.page_bits;
  pages_.erase(pages_.lower_bound(first), pages_.lower_bound(first + (1u << rows_.page_bits)));
  ++erases_[block_of(row)];
  if (timed) ++statistics_.native_erases;
}

void IsppPackage::data_out(OnfiPlane& plane) {
  const std::uint32_t row = luns_[rows_.lun(plane.row)]->page_register[rows_.plane(plane.row)];
  const auto found = pages_.find(row);
  plane.blank = found == pages_.end();
  plane.corrupt = false;
  plane.errors = {};
  plane.oob = plane.blank ? ~std::uint64_t{0} : found->second.oob;
  for (std::uint32_t s = 0; plane.sectors != nullptr && s < config_.geometry.sectors_per_page(); ++s) {
    if ((plane.sector_mask >> s & 1u) == 0) continue;
    const std::size_t at = std::size_t{s} * stride_;
    if (plane.blank) {
      std::memset(plane.sectors + at, 0xFF, stride_);
    } else {
      std::memcpy(plane.sectors + at, found->second.payload.data() + at, stride_);
    }
  }
}

// --- the array ---

void IsppPackage::start(OnfiTenure& tenure, PlaneState state) {
  const std::uint32_t number = rows_.lun(tenure.planes[0].row);
  Lun& lun = *luns_[number];
  lun.rows.clear();
  for (std::uint32_t i = 0; i < tenure.plane_count; ++i) lun.rows.push_back(tenure.planes[i].row);
  lun.state = state;
  lun.start = tenure.planes[tenure.plane_count - 1].end + config_.bus.tWB;
  tell_ready(number, false, lun.start);
  if (tenure.plane_count > 1) {
    hw::MultiplaneStatistics& m = state == PlaneState::reading       ? statistics_.multiplane_read
                                  : state == PlaneState::programming ? statistics_.multiplane_program
                                                                     : statistics_.multiplane_erase;
    ++m.commands;
    m.units += tenure.plane_count;
    m.planes += tenure.plane_count;
  }
  if (state == PlaneState::programming) {
    lun.ready_at = kNever;
    lun.begin.notify(hw::to_sc_time(lun.start - hw::kernel_now()));
  } else {
    const bool reads = state == PlaneState::reading;
    lun.ready_at = lun.start + (reads ? config_.array.tR[type_of(lun.rows[0])] : config_.array.tBERS);
    announce(number, lun.start, lun.ready_at, false);
    tell_ready(number, true, lun.ready_at);
  }
  tenure.ready_at = lun.ready_at;
}

/// One thread per LUN: pulse, verify, until the cells have taken the data.
void IsppPackage::pulses(std::uint32_t number) {
  Lun& lun = *luns_[number];
  for (;;) {
    sc_core::wait(lun.begin);
    const TimePs pulse = std::max<TimePs>(1, config_.array.tPROG[type_of(lun.rows[0])] / 4);
    bool further = false;
    do {
      announce(number, hw::kernel_now(), hw::kernel_now() + pulse, further);
      sc_core::wait(hw::to_sc_time(pulse));
      further = true;
    } while (random_() % 4 != 0);
    lun.ready_at = hw::kernel_now();
    tell_ready(number, true, lun.ready_at);
    ready->on_ready(config_.chip, number, lun.ready_at);
  }
}

/// Observers are told of an operation with an open end piece by piece.
void IsppPackage::announce(std::uint32_t number, TimePs from, TimePs to, bool further) {
  const Lun& lun = *luns_[number];
  statistics_.dies[number].busy += to - from;
  statistics_.dies[number].plane_busy += (to - from) * lun.rows.size();
  for (const std::uint32_t row : lun.rows) {
    hw::ArrayOperation operation;
    operation.chip = config_.chip;
    operation.lun = number;
    operation.plane = rows_.plane(row);
    operation.block = rows_.block(row);
    operation.page = rows_.page(row);
    operation.page_type = type_of(row);
    operation.state = lun.state;
    operation.planes_in_group = static_cast<std::uint32_t>(lun.rows.size());
    operation.start = from;
    operation.end = to;
    for (hw::NandObserver* observer : observers_) {
      if (further) {
        observer->on_array_change(config_.channel, hw::ArrayChange::resumed, operation);
      } else {
        observer->on_array(config_.channel, operation);
      }
    }
  }
}

void IsppPackage::tell_ready(std::uint32_t number, bool is_ready, TimePs at) {
  for (hw::NandObserver* observer : observers_) {
    observer->on_ready_busy(config_.channel, config_.chip, number, is_ready, at);
  }
}

} // namespace examples
