#include "platform/waves/wave_recorder.h"

#include <algorithm>
#include <utility>

#include "platform/config/error.h"
#include "platform/config/units.h"
#include "platform/waves/save_file.h"
#include "platform/waves/wave_codes.h"

namespace twinplane::platform {
namespace {

constexpr std::size_t kSmallestFlush = 8192; // changes

std::string range(std::uint32_t count, const std::string& name) {
  return name + (count == 1 ? std::string("0") : "{0.." + std::to_string(count - 1) + "}");
}

} // namespace

WaveRecorder::WaveRecorder(const Geometry& geometry, const Options& options)
    : geometry_(geometry),
      options_(options),
      signals_(options.folder / wave_file(options.format), options.format, options.scope, options.window,
               options.module),
      buses_(geometry, signals_),
      dies_(geometry, signals_, options.level_of_block),
      flush_at_(kSmallestFlush) {
  if (options.level == WaveLevel::pins) {
    pins_ = std::make_unique<PinWaves>(geometry, options.data, signals_);
  }
  declare();
  reject_unmatched();
  signals_.writer().start(tables());
  write_viewer_files();
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
  const std::string channel = range(geometry_.channels, options_.module + ".ch");
  const std::string die =
      channel + range(geometry_.chips_per_channel, ".chip") + range(geometry_.dies_per_chip, ".die");
  const std::string chips = range(geometry_.chips_per_channel, "");
  const std::string pins = pins_ == nullptr ? " (and " + channel + ".pins with waves.level = \"pins\")"
                                            : ", " + channel + ".pins.{ce" + chips +
                                                  "_n,cle,ale,we_n,re_n,dqs,dq,rb" + chips + "_n}";
  throw InputError("wave scope \"" + wrong + "\" matches no signal; there are " + options_.module +
                   ".planes_busy, " + channel + ".bus.{phase,opcode,chip}, " + die +
                   ".{rb_n,group,violation}, " + die + range(geometry_.planes_per_die, ".plane") +
                   ".{operation,state,page_type,block,page" +
                   (options_.level_of_block ? ",mode,level}" : "}") + pins);
}

std::vector<TranslationTable> WaveRecorder::tables() const {
  return translation_tables(geometry_.cell, static_cast<bool>(options_.level_of_block));
}

void WaveRecorder::write_viewer_files() const {
  write_translations(options_.folder, tables());
  write_save_file(options_.folder, {options_.module, signals_.names(), wave_file(options_.format)}, tables(),
                  options_.window);
}

void WaveRecorder::on_array(std::uint32_t channel, const hw::ArrayOperation& operation) {
  if (signals_.outside(operation.start, operation.end)) return;
  dies_.array(channel, operation);
  note_start(operation.start);
}

void WaveRecorder::on_group(std::uint32_t channel, const hw::ArrayOperation& operation,
                            const hw::PlaneAddress* places) {
  if (signals_.outside(operation.start, operation.end)) return;
  if (!dies_.group(channel, operation, places)) return NandObserver::on_group(channel, operation, places);
  note_start(operation.start);
}

void WaveRecorder::on_array_change(std::uint32_t channel, hw::ArrayChange change,
                                   const hw::ArrayOperation& operation) {
  dies_.array_change(channel, change, operation);
}

void WaveRecorder::on_ready_busy(std::uint32_t channel, std::uint32_t chip, std::uint32_t lun, bool ready,
                                 TimePs at) {
  dies_.ready_busy(channel, chip, lun, ready, at);
  if (pins_ != nullptr) pins_->ready_busy(channel, chip, lun, ready, at);
}

void WaveRecorder::on_violation(std::uint32_t channel, const hw::Violation& violation) {
  dies_.violation(channel, violation);
}

void WaveRecorder::on_tenure(std::uint32_t channel, std::uint32_t chip, const hw::OnfiTenure& tenure,
                             TimePs start, TimePs end) {
  if (signals_.outside(start, end)) return;
  buses_.record(channel, chip, tenure, start, end);
  if (pins_ != nullptr) pins_->record(channel, chip, tenure, start, end);
  note_start(start);
}

void WaveRecorder::on_timing(std::uint32_t channel, const BusTiming& bus, TimePs tDBSY) {
  buses_.set_timing(channel, bus, tDBSY);
  if (pins_ != nullptr) pins_->set_timing(channel, bus);
}

// Writes in big batches; what is younger than `until` may still get older neighbours.
void WaveRecorder::flush() {
  const TimePs until =
      options_.now ? options_.now() : latest_start_ - std::min(latest_start_, options_.slack);
  WaveWriter& writer = signals_.writer();
  writer.advance(until);
  flush_at_ = std::max(kSmallestFlush, 2 * writer.pending());
  if (!writer.ok() && options_.on_failure) std::exchange(options_.on_failure, nullptr)();
}

void WaveRecorder::finish(TimePs end) {
  signals_.writer().close(end);
  if (!ok()) throw InputError(signals_.writer().error());
  if (end >= options_.window.begin) return;
  throw InputError("wave window begins at " + format_quantity(Dimension::time, options_.window.begin) +
                   ", but the run ended at " + format_quantity(Dimension::time, end));
}

} // namespace twinplane::platform
