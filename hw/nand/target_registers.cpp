#include "hw/nand/target_registers.h"

#include <algorithm>
#include <cstring>

#include "hw/nand/fault_model.h"

namespace twinplane::hw {

namespace {

constexpr std::uint8_t kMaker = 0x54;
constexpr std::uint8_t kDevice = 0x50;
constexpr char kManufacturer[] = "TWINPLANE";
constexpr char kModel[] = "VIRTUAL NAND";

class PageWriter {
 public:
  explicit PageWriter(std::uint8_t* page) : page_(page) {}

  /// Little endian, `bytes` wide; values too large for the field show its largest value.
  void number(std::size_t offset, std::uint64_t value, std::size_t bytes) {
    const std::uint64_t largest = (std::uint64_t{1} << (8 * bytes)) - 1;
    value = std::min(value, largest);
    for (std::size_t i = 0; i < bytes; ++i) page_[offset + i] = static_cast<std::uint8_t>(value >> (8 * i));
  }
  void text(std::size_t offset, const char* characters, std::size_t width) {
    std::memset(page_ + offset, ' ', width);
    std::memcpy(page_ + offset, characters, std::min(width, std::strlen(characters)));
  }

 private:
  std::uint8_t* page_;
};

void describe_geometry(PageWriter& page, const Geometry& g, const NandConfig& config) {
  namespace pp = onfi::parameter_page;
  const RowLayout layout(g);
  page.number(pp::page_bytes, g.page_size, 4);
  page.number(pp::spare_bytes, g.spare_size, 2);
  page.number(pp::pages_per_block, g.pages_per_block, 4);
  page.number(pp::blocks_per_lun, std::uint64_t{g.blocks_per_plane} * g.planes_per_die, 4);
  page.number(pp::luns, g.dies_per_chip, 1);
  page.number(pp::address_cycles, onfi::kColumnCycles << 4 | onfi::row_cycles(layout), 1);
  page.number(pp::bits_per_cell, static_cast<std::uint64_t>(g.cell), 1);
  page.number(pp::programs_per_page, config.partial_programs, 1);
  page.number(pp::plane_address_bits, layout.plane_bits, 1);
  page.number(
      pp::plane_attributes,
      pp::program_cache_planes | pp::read_cache_planes | (config.bac ? 0u : pp::no_block_restrictions), 1);
}

void describe_timing(PageWriter& page, const NandConfig& config) {
  namespace pp = onfi::parameter_page;
  const auto types = static_cast<std::size_t>(config.geometry.cell);
  const auto slowest = [types](const auto& times) {
    return *std::max_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(types));
  };
  const TimePs tR = slowest(config.array.tR);
  page.number(pp::tPROG_us, slowest(config.array.tPROG) / us(1), 2);
  page.number(pp::tBERS_us, config.array.tBERS / us(1), 2);
  page.number(pp::tR_us, tR / us(1), 2);
  page.number(pp::tR_multiplane_us, tR / us(1), 2);
  page.number(pp::tCCS_ns, config.bus.tCCS / ns(1), 2);
  page.number(pp::nvddr_modes, (1u << timing::kNvDdrModes) - 1, 1);
  page.number(pp::sdr_modes, (1u << timing::kSdrModes) - 1, 2);
  page.number(pp::nvddr2_modes, 0xFF, 1);
  page.number(pp::nvddr2_modes_high, 0x07, 1);
}

/// The largest number of factory-bad blocks of a LUN of this package.
std::uint32_t most_bad_blocks(const NandConfig& config) {
  if (config.faults.factory_bad <= 0) return 0;
  const Geometry& g = config.geometry;
  std::uint32_t most = 0;
  for (std::uint32_t lun = 0; lun < g.dies_per_chip; ++lun) {
    const FaultModel faults(config, lun);
    std::uint32_t bad = 0;
    for (std::uint32_t plane = 0; plane < g.planes_per_die; ++plane) {
      for (std::uint32_t block = 0; block < g.blocks_per_plane; ++block)
        bad += faults.factory_bad(plane, block);
    }
    most = std::max(most, bad);
  }
  return most;
}

void describe_reliability(PageWriter& page, const NandConfig& config) {
  namespace pp = onfi::parameter_page;
  page.number(pp::bad_blocks_per_lun, most_bad_blocks(config), 2);
  std::uint32_t cycles = config.faults.endurance;
  std::uint32_t power = 0;
  for (; cycles > 0xFF; cycles /= 10) ++power;
  page.number(pp::block_endurance, cycles, 1);
  page.number(pp::block_endurance + 1, power, 1);
  page.number(pp::guaranteed_blocks, 1, 1);
  page.number(pp::read_retry_options, kReadLevels, 1);
}

/// Feature 01h as the boot of the platform has left it.
std::uint8_t timing_parameter(const NandConfig& config) {
  const std::string& name = config.bus_interface;
  const std::uint32_t interface_code = name == "nv-ddr"                         ? 1u
                                       : name == "nv-lpddr4"                    ? 3u
                                       : name == "nv-ddr2" || name == "nv-ddr3" ? 2u
                                                                                : 0u;
  return static_cast<std::uint8_t>((config.bus_mode & 0xFu) | interface_code << 4 |
                                   (config.bus_mode >> 4) << 7);
}

/// Any sixteen bytes that no other package of the drive has.
std::array<std::uint8_t, onfi::kUniqueIdBytes> make_unique_id(const NandConfig& config) {
  std::array<std::uint8_t, onfi::kUniqueIdBytes> id{'T', 'W', 'I', 'N'};
  for (std::size_t i = 0; i < 4; ++i) {
    id[4 + i] = static_cast<std::uint8_t>(config.channel >> 8 * i);
    id[8 + i] = static_cast<std::uint8_t>(config.chip >> 8 * i);
    id[12 + i] = static_cast<std::uint8_t>(config.faults.seed >> 8 * i);
  }
  return id;
}

} // namespace

std::vector<std::uint8_t> make_parameter_page(const NandConfig& config) {
  namespace pp = onfi::parameter_page;
  const bool multi_lun = config.geometry.dies_per_chip > 1;
  const bool multi_plane = config.geometry.planes_per_die > 1;
  std::vector<std::uint8_t> pages(pp::bytes * pp::copies, 0);
  PageWriter page(pages.data());
  page.text(pp::signature, "ONFI", 4);
  page.number(pp::revision, 1u << 9, 2); // 4.0
  // NV-DDR, NV-DDR2, ZQ calibration
  const std::uint32_t bus_features = 1u << 5 | 1u << 10 | 1u << 14;
  page.number(pp::features,
              (multi_lun ? 1u << 1 : 0u) | (multi_plane ? 1u << 3 | 1u << 6 : 0u) | bus_features, 2);
  // cache program, cache read, features, 78h, copyback, unique ID, 06h, 85h a5, FAh, E1h, E2h, D4h and D5h,
  // ZQ
  const std::uint32_t copyback = config.copybacks == 0 ? 0u : 1u << 4;
  page.number(pp::optional_commands, 0x3EEFu | copyback, 2);
  page.number(pp::jedec_commands, multi_plane ? 0x0Fu : 0x01u, 1); // 05h, 81h, copyback 81h, 60h-60h-D0h
  page.number(pp::copy_count, pp::copies, 1);
  page.text(pp::manufacturer, kManufacturer, 12);
  page.text(pp::model, kModel, 20);
  page.number(pp::jedec_id, kMaker, 1);
  describe_geometry(page, config.geometry, config);
  describe_timing(page, config);
  describe_reliability(page, config);
  page.number(pp::crc, onfi::crc16(pages.data(), pp::crc), 2);
  for (std::size_t copy = 1; copy < pp::copies; ++copy) {
    std::memcpy(pages.data() + copy * pp::bytes, pages.data(), pp::bytes);
  }
  for (std::size_t copy = 0; copy < config.faults.parameter_pages && copy < pp::copies; ++copy)
    pages[copy * pp::bytes + pp::page_bytes] ^= 1u;
  return pages;
}

TargetRegisters::TargetRegisters(const NandConfig& config)
    : interface_(config.bus_interface),
      own_mode_(timing_parameter(config)),
      own_timing_(config.bus),
      unique_id_(make_unique_id(config)),
      jedec_id_{kMaker, kDevice, static_cast<std::uint8_t>(config.geometry.cell),
                static_cast<std::uint8_t>(config.geometry.planes_per_die)},
      parameter_page_(make_parameter_page(config)),
      features_(config.geometry.dies_per_chip, default_features(config)) {}

TargetRegisters::Features TargetRegisters::default_features(const NandConfig& config) {
  return {{{onfi::feature::timing_mode, {timing_parameter(config), 0, 0, 0}},
           {onfi::feature::nvddr2_configuration, {}},
           {onfi::feature::drive_strength, {2, 0, 0, 0}}, // 35 Ohm
           {onfi::feature::vendor_drive_strength, {}},
           {onfi::feature::ready_pull_down, {}},
           {onfi::feature::read_retry, {}},
           {onfi::feature::array_mode, {}}}};
}

std::uint8_t TargetRegisters::id(std::uint8_t address, std::uint32_t offset) const {
  constexpr std::uint8_t kOnfi[] = {'O', 'N', 'F', 'I'};
  if (address == 0x00) return offset < jedec_id_.size() ? jedec_id_[offset] : std::uint8_t{0};
  if (address == 0x20) return offset < sizeof kOnfi ? kOnfi[offset] : std::uint8_t{0};
  return 0;
}

TargetRegisters::Parameters* TargetRegisters::feature(std::uint32_t lun, std::uint8_t address) {
  for (Feature& f : features_[lun]) {
    if (f.address == address) return &f.parameters;
  }
  return nullptr;
}

bool TargetRegisters::has_lun_feature(std::uint8_t address) {
  const bool interface =
      address == onfi::feature::timing_mode || address == onfi::feature::nvddr2_configuration;
  return !interface && feature(0, address) != nullptr;
}

std::uint8_t TargetRegisters::unique_id(std::uint32_t offset) const {
  constexpr std::size_t kPair = 2 * onfi::kUniqueIdBytes;
  if (offset >= onfi::kUniqueIdCopies * kPair) return 0;
  const std::uint8_t byte = unique_id_[offset % onfi::kUniqueIdBytes];
  return offset % kPair < onfi::kUniqueIdBytes ? byte : static_cast<std::uint8_t>(~byte);
}

std::optional<BusTiming> TargetRegisters::timing_of(std::uint8_t parameter) const {
  if (parameter == own_mode_) return own_timing_;
  const std::uint32_t mode = (parameter & 0xFu) | (parameter >> 7) << 4;
  switch (parameter >> 4 & 3u) {
    case 0:
      return find_bus_timing("sdr", mode);
    case 1:
      return find_bus_timing("nv-ddr", mode);
    case 2:
      return find_bus_timing(interface_ == "nv-ddr2" ? "nv-ddr2" : "nv-ddr3", mode);
    default:
      return find_bus_timing("nv-lpddr4", mode);
  }
}

bool TargetRegisters::reset(bool falls_back) {
  for (std::uint32_t lun = 0; lun < features_.size(); ++lun) reset_lun(lun);
  if (!falls_back || interface_.empty() || interface_ == "nv-ddr3" || interface_ == "nv-lpddr4") return false;
  for (std::uint32_t lun = 0; lun < features_.size(); ++lun) *feature(lun, onfi::feature::timing_mode) = {};
  return true;
}

} // namespace twinplane::hw
