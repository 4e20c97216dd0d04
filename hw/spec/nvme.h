// NVM Express 1.4: the registers, entries, opcodes and status codes this platform uses.
// Source: NVM Express Base Specification 1.4 (section numbers beside the items).
#pragma once

#include <cstdint>

namespace twinplane::nvme {

// --- controller registers (section 3.1), byte offsets in BAR0 ---
namespace bar {
constexpr std::uint32_t cap = 0x00;
constexpr std::uint32_t vs = 0x08;
constexpr std::uint32_t intms = 0x0C;
constexpr std::uint32_t intmc = 0x10;
constexpr std::uint32_t cc = 0x14;
constexpr std::uint32_t csts = 0x1C;
constexpr std::uint32_t nssr = 0x20;
constexpr std::uint32_t aqa = 0x24;
constexpr std::uint32_t asq = 0x28;
constexpr std::uint32_t acq = 0x30;
constexpr std::uint32_t doorbells = 0x1000;
constexpr std::uint32_t msix_table = 0x8000; // this device: MSI-X table, 16 bytes per vector, in BAR0
constexpr std::uint32_t msix_pba = 0xC000;
constexpr std::uint32_t msix_control =
    0xE000; // this device: MSI-X Message Control, bit 15 enable, bit 14 mask all
constexpr std::uint32_t size = 0x10000;
} // namespace bar

constexpr std::uint32_t kVersion14 = 0x0001'0400;

namespace cc {
constexpr std::uint32_t en = 1u << 0;
constexpr std::uint32_t css(std::uint32_t v) {
  return (v >> 4) & 7;
}
constexpr std::uint32_t mps(std::uint32_t v) {
  return (v >> 7) & 15;
}
constexpr std::uint32_t ams(std::uint32_t v) {
  return (v >> 11) & 7;
}
constexpr std::uint32_t shn(std::uint32_t v) {
  return (v >> 14) & 3;
}
constexpr std::uint32_t shn_normal = 1u << 14;
constexpr std::uint32_t iosqes(std::uint32_t v) {
  return (v >> 16) & 15;
}
constexpr std::uint32_t iocqes(std::uint32_t v) {
  return (v >> 20) & 15;
}
} // namespace cc

namespace csts {
constexpr std::uint32_t rdy = 1u << 0;
constexpr std::uint32_t cfs = 1u << 1;
constexpr std::uint32_t shst_in_progress = 1u << 2;
constexpr std::uint32_t shst_complete = 2u << 2;
constexpr std::uint32_t shst_mask = 3u << 2;
} // namespace csts

// --- shadow doorbells (sections 5.7, 7.13): a page of values that the host writes, a page of EventIdx that
// the controller writes, both laid out as the doorbell registers ---
namespace shadow {
constexpr std::uint16_t oacs = 1u << 8;    // the bit of identify that offers them
constexpr std::uint32_t most_queues = 511; // I/O pairs that fit into a page, beside the admin pair
constexpr std::uint32_t sq_tail(std::uint32_t id) {
  return 2 * id;
}
constexpr std::uint32_t cq_head(std::uint32_t id) {
  return 2 * id + 1;
}
/// The host has moved a value of a queue of `entries` from `old` to `value`: must it write the register, too?
constexpr bool passes(std::uint32_t event, std::uint32_t old, std::uint32_t value, std::uint32_t entries) {
  return event >= entries || (event + entries - old) % entries < (value + entries - old) % entries;
}
} // namespace shadow

// --- submission queue entry (section 4.2), 64 bytes ---
struct Sqe {
  std::uint8_t opcode = 0;
  std::uint8_t flags = 0; // FUSE[1:0], PSDT[7:6]
  std::uint16_t cid = 0;
  std::uint32_t nsid = 0;
  std::uint32_t cdw2 = 0;
  std::uint32_t cdw3 = 0;
  std::uint64_t mptr = 0;
  std::uint64_t prp1 = 0;
  std::uint64_t prp2 = 0;
  std::uint32_t cdw10 = 0;
  std::uint32_t cdw11 = 0;
  std::uint32_t cdw12 = 0;
  std::uint32_t cdw13 = 0;
  std::uint32_t cdw14 = 0;
  std::uint32_t cdw15 = 0;
};
static_assert(sizeof(Sqe) == 64, "NVMe 1.4 section 4.2");

// --- completion queue entry (section 4.6), 16 bytes ---
struct Cqe {
  std::uint32_t result = 0;
  std::uint32_t reserved = 0;
  std::uint16_t sq_head = 0;
  std::uint16_t sq_id = 0;
  std::uint16_t cid = 0;
  std::uint16_t status = 0; // phase tag in bit 0, status field above
};
static_assert(sizeof(Cqe) == 16, "NVMe 1.4 section 4.6");

namespace admin {
constexpr std::uint8_t delete_sq = 0x00;
constexpr std::uint8_t create_sq = 0x01;
constexpr std::uint8_t get_log_page = 0x02;
constexpr std::uint8_t delete_cq = 0x04;
constexpr std::uint8_t create_cq = 0x05;
constexpr std::uint8_t identify = 0x06;
constexpr std::uint8_t abort = 0x08;
constexpr std::uint8_t set_features = 0x09;
constexpr std::uint8_t get_features = 0x0A;
constexpr std::uint8_t async_event = 0x0C;
constexpr std::uint8_t self_test = 0x14;
constexpr std::uint8_t doorbell_buffers = 0x7C;
constexpr std::uint8_t format = 0x80;
constexpr std::uint8_t sanitize = 0x84;
} // namespace admin

namespace io {
constexpr std::uint8_t flush = 0x00;
constexpr std::uint8_t write = 0x01;
constexpr std::uint8_t read = 0x02;
constexpr std::uint8_t write_uncorrectable = 0x04;
constexpr std::uint8_t compare = 0x05;
constexpr std::uint8_t write_zeroes = 0x08;
constexpr std::uint8_t dataset_management = 0x09;
constexpr std::uint8_t verify = 0x0C;
} // namespace io

/// Dataset management field of a write/read, CDW13 bits 5:4 (section 6.9): access latency.
enum class AccessLatency : std::uint8_t { none = 0, longer = 1, typical = 2, smallest = 3 };

// --- status field: SC in bits 7:0, SCT in bits 10:8, DNR in bit 14 (section 4.6.1) ---
namespace status {
constexpr std::uint16_t dnr = 0x4000;
constexpr std::uint16_t success = 0x000;
constexpr std::uint16_t invalid_opcode = 0x001;
constexpr std::uint16_t invalid_field = 0x002;
constexpr std::uint16_t cid_conflict = 0x003;
constexpr std::uint16_t data_transfer_error = 0x004;
constexpr std::uint16_t internal_error = 0x006;
constexpr std::uint16_t abort_requested = 0x007;
constexpr std::uint16_t aborted_sq_deletion = 0x008;
constexpr std::uint16_t invalid_namespace = 0x00B;
constexpr std::uint16_t command_sequence = 0x00C;
constexpr std::uint16_t prp_offset = 0x013;
constexpr std::uint16_t sanitize_failed = 0x01C;
constexpr std::uint16_t sanitize_in_progress = 0x01D;
constexpr std::uint16_t lba_range = 0x080;
constexpr std::uint16_t capacity_exceeded = 0x081;
constexpr std::uint16_t namespace_not_ready = 0x082;
constexpr std::uint16_t format_in_progress = 0x084;
constexpr std::uint16_t cq_invalid = 0x100;
constexpr std::uint16_t qid_invalid = 0x101;
constexpr std::uint16_t queue_size = 0x102;
constexpr std::uint16_t abort_limit = 0x103;
constexpr std::uint16_t aer_limit = 0x105;
constexpr std::uint16_t interrupt_vector = 0x108;
constexpr std::uint16_t log_page = 0x109;
constexpr std::uint16_t invalid_format = 0x10A;
constexpr std::uint16_t invalid_queue_deletion = 0x10C;
constexpr std::uint16_t feature_not_saveable = 0x10D;
constexpr std::uint16_t feature_not_changeable = 0x10E;
constexpr std::uint16_t feature_not_of_namespace = 0x10F;
constexpr std::uint16_t self_test_in_progress = 0x11D;
constexpr std::uint16_t read_only_range = 0x182;
constexpr std::uint16_t write_fault = 0x280;
constexpr std::uint16_t unrecovered_read = 0x281;
constexpr std::uint16_t compare_failure = 0x285;
} // namespace status

/// One dataset management range (section 6.7), 16 bytes.
struct DsmRange {
  std::uint32_t attributes = 0;
  std::uint32_t blocks = 0;
  std::uint64_t slba = 0;
};
static_assert(sizeof(DsmRange) == 16, "NVMe 1.4 section 6.7");

} // namespace twinplane::nvme
