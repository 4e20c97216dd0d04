#include "firmware/ftl/bring_up/parameter_page.h"

#include "hw/spec/onfi_commands.h"

namespace twinplane::fw {

namespace {

namespace pp = onfi::parameter_page;

std::uint32_t number(const std::uint8_t* page, std::size_t offset, std::size_t bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) value |= std::uint32_t{page[offset + i]} << (8 * i);
  return value;
}

/// A bit that has to be set.
struct Ability {
  const char* name;
  bool used;
  std::size_t offset;
  std::uint32_t bit;
};

/// Bit of the interface's modes; 0: the page has no field that is sure for it (NV-DDR3, NV-LPDDR4).
Ability timing_mode(const FtlConfig& c) {
  constexpr char kName[] = "support of the timing mode";
  switch (c.bus_interface) {
    case BusInterface::sdr:
      return {kName, true, pp::sdr_modes, c.bus_mode};
    case BusInterface::nv_ddr:
      return {kName, true, pp::nvddr_modes, c.bus_mode};
    case BusInterface::nv_ddr2:
      if (c.bus_mode >= 8) return {kName, true, pp::nvddr2_modes_high, c.bus_mode - 8u};
      return {kName, true, pp::nvddr2_modes, c.bus_mode};
    case BusInterface::fixed:
    case BusInterface::nv_ddr3:
    case BusInterface::nv_lpddr4:
      break;
  }
  return {kName, false, 0, 0};
}

Refusal::Field compare_abilities(const std::uint8_t* page, const FtlConfig& c) {
  const bool planes = c.geometry.planes_per_die > 1;
  const Ability abilities[] = {
      {"multi-plane program and erase", planes, pp::features, 3},
      {"multi-plane read", planes, pp::features, 6},
      {"set and get features", true, pp::optional_commands, 2},
      {"read status enhanced", c.geometry.dies_per_chip > 1 || planes, pp::optional_commands, 3},
      {"copyback", c.copybacks != 0, pp::optional_commands, 4},
      {"no block address restrictions", planes && !c.bac, pp::plane_attributes, 1},
      timing_mode(c),
  };
  for (const Ability& a : abilities) {
    const bool has = (page[a.offset + a.bit / 8] >> a.bit % 8 & 1u) != 0;
    if (a.used && !has) return {a.name, 0, 1};
  }
  return {nullptr, 0, 0};
}

} // namespace

std::uint32_t timing_parameter(const FtlConfig& config) {
  const std::uint32_t interface = config.bus_interface == BusInterface::nv_ddr      ? 1
                                  : config.bus_interface == BusInterface::nv_lpddr4 ? 3
                                  : config.bus_interface == BusInterface::sdr       ? 0
                                                                                    : 2;
  const std::uint32_t mode = config.bus_mode;
  return (mode & 0xFu) | interface << 4 | mode >> 4 << 7;
}

bool falls_back(const FtlConfig& config) {
  return config.bus_interface == BusInterface::sdr || config.bus_interface == BusInterface::nv_ddr ||
         config.bus_interface == BusInterface::nv_ddr2;
}

const std::uint8_t* intact_copy(const std::uint8_t* pages, std::uint32_t copies) {
  for (std::uint32_t i = 0; i < copies; ++i) {
    const std::uint8_t* const page = pages + i * pp::bytes;
    if (onfi::crc16(page, pp::crc) == number(page, pp::crc, 2)) return page;
  }
  return nullptr;
}

Refusal::Field compare(const std::uint8_t* page, const FtlConfig& config) {
  const Geometry& g = config.geometry;
  const struct {
    const char* name;
    std::size_t offset, bytes;
    std::uint32_t expected;
  } fields[] = {
      {"data bytes per page", pp::page_bytes, 4, g.page_size},
      {"spare bytes per page", pp::spare_bytes, 2, g.spare_size},
      {"pages per block", pp::pages_per_block, 4, g.pages_per_block},
      {"blocks per LUN", pp::blocks_per_lun, 4, g.blocks_per_plane * g.planes_per_die},
      {"LUNs", pp::luns, 1, g.dies_per_chip},
      {"bits per cell", pp::bits_per_cell, 1, static_cast<std::uint32_t>(g.cell)},
      {"plane address bits", pp::plane_address_bits, 1, RowLayout(g).plane_bits},
  };
  for (const auto& f : fields) {
    const std::uint32_t largest =
        f.bytes == 4 ? 0xFFFFFFFFu : (1u << 8 * f.bytes) - 1; // that a field can show
    const std::uint32_t expected = f.expected < largest ? f.expected : largest;
    const std::uint32_t found = number(page, f.offset, f.bytes);
    if (found != expected) return {f.name, found, expected};
  }
  return compare_abilities(page, config);
}

} // namespace twinplane::fw
