// What firmware and a flash controller say to each other through device DRAM.
//
// Each channel has a submission ring of FlashDescriptor and a completion ring of FlashCompletion.
// Firmware writes descriptors, then the ring's DOORBELL register (new tail index). The controller
// executes them per die in order, dies in parallel, and appends one completion per descriptor.
// Ring indices run freely modulo 2^32; slot = index & (size - 1); sizes are powers of two.
//
// Multi-plane: consecutive descriptors of one die form one ONFI multi-plane command when all but the
// last carry `flash_flag::more`. The controller sends what it is told: whether the planes, pages and
// blocks may go together (PAC, BAC) is the firmware's duty and the die's judgement.
//
// One-pass programming of a wordline: the programs of its pages (or of one page type in several planes,
// joined by `more`) follow each other in the order of page types; all but those of the last type carry
// `load`. The controller sends 1Ah behind the former and 10h behind the latter, nothing else of the die in
// between, and completes all of them when the die has programmed: a pass that fails is reported for each of
// its pages.
#pragma once

#include <cstdint>

namespace twinplane {

enum class FlashOp : std::uint8_t {
  read = 1,    // array -> DRAM buffer (only the sectors in sector_mask are stored)
  program = 2, // DRAM buffer -> array (all sectors of the mask)
  erase = 3,   // the block of `row`
  reset = 4,   // FFh to the chip
  // The page whose row stands in `buffer` -> `row`, of the same plane: 00h-35h, 85h-10h. Its data stay in the
  // die, as they were read and not corrected; nothing goes to DRAM. Its out-of-band word is a new one, data in
  // behind 85h (ONFI: copyback with data modification). Alone in its command, in native mode.
  copyback = 5,
  // What brings a target up, alone in its command: nothing else of the chip may be under way. `row` names
  // LUN 0, `oob` what is asked for (flash_target).
  read_id = 6,             // 90h: the first eight bytes are `oob` of the completion
  read_parameter_page = 7, // ECh, from its first copy on -> DRAM at `buffer`, as bytes
  get_features = 8,        // EEh: P1..P4 are `oob` of the completion, P1 in bits 7:0
  set_features = 9,        // EFh
};
constexpr std::uint32_t kFlashOps = 10;

constexpr bool is_of_target(FlashOp op) {
  return op >= FlashOp::read_id && op <= FlashOp::set_features;
}

/// Whether a controller says in reg::flash::operations that it knows the operation.
constexpr bool knows(std::uint32_t operations, FlashOp op) {
  return (operations >> static_cast<std::uint32_t>(op) & 1u) != 0;
}

/// FlashDescriptor::oob of the operations on targets.
namespace flash_target {
constexpr std::uint32_t id_bytes = 8;
/// read_id, get_features: the address behind the command.
constexpr std::uint64_t address(std::uint8_t a) {
  return a;
}
/// set_features: the same, and P1..P4.
constexpr std::uint64_t parameters(std::uint8_t a, std::uint32_t p) {
  return std::uint64_t{p} << 32 | a;
}
/// read_parameter_page: bytes.
constexpr std::uint64_t bytes(std::uint32_t count) {
  return count;
}
} // namespace flash_target

namespace flash_flag {
constexpr std::uint8_t more = 1u << 0;     // multi-plane: another plane's descriptor follows
constexpr std::uint8_t slc_mode = 1u << 1; // run the operation in SLC mode
constexpr std::uint8_t for_host = 1u << 2; // a read of the host's own: its errors are counted apart
// Reads and programs: `oob` is the DRAM byte offset, a multiple of 8, of a word for each subpage of the page
// (geometry.subpages_per_page). A program stores those that are not all ones and leaves the others as they
// are; a read writes all of them, all ones where there is none. Without the flag the page has one word,
// which is its first subpage's.
constexpr std::uint8_t oob_words = 1u << 3;
constexpr std::uint8_t load = 1u << 4; // program: of a pass that goes on, see below
// Program: the sectors that sector_mask lacks are stored as lost ones (of a page with words of subpages,
// those of the subpages whose words are stored): nothing of them is moved, and every read of them is
// uncorrectable. That they are is stored beside the words: a read of no sector tells which ones
// (FlashCompletion::failed_sectors).
constexpr std::uint8_t loses = 1u << 6;
/// IDs and features: the target is at SDR, whatever interface the bus is for, so their bytes cross it once.
constexpr std::uint8_t sdr = 1u << 5;
} // namespace flash_flag

/// 32 bytes in device DRAM, little endian.
struct FlashDescriptor {
  std::uint8_t op = 0;    // FlashOp
  std::uint8_t flags = 0; // flash_flag
  std::uint8_t chip = 0;  // chip (CE#) on the channel
  std::uint8_t reserved = 0;
  std::uint32_t row = 0;    // ONFI row address including the LUN bits (RowLayout)
  std::uint32_t buffer = 0; // DRAM byte offset of sector 0's payload of this page; copyback: source row
  std::uint32_t sector_mask =
      0;                   // sectors moved; bit 0 = first sector of the page; contiguous for partial programs
  std::uint32_t fence = 0; // program: do not start before host DMA `fence` is done (0 = no fence)
  std::uint32_t cookie = 0; // returned in the completion
  std::uint64_t oob = 0; // program, copyback: 8 bytes of out-of-band data stored with the page (or where they
                         // are: flash_flag::oob_words)
};
static_assert(sizeof(FlashDescriptor) == 32, "descriptor layout is shared with firmware");

/// Of the sectors that a program would store, these are lost.
inline void mark_lost(FlashDescriptor& d, std::uint32_t sectors) {
  d.flags |= flash_flag::loses;
  d.sector_mask &= ~sectors;
}

namespace flash_result {
constexpr std::uint8_t fail = 1u << 0;          // status register FAIL of this plane
constexpr std::uint8_t uncorrectable = 1u << 1; // ECC gave up
constexpr std::uint8_t blank = 1u << 2;         // read of an erased page
} // namespace flash_result

/// 64 bytes in device DRAM. Times are hardware performance counters of this operation, in
/// picoseconds (one in whole nanoseconds); their sum is the time from doorbell to completion.
struct FlashCompletion {
  std::uint32_t cookie = 0;
  std::uint8_t result = 0; // flash_result bits, 0 = success
  std::uint8_t status = 0; // ONFI status register as read (E0h when the controller did not read it)
  std::uint16_t corrected_bits = 0;
  std::uint64_t oob = 0;         // read: out-of-band data of the page
  std::uint64_t bus_wait_ps = 0; // waiting in the controller: fence, other tenures on the bus
  std::uint64_t bus_ps = 0;      // own bus tenures
  std::uint64_t array_ps = 0;    // die busy (tR, tPROG, tBERS)
  std::uint64_t ecc_ps = 0;
  std::uint64_t retry_ps = 0;        // from the end of a decoding that failed to that of the last one
  std::uint32_t failed_sectors = 0;  // uncorrectable: of sector_mask, those that are. A read of no sector, by
                                     // result 0: those of the page that are stored as lost ones
  std::uint32_t suspend_wait_ns = 0; // read: until the program or erase before it was suspended
};
static_assert(sizeof(FlashCompletion) == 64, "completion layout is shared with firmware");

} // namespace twinplane
