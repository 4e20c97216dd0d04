#include "hw/nand/bit_errors.h"

#include <algorithm>

#include "hw/core/kernel_time.h"

namespace twinplane::hw {

constexpr double kDay = 24.0 * 3600 * 1e12; // in picoseconds

BitErrors::BitErrors(const PackageContext& context, std::uint32_t lun)
    : context_(context), model_(context.config, lun), log_(context.config, context.page_order) {}

void BitErrors::note_program(const ArrayCommand& command, const PlaneCells& cells, std::uint32_t before,
                             bool functional) {
  const PageRegister& source = cells.page;
  CellLog::Program program{cells.at, command.slc, source.mask, before, command.at, functional};
  if (source.copied != 0 && source.noise && source.noise->counts) {
    program.copied = source.copied;
    program.rates = source.noise->rates.data();
  }
  log_.program(program);
}

void BitErrors::add_noise(const ArrayCommand& command, const PlaneCells& cells, std::uint32_t read_level,
                          PageRegister& target) {
  if (!target.noise) {
    target.noise = std::make_unique<ReadNoise>();
    target.noise->rates.resize(context_.config.geometry.sectors_per_page());
    target.noise->wrong.resize(target.noise->rates.size());
  }
  const PlaneAddress& a = cells.at;
  ReadNoise& noise = *target.noise;
  noise.kind = command.slc ? kSlcPages : context_.page_type(a, false);
  noise.counts = !target.blank;
  if (target.blank) return;
  const CellLog::Read read = log_.read(a, command.at);
  CellHistory history;
  history.erases = cells.block.erase_count;
  history.type = context_.page_type(a, command.slc);
  history.age = static_cast<double>(read.age) / kDay + (read.functional ? model_.age() : 0);
  history.block_reads = read.of_block;
  history.level = read_level;
  const double plain = model_.undisturbed_rate(history);
  for (std::uint32_t s = 0; s < noise.rates.size(); ++s) {
    const double disturbs = log_.disturbs(a, s, model_.neighbour());
    const double own = plain * (1 + model_.disturbance(history.erases, disturbs));
    noise.rates[s] = std::min(0.5, own + log_.inherited(a, s));
  }
  noise.key = model_.key({a.plane, a.block, a.page, history.erases, read.of_page});
}

RawErrors BitErrors::of_transfer(const PageRegister& page, std::uint32_t mask, std::uint8_t* sectors) const {
  ReadNoise& noise = *page.noise;
  RawErrors errors;
  const bool places = sectors != nullptr && context_.config.data_mode == DataMode::full;
  if (noise.counts) {
    errors = model_.errors(noise.rates.data(), mask, noise.key, noise.wrong.data(),
                           places ? &noise.flips : nullptr);
  }
  if (errors.flips != nullptr) flip_bits(sectors, *errors.flips);
  errors.kind = noise.kind;
  return errors;
}

void BitErrors::serialise(StateVisitor& state) {
  log_.serialise(state, kernel_now());
}

} // namespace twinplane::hw
