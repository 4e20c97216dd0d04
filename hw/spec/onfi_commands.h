// ONFI command opcodes, status bits, feature addresses and the parameter page, as in the ONFI 4.x
// command set. Where vendors differ (SLC mode) the opcode is a default that NandConfig can change.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hw/spec/geometry.h"

namespace twinplane::onfi {

namespace opcode {
constexpr std::uint8_t read = 0x00;                   // 00h a5 ... ; alone: return to data output
constexpr std::uint8_t read_confirm = 0x30;           // tR
constexpr std::uint8_t read_multiplane = 0x32;        // tDBSY, another plane follows
constexpr std::uint8_t read_cache = 0x31;             // tRCBSY; alone: the next page; after 00h a5: that page
constexpr std::uint8_t read_cache_end = 0x3F;         // tRCBSY, no further page
constexpr std::uint8_t read_copyback = 0x35;          // tR; the page stays in its register for 85h
constexpr std::uint8_t change_column = 0x05;          // 05h a2 E0h
constexpr std::uint8_t change_column_enhanced = 0x06; // 06h a5 E0h: selects LUN and plane, too
constexpr std::uint8_t change_column_confirm = 0xE0;
constexpr std::uint8_t program = 0x80;             // 80h a5 data
constexpr std::uint8_t program_continue = 0x81;    // JEDEC form of 80h for further planes
constexpr std::uint8_t change_write_column = 0x85; // 85h a2 data; a5: change row address, copyback program
constexpr std::uint8_t program_confirm = 0x10;     // tPROG
constexpr std::uint8_t program_multiplane = 0x11;  // tDBSY, another plane follows
constexpr std::uint8_t program_cache = 0x15;       // tCBSY, another page follows
constexpr std::uint8_t program_load = 0x1A;        // vendor: tDCBSYW, another page of the wordline follows
constexpr std::uint8_t erase = 0x60;               // 60h a3
constexpr std::uint8_t erase_confirm = 0xD0;       // tBERS
constexpr std::uint8_t erase_multiplane = 0xD1;    // tDBSY, another plane follows
constexpr std::uint8_t program_suspend = 0x84;     // vendor: a5, tPSPD
constexpr std::uint8_t program_resume = 0x13;      // vendor: a5
constexpr std::uint8_t erase_suspend = 0x61;       // vendor: a3, tESPD
constexpr std::uint8_t erase_resume = 0xD2;        // vendor
constexpr std::uint8_t read_status = 0x70;
constexpr std::uint8_t read_status_enhanced = 0x78; // 78h a3
constexpr std::uint8_t read_id = 0x90;              // 90h a1
constexpr std::uint8_t read_parameter_page = 0xEC;  // ECh a1, tR
constexpr std::uint8_t read_unique_id = 0xED;       // EDh a1, tR
constexpr std::uint8_t volume_select = 0xE1;        // E1h a1
constexpr std::uint8_t odt_configure = 0xE2;        // E2h a1 data4
constexpr std::uint8_t zq_long = 0xF9;              // F9h a1, tZQCL
constexpr std::uint8_t zq_short = 0xD9;             // D9h a1, tZQCS
constexpr std::uint8_t get_features = 0xEE;         // EEh a1, tFEAT
constexpr std::uint8_t set_features = 0xEF;         // EFh a1 data4, tFEAT
constexpr std::uint8_t get_lun_features = 0xD4;     // D4h a2 (LUN, feature), tFEAT of that LUN
constexpr std::uint8_t set_lun_features = 0xD5;     // D5h a2 (LUN, feature) data4, tFEAT of that LUN
constexpr std::uint8_t reset = 0xFF;                // tRST, every LUN of the target
constexpr std::uint8_t synchronous_reset = 0xFC;    // the same, keeps the interface
constexpr std::uint8_t reset_lun = 0xFA;            // FAh a3
constexpr std::uint8_t slc_enter = 0xDA;            // vendor: the next operation runs in SLC mode
constexpr std::uint8_t slc_leave = 0xDF;            // vendor: back to native mode
} // namespace opcode

/// Status register bits. Bits 5:0 are undefined while `rdy` is 0 (this model shows them as 0).
namespace status {
constexpr std::uint8_t fail = 0x01;
constexpr std::uint8_t fail_previous = 0x02; // FAILC: of operation N-1 (cache operations)
constexpr std::uint8_t suspended = 0x04;
constexpr std::uint8_t ardy = 0x20;
constexpr std::uint8_t rdy = 0x40;
constexpr std::uint8_t wp_n = 0x80;
constexpr std::uint8_t idle = wp_n | rdy | ardy; // E0h
constexpr std::uint8_t busy = wp_n;              // 80h
} // namespace status

/// Feature addresses of EEh / EFh, and of D4h / D5h behind the LUN.
namespace feature {
constexpr std::uint8_t timing_mode = 0x01;
constexpr std::uint8_t nvddr2_configuration = 0x02;
constexpr std::uint8_t drive_strength = 0x10;
constexpr std::uint8_t vendor_drive_strength = 0x80;
constexpr std::uint8_t ready_pull_down = 0x81;
constexpr std::uint8_t read_retry = 0x89;
constexpr std::uint8_t array_mode = 0x90;
constexpr std::uint32_t parameters = 4; // P1..P4
} // namespace feature

/// Byte offsets in the parameter page.
namespace parameter_page {
constexpr std::size_t bytes = 256;
constexpr std::uint32_t copies = 3;
constexpr std::size_t signature = 0; // "ONFI"
constexpr std::size_t revision = 4;
constexpr std::size_t features = 6;
constexpr std::size_t optional_commands = 8;
constexpr std::size_t jedec_commands = 10;
constexpr std::size_t copy_count = 14;
constexpr std::size_t manufacturer = 32; // 12 characters
constexpr std::size_t model = 44;        // 20 characters
constexpr std::size_t jedec_id = 64;
constexpr std::size_t page_bytes = 80;
constexpr std::size_t spare_bytes = 84;
constexpr std::size_t pages_per_block = 92;
constexpr std::size_t blocks_per_lun = 96; // all planes together
constexpr std::size_t luns = 100;
constexpr std::size_t address_cycles = 101; // [7:4] column, [3:0] row
constexpr std::size_t bits_per_cell = 102;
constexpr std::size_t bad_blocks_per_lun = 103;
constexpr std::size_t block_endurance = 105;   // value, power of ten
constexpr std::size_t guaranteed_blocks = 107; // good ones at the beginning of each LUN
constexpr std::size_t programs_per_page = 110;
constexpr std::size_t plane_address_bits = 113;
constexpr std::size_t plane_attributes = 114;
constexpr std::size_t nvddr3_modes = 116;
constexpr std::size_t sdr_modes = 129;
constexpr std::size_t tPROG_us = 133;
constexpr std::size_t tBERS_us = 135;
constexpr std::size_t tR_us = 137;
constexpr std::size_t tCCS_ns = 139;
constexpr std::size_t nvddr_modes = 141;
constexpr std::size_t nvddr2_modes = 142;
constexpr std::size_t tR_multiplane_us = 152;
constexpr std::size_t nvddr2_modes_high = 162;  // modes 8 - 10
constexpr std::size_t read_retry_options = 180; // vendor block
constexpr std::size_t crc = 254;
// plane_attributes
constexpr std::uint8_t no_block_restrictions = 1u << 1; // BAC off
constexpr std::uint8_t program_cache_planes = 1u << 2;
constexpr std::uint8_t read_cache_planes = 1u << 4;
} // namespace parameter_page

/// CRC-16 of the parameter page: polynomial 8005h, initial value 4F4Eh, most significant bit first.
constexpr std::uint16_t crc16(const std::uint8_t* data, std::size_t size) {
  std::uint32_t crc = 0x4F4E;
  for (std::size_t i = 0; i < size; ++i) {
    crc ^= std::uint32_t{data[i]} << 8;
    for (int bit = 0; bit < 8; ++bit) crc = (crc << 1) ^ ((crc & 0x8000u) != 0 ? 0x8005u : 0u);
  }
  return static_cast<std::uint16_t>(crc & 0xFFFFu);
}

/// Unique ID: sixteen copies of sixteen bytes and their complement.
constexpr std::size_t kUniqueIdBytes = 16;
constexpr std::size_t kUniqueIdCopies = 16;

constexpr std::uint32_t kColumnCycles = 2;

/// Row address cycles of a part: 3, or 4 for very large ones.
constexpr std::uint32_t row_cycles(const RowLayout& layout) {
  return layout.lun_shift() + layout.lun_bits > 24 ? 4 : 3;
}

} // namespace twinplane::onfi
