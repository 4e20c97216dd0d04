#include "platform/observe/waves/wave_recorder.h"

#include <algorithm>
#include <utility>

#include "platform/config/error.h"
#include "platform/observe/waves/wave_codes.h"

namespace twinplane::platform {
namespace {

std::string range(std::uint32_t count, const std::string& name) {
  return name + (count == 1 ? std::string("0") : "{0.." + std::to_string(count - 1) + "}");
}

} // namespace

WaveRecorder::WaveRecorder(const Geometry& geometry, const Drive& drive, std::unique_ptr<WaveFile> own,
                           WaveFile* shared)
    : geometry_(geometry),
      parts_(geometry),
      drive_(drive),
      own_(std::move(own)),
      file_(own_ != nullptr ? *own_ : *shared),
      signals_(file_.writer(), drive.scope, drive.module),
      buses_(geometry, signals_),
      dies_(geometry, signals_, drive.level_of_block) {
  file_.join(drive.module);
  if (drive.level == WaveLevel::pins) pins_ = std::make_unique<PinWaves>(geometry, drive.data, signals_);
  declare();
  reject_unmatched();
  file_.declared(drive.module, signals_.names(),
                 translation_tables(geometry.cell, static_cast<bool>(drive.level_of_block)));
}

WaveRecorder::WaveRecorder(const Geometry& geometry, const Drive& drive, WaveFile& file)
    : WaveRecorder(geometry, drive, nullptr, &file) {}

WaveRecorder::WaveRecorder(const Geometry& geometry, const Options& options)
    : WaveRecorder(geometry, options, std::make_unique<WaveFile>(options), nullptr) {
  file_.start();
}

void WaveRecorder::declare() {
  dies_.declare_drive();
  for (std::uint32_t channel = 0; channel < geometry_.channels; ++channel) {
    buses_.declare(channel);
    if (pins_ != nullptr) pins_->declare(channel);
    for (std::uint32_t chip = 0; chip < geometry_.chips_per_channel; ++chip) {
      for (std::uint32_t lun = 0; lun < geometry_.dies_per_chip; ++lun) dies_.declare(channel, chip, lun);
    }
  }
}

void WaveRecorder::reject_unmatched() const {
  const std::string wrong = signals_.scope().unmatched();
  if (wrong.empty()) return;
  const std::string channel = range(geometry_.channels, drive_.module + ".ch");
  const std::string die =
      channel + range(geometry_.chips_per_channel, ".chip") + range(geometry_.dies_per_chip, ".die");
  const std::string chips = range(geometry_.chips_per_channel, "");
  const std::string pins = pins_ == nullptr ? " (and " + channel + ".pins with waves.level = \"pins\")"
                                            : ", " + channel + ".pins.{ce" + chips +
                                                  "_n,cle,ale,we_n,re_n,dqs,dq,rb" + chips + "_n}";
  throw InputError("wave scope \"" + wrong + "\" matches no signal; there are " + drive_.module +
                   ".planes_busy, " + channel + ".bus.{phase,opcode,chip}, " + die +
                   ".{rb_n,group,violation}, " + die + range(geometry_.planes_per_die, ".plane") +
                   ".{operation,state,page_type,block,page" + (drive_.level_of_block ? ",mode,level}" : "}") +
                   pins);
}

void WaveRecorder::on_array(std::uint32_t channel, const hw::ArrayOperation& operation) {
  if (signals_.outside(operation.start, operation.end) || !parts_.has(channel, operation)) return;
  dies_.array(channel, operation);
  file_.note_start(operation.start);
}

void WaveRecorder::on_group(std::uint32_t channel, const hw::ArrayOperation& operation,
                            const hw::PlaneAddress* places) {
  if (signals_.outside(operation.start, operation.end)) return;
  const auto known = [&](const hw::PlaneAddress& place) {
    return parts_.has(channel, operation.chip, operation.lun, place.plane);
  };
  if (!std::all_of(places, places + operation.planes_in_group, known)) return;
  if (!dies_.group(channel, operation, places)) return NandObserver::on_group(channel, operation, places);
  file_.note_start(operation.start);
}

void WaveRecorder::on_array_change(std::uint32_t channel, hw::ArrayChange change,
                                   const hw::ArrayOperation& operation) {
  if (parts_.has(channel, operation)) dies_.array_change(channel, change, operation);
}

void WaveRecorder::on_ready_busy(std::uint32_t channel, std::uint32_t chip, std::uint32_t lun, bool ready,
                                 TimePs at) {
  if (!parts_.has(channel, chip, lun)) return;
  dies_.ready_busy(channel, chip, lun, ready, at);
  if (pins_ != nullptr) pins_->ready_busy(channel, chip, lun, ready, at);
}

void WaveRecorder::on_violation(std::uint32_t channel, const hw::Violation& violation) {
  if (parts_.has(channel)) dies_.violation(channel, violation);
}

void WaveRecorder::on_tenure(std::uint32_t channel, std::uint32_t chip, const hw::OnfiTenure& tenure,
                             TimePs start, TimePs end) {
  if (signals_.outside(start, end) || !parts_.has(channel, chip)) return;
  buses_.record(channel, chip, tenure, start, end);
  if (pins_ != nullptr) pins_->record(channel, chip, tenure, start, end);
  file_.note_start(start);
}

void WaveRecorder::on_timing(std::uint32_t channel, const BusTiming& bus, TimePs tDBSY) {
  if (!parts_.has(channel)) return;
  buses_.set_timing(channel, bus, tDBSY);
  if (pins_ != nullptr) pins_->set_timing(channel, bus);
}

} // namespace twinplane::platform
