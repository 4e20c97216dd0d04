// Bits that flip: what the die notes for the model of bit errors, and what a read gets from it.
#include "hw/nand/die.h"

namespace twinplane::hw {

constexpr double kDay = 24.0 * 3600 * 1e12; // in picoseconds

Die::Errors::Errors(const PackageContext& context, std::uint32_t lun)
    : model(context.config, lun), log(context.config, context.page_order) {}

/// Before the cells change.
void Die::note_change(const FaceState& face, const Launch& command, const PlaneAddress& a) {
  if (command.kind == ArrayKind::erase) {
    errors_->log.erase(a);
    return;
  }
  const PageStore::Block& block = store_.block(a.plane, a.block);
  const PageRegister& source = face.registers[a.plane];
  CellLog::Program program{a,          command.slc, source.mask, store_.programmed_sectors(block, a.page),
                           command.at, !face.timed};
  if (source.copied != 0 && source.noise && source.noise->counts) {
    program.copied = source.copied;
    program.rates = source.noise->rates.data();
  }
  errors_->log.program(program);
}

/// Functional reads leave no trace and meet no errors, whoever else reads the page.
void Die::add_noise(const Launch& command, const PlaneAddress& a, PageRegister& target) {
  if (!target.noise) {
    target.noise = std::make_unique<ReadNoise>();
    target.noise->rates.resize(context_.config.geometry.sectors_per_page());
    target.noise->wrong.resize(target.noise->rates.size());
  }
  ReadNoise& noise = *target.noise;
  noise.kind = command.slc ? kSlcPages : page_type(a, false);
  noise.counts = !target.blank;
  if (target.blank) return;
  const PageStore::Block& block = store_.block(a.plane, a.block);
  const ErrorModel& model = errors_->model;
  const CellLog::Read read = errors_->log.read(a, command.at);
  CellHistory history;
  history.erases = block.erase_count;
  history.type = page_type(a, command.slc);
  history.age = static_cast<double>(read.age) / kDay + (read.functional ? model.age() : 0);
  history.block_reads = read.of_block;
  history.level = read_level_;
  const double plain = model.undisturbed_rate(history);
  for (std::uint32_t s = 0; s < noise.rates.size(); ++s) {
    const double disturbs = errors_->log.disturbs(a, s, model.neighbour());
    const double own = plain * (1 + model.disturbance(block.erase_count, disturbs));
    noise.rates[s] = std::min(0.5, own + errors_->log.inherited(a, s));
  }
  noise.key = model.key({a.plane, a.block, a.page, block.erase_count, read.of_page});
}

/// The register keeps what the cells hold: each transfer of it brings the same wrong bits.
RawErrors Die::raw_errors(const PageRegister& page, std::uint32_t mask, std::uint8_t* sectors) const {
  ReadNoise& noise = *page.noise;
  RawErrors errors;
  const bool places = sectors != nullptr && context_.config.data_mode == DataMode::full;
  if (noise.counts) {
    errors = errors_->model.errors(noise.rates.data(), mask, noise.key, noise.wrong.data(),
                                   places ? &noise.flips : nullptr);
  }
  if (errors.flips != nullptr) flip_bits(sectors, *errors.flips);
  errors.kind = noise.kind;
  return errors;
}

} // namespace twinplane::hw
