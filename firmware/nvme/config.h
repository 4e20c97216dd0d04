// What the platform tells the NVMe part of the firmware at boot.
#pragma once

#include <cstdint>

#include "firmware/hal/cost.h"
#include "firmware/hal/fixed_text.h"
#include "hw/spec/data_mode.h"
#include "hw/spec/geometry.h"
#include "hw/spec/pci.h"

namespace twinplane::fw {

constexpr std::uint16_t kWarningKelvin = 343;  // identify WCTEMP, default of feature 04h
constexpr std::uint16_t kCriticalKelvin = 353; // identify CCTEMP

/// Texts are padded to their identify fields.
struct NvmeConfig {
  FixedText<21> serial_number = "TWINPLANE0000001";     // identify SN, 20 characters
  FixedText<41> model_number = "Twinplane virtual SSD"; // identify MN, 40 characters
  FixedText<9> firmware_revision = "0.1";               // identify FR, 8 characters
  std::uint16_t vendor_id = pci::kVendor;
  std::uint32_t max_io_queues = 64;       // I/O submission queues, and as many completion queues
  std::uint32_t max_queue_entries = 4096; // CAP.MQES + 1
  std::uint32_t interrupt_vectors = 65;   // MSI-X vectors of the front end
  std::uint8_t mdts = 5;                  // largest transfer: 4 KiB << mdts
  std::uint16_t temperature_kelvin = 313; // composite temperature of the SMART log
  std::uint32_t endurance_cycles = 3000;  // erases per block for "percentage used"
  bool shadow_doorbells = false;          // identify OACS bit 8
  bool volatile_write_cache = false;      // identify VWC, feature 06h

  // --- boot fills these in: what the front end allows, copies of what the FTL was told ---
  std::uint32_t async_event_requests = 4; // identify AERL + 1
  bool sanitizes = false;                 // identify SANICAP: block erase
  Geometry geometry;
  std::uint32_t unit_sectors = 1; // of a unit of the map
  DataMode data_mode = DataMode::tag;
  CostTable cost;
  std::uint64_t longest_flush_ps = 0;

  constexpr std::uint32_t max_transfer_bytes() const { return 4096u << mdts; }
  constexpr std::uint32_t max_transfer_sectors() const { return max_transfer_bytes() / geometry.sector_size; }
};

} // namespace twinplane::fw
