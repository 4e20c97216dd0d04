// What a target (all LUNs behind one CE#) answers about itself: ID bytes, parameter page, features.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hw/nand/nand_config.h"
#include "hw/spec/onfi_commands.h"

namespace twinplane::hw {

/// The copies of the parameter page (kParameterPageCopies * 256 bytes), true to the configuration.
std::vector<std::uint8_t> make_parameter_page(const NandConfig& config);

class TargetRegisters {
 public:
  using Parameters = std::array<std::uint8_t, onfi::feature::parameters>;

  explicit TargetRegisters(const NandConfig& config);

  /// Byte `offset` of the answer to 90h with this address (00h JEDEC ID, 20h "ONFI"); 0 beyond its end.
  std::uint8_t id(std::uint8_t address, std::uint32_t offset) const;
  const std::vector<std::uint8_t>& parameter_page() const { return parameter_page_; }
  /// The parameters of a feature address, of one LUN; null when the part does not have it.
  Parameters* feature(std::uint32_t lun, std::uint8_t address);
  /// A feature that each LUN has for itself: not the interface.
  bool has_lun_feature(std::uint8_t address);
  /// Byte `offset` of the answer to EDh: copies of the unique ID, each followed by its complement.
  std::uint8_t unique_id(std::uint32_t offset) const;
  /// Feature 01h changes the bus timing.
  bool has_timing_modes() const { return !interface_.empty(); }
  /// The timing of P1 of feature 01h: [3:0] and [7] mode, [5:4] interface; empty when there is none.
  std::optional<BusTiming> timing_of(std::uint8_t parameter) const;
  /// Read level back to the default. True when the interface falls back to SDR mode 0: after FFh, but not
  /// where the supply allows nothing but NV-DDR3 or NV-LPDDR4.
  bool reset(bool falls_back);
  /// All features as they are when the supply comes.
  void power_on(const NandConfig& config) {
    features_.assign(config.geometry.dies_per_chip, default_features(config));
  }
  /// FAh: the same of one LUN.
  void reset_lun(std::uint32_t lun) { *feature(lun, onfi::feature::read_retry) = {}; }

 private:
  struct Feature {
    std::uint8_t address;
    Parameters parameters;
  };

  std::string interface_; // NandConfig::bus_interface
  std::uint8_t own_mode_; // feature 01h of NandConfig::bus_mode
  BusTiming own_timing_;  // NandConfig::bus, which may be none of the tables'
  std::array<std::uint8_t, onfi::kUniqueIdBytes> unique_id_;
  std::array<std::uint8_t, 8> jedec_id_;
  std::vector<std::uint8_t> parameter_page_;
  using Features = std::array<Feature, 7>;
  static Features default_features(const NandConfig& config);

  std::vector<Features> features_; // by LUN
};

} // namespace twinplane::hw
