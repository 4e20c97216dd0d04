// The decoder of a package's command cycles, with dies behind it: any cycles in any order at any time.
//
// An input is a kind of part and a row of tenures, each of a few phases. Commands are drawn from those that
// there are, so that inputs get somewhere; now and then a byte that is none.
#include <vector>

#include "hw/nand/decoder.h"
#include "hw/nand/nand_config.h"
#include "hw/nand/statistics.h"
#include "tests/fuzz/fuzzing.h"

namespace {

using namespace twinplane;
using hw::PhaseKind;

constexpr std::uint8_t kOpcodes[] = {0x00, 0x30, 0x32, 0x31, 0x3F, 0x35, 0x05, 0x06, 0xE0, 0x80, 0x81,
                                     0x85, 0x10, 0x11, 0x15, 0x1A, 0x60, 0xD0, 0xD1, 0x84, 0x13, 0x61,
                                     0xD2, 0x70, 0x78, 0x90, 0xEC, 0xED, 0xE1, 0xE2, 0xF9, 0xD9, 0xEE,
                                     0xEF, 0xD4, 0xD5, 0xFF, 0xFC, 0xFA, 0xDA, 0xDF};
constexpr std::uint32_t kMostTenures = 200;
constexpr std::size_t kPageSectors = 32;

hw::NandConfig part_of(std::uint8_t kind) {
  hw::NandConfig c;
  c.geometry.dies_per_chip = (kind & 1) != 0 ? 2 : 1;
  c.geometry.planes_per_die = (kind & 2) != 0 ? 4 : 2;
  c.geometry.blocks_per_plane = 8;
  c.geometry.pages_per_block = 48;
  c.geometry.page_size = 8192;
  c.geometry.spare_size = 256;
  c.geometry.sector_size = 4096;
  c.geometry.cell = (kind & 4) != 0 ? CellType::tlc : CellType::slc;
  c.array.tR = {us(60), us(80), us(100), 0};
  c.array.tPROG = {us(500), us(2000), us(5500), 0};
  c.array.tBERS = ms(15);
  c.bus = timing::nv_ddr(10);
  c.pac = (kind & 8) != 0;
  c.bac = c.pac && (kind & 16) != 0;
  c.independent_plane_reads = (kind & 32) != 0;
  c.partial_programs = (kind & 64) != 0 ? 2 : 1;
  if ((kind & 128) != 0) c.faults.program = c.faults.erase = c.faults.read = 0.25;
  return c;
}

/// A package without SystemC.
class Part final : private hw::RefusalSink {
 public:
  explicit Part(const hw::NandConfig& config)
      : config_(with_order(config)),
        context_{config_, *config_.page_order, RowLayout(config_.geometry), *this, {}, {}, {},
                 0,       config_.bus},
        dies_(dies_of(context_)),
        registers_(config_),
        commands_(config_.slc_enter, config_.slc_leave, config_.one_pass),
        decoder_(hw::AccessMode::bus, {context_, dies_, registers_, commands_}),
        debug_(hw::AccessMode::debug, {context_, dies_, registers_, commands_}) {
    context_.statistics.dies.resize(config_.geometry.dies_per_chip);
  }
  hw::Decoder& decoder(bool debug) { return debug ? debug_ : decoder_; }

 private:
  static hw::NandConfig with_order(hw::NandConfig config) {
    fuzz::claim(hw::check(config).empty(), "the part is one that there can be");
    const Geometry& g = config.geometry;
    config.page_order = std::make_shared<const PageOrderTable>(g.cell, g.pages_per_block, config.page_table);
    return config;
  }
  static std::vector<hw::Die> dies_of(hw::PackageContext& context) {
    std::vector<hw::Die> dies;
    dies.reserve(context.config.geometry.dies_per_chip);
    for (std::uint32_t lun = 0; lun < context.config.geometry.dies_per_chip; ++lun)
      dies.emplace_back(context, lun);
    return dies;
  }
  void on_refusal(const hw::Refusal&) override {}

  hw::NandConfig config_;
  hw::PackageContext context_;
  std::vector<hw::Die> dies_;
  hw::TargetRegisters registers_;
  hw::CommandIndex commands_;
  hw::Decoder decoder_;
  hw::Decoder debug_;
};

/// Memory behind the data phases, as the channel's initiators have it: payloads of a page, words, bytes.
struct Buffers {
  std::vector<std::uint8_t> sectors = std::vector<std::uint8_t>(kPageSectors * 4096);
  std::uint64_t word = 7;
  std::vector<std::uint8_t> bytes = std::vector<std::uint8_t>(4096);
};

void add_data(fuzz::Bytes& bytes, hw::OnfiPhase& phase, Buffers& buffers) {
  const auto how = bytes.take<std::uint8_t>();
  if ((how & 1) == 0) {
    phase.sector_mask = how >> 1 & 3;
    phase.bytes = static_cast<std::uint32_t>(__builtin_popcount(phase.sector_mask)) * 4096;
    if ((how & 8) != 0) phase.sectors = buffers.sectors.data();
    if ((how & 16) != 0) phase.oob = &buffers.word;
    return;
  }
  phase.data = buffers.bytes.data();
  phase.bytes = bytes.take<std::uint16_t>() % 4097;
  if (phase.kind == PhaseKind::data_in) phase.data[0] = phase.data[1] = bytes.take<std::uint8_t>();
}

void add_phase(fuzz::Bytes& bytes, hw::OnfiTenure& tenure, Buffers& buffers) {
  const auto what = bytes.take<std::uint8_t>();
  hw::OnfiPhase& phase = tenure.add(static_cast<PhaseKind>(what & 3));
  switch (phase.kind) {
    case PhaseKind::command:
      phase.opcode = what == 0xFC ? bytes.take<std::uint8_t>() : kOpcodes[(what >> 2) % sizeof kOpcodes];
      break;
    case PhaseKind::address:
      phase.address_cycles = (what >> 2) % 7;
      for (std::uint8_t i = 0; i < phase.address_cycles; ++i) phase.address[i] = bytes.take<std::uint8_t>();
      break;
    case PhaseKind::data_in:
    case PhaseKind::data_out:
      add_data(bytes, phase, buffers);
      break;
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Bytes bytes(data, size);
  Part part(part_of(bytes.take<std::uint8_t>()));
  Buffers buffers;
  TimePs now = us(1);
  for (std::uint32_t i = 0; i < kMostTenures && !bytes.empty(); ++i) {
    const auto head = bytes.take<std::uint8_t>();
    hw::OnfiTenure tenure;
    const std::uint32_t phases = head % 8 + 1;
    for (std::uint32_t p = 0; p < phases; ++p) add_phase(bytes, tenure, buffers);
    for (std::uint32_t p = 0; p < phases; ++p) {
      tenure.phases[p].start = now;
      tenure.phases[p].end = now += us(1);
    }
    part.decoder((head & 8) != 0).run(tenure);
    if ((head & 16) != 0) now = std::max(now, tenure.ready_at);
    if ((head & 32) != 0) now += ms(20);
  }
  return 0;
}
