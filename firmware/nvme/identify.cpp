#include "firmware/nvme/identify.h"

#include "firmware/nvme/async_events.h"
#include "firmware/nvme/little_endian.h"
#include "firmware/nvme/logs.h"
#include "hw/spec/nvme.h"

namespace twinplane::fw {

namespace {

constexpr std::uint32_t kIdentifierBytes = 16;

// A stable identifier from the serial number: FNV-1a with two offsets, 128 bits.
struct Identifier {
  std::uint8_t bytes[kIdentifierBytes];
};
Identifier identifier_of(const char* serial) {
  std::uint64_t low = 0xCBF29CE484222325u, high = 0x9AE16A3B2F90404Fu;
  for (const char* c = serial; *c != '\0'; ++c) {
    low = (low ^ static_cast<std::uint8_t>(*c)) * 0x100000001B3u;
    high = (high ^ static_cast<std::uint8_t>(*c)) * 0x100000001B3u;
  }
  Identifier id;
  put(id.bytes, 0, low);
  put(id.bytes, 8, high);
  return id;
}

// From 1 to FFEFh, the largest that is no reserved one.
std::uint16_t controller_number(const char* serial) {
  const Identifier id = identifier_of(serial);
  return static_cast<std::uint16_t>((id.bytes[0] | id.bytes[1] << 8) % 0xFFEF + 1);
}

// RFC 4122: version 8 (vendor's own), variant 1.
Identifier uuid_of(const char* serial) {
  Identifier id = identifier_of(serial);
  id.bytes[6] = static_cast<std::uint8_t>((id.bytes[6] & 0x0F) | 0x80);
  id.bytes[8] = static_cast<std::uint8_t>((id.bytes[8] & 0x3F) | 0x80);
  return id;
}

// "nqn.2014-08.org.nvmexpress:uuid:<uuid>" (section 7.9).
void put_qualified_name(std::uint8_t* page, std::size_t offset, const char* serial) {
  constexpr char kPrefix[] = "nqn.2014-08.org.nvmexpress:uuid:";
  constexpr char kHex[] = "0123456789abcdef";
  std::memcpy(page + offset, kPrefix, sizeof kPrefix - 1);
  std::uint8_t* out = page + offset + sizeof kPrefix - 1;
  const Identifier id = uuid_of(serial);
  for (std::uint32_t i = 0; i < kIdentifierBytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) *out++ = '-';
    *out++ = static_cast<std::uint8_t>(kHex[id.bytes[i] >> 4]);
    *out++ = static_cast<std::uint8_t>(kHex[id.bytes[i] & 15]);
  }
}

// What the drive may need to become ready, or to shut down but for the write buffer.
constexpr std::uint32_t kTransitionUs = 1'000'000;

// RTD3E: the flush that a shutdown begins with, and the rest. The largest value stands for all above.
std::uint32_t shutdown_us(const NvmeConfig& config) {
  const std::uint64_t us = config.longest_flush_ps / 1'000'000 + kTransitionUs;
  return us < 0xFFFFFFFFu ? static_cast<std::uint32_t>(us) : 0xFFFFFFFFu;
}

// Figure 247, bytes 0 to 111: who the controller is.
void put_identity(std::uint8_t* page, const NvmeConfig& config) {
  put(page, 0, config.vendor_id);
  put(page, 2, config.vendor_id);
  put_text(page, 4, 20, config.serial_number);
  put_text(page, 24, 40, config.model_number);
  put_text(page, 64, 8, config.firmware_revision);
  put(page, 72, std::uint8_t{3}); // RAB: bursts of 2^3 commands
  put(page, 77, config.mdts);
  put(page, 78, controller_number(config.serial_number)); // CNTLID
  put(page, 80, nvme::kVersion14);
  put(page, 84, kTransitionUs); // RTD3R
  put(page, 88, shutdown_us(config));
  put(page, 111, std::uint8_t{1}); // CNTRLTYPE: I/O controller
  std::memcpy(page + 112, identifier_of(config.serial_number).bytes, kIdentifierBytes);
}

// At 100 MB/s, rounded up: an extended self-test reads everything, one piece after the other.
std::uint16_t extended_test_minutes(const NvmeConfig& config, std::uint64_t sectors) {
  const std::uint64_t minutes = sectors * config.geometry.sector_size / (60 * 100'000'000ull) + 1;
  return static_cast<std::uint16_t>(minutes < 0xFFFF ? minutes : 0xFFFF);
}

// Bytes 256 to 511: what the admin command set can do.
void put_admin_abilities(std::uint8_t* page, const NvmeConfig& config, std::uint64_t sectors) {
  put(page, 258, std::uint8_t{3}); // ACL
  put(page, 259, static_cast<std::uint8_t>(config.async_event_requests - 1));
  constexpr std::uint16_t kFormat = 1u << 1, kSelfTest = 1u << 4;
  const auto abilities =
      static_cast<std::uint16_t>(kFormat | kSelfTest | (config.shadow_doorbells ? nvme::shadow::oacs : 0));
  put(page, 256, abilities);          // OACS
  put(page, 260, std::uint8_t{3});    // FRMW: one slot, read only
  put(page, 261, std::uint8_t{0x0E}); // LPA: effects, extended get log page, telemetry
  put(page, 262, std::uint8_t{ErrorLog::kEntries - 1});
  put(page, 266, kWarningKelvin);
  put(page, 268, kCriticalKelvin);
  put(page, 280, sectors * config.geometry.sector_size);  // TNVMCAP
  put(page, 316, extended_test_minutes(config, sectors)); // EDSTT
  put(page, 318, std::uint8_t{1});                        // DSTO: one test at a time
  // NODMMAS: media are not modified behind it; NDI: deallocation is not inhibited
  constexpr std::uint32_t kBlockErase = 1u << 1, kNoDeallocateInhibited = 1u << 29, kNotModified = 1u << 30;
  put(page, 328, config.sanitizes ? kBlockErase | kNoDeallocateInhibited | kNotModified : 0u); // SANICAP
}

// Bytes 512 to 2079: what the NVM command set can do.
void put_io_abilities(std::uint8_t* page, const NvmeConfig& config) {
  constexpr std::uint16_t kCompare = 1u << 0, kWriteUncorrectable = 1u << 1, kDatasetManagement = 1u << 2,
                          kWriteZeroes = 1u << 3, kSelect = 1u << 4, kTimestamp = 1u << 6, kVerify = 1u << 7;
  constexpr std::uint8_t kFlushesAll = 3u << 1;
  put(page, 512, std::uint8_t{0x66}); // SQES
  put(page, 513, std::uint8_t{0x44}); // CQES
  put(page, 516, kNsid);              // NN
  put(page, 520,
      std::uint16_t{kCompare | kWriteUncorrectable | kDatasetManagement | kWriteZeroes | kSelect |
                    kTimestamp | kVerify}); // ONCS; FNA is 0: a format is of one namespace, or of all
  put(page, 525, static_cast<std::uint8_t>(kFlushesAll | (config.volatile_write_cache ? 1 : 0))); // VWC
  // A write may lie on parts of two flash pages, which are programmed at different times.
  put(page, 526, std::uint16_t{0}); // AWUN: a logical block
  put(page, 528, std::uint16_t{0}); // AWUPF: likewise
  put(page, 530, std::uint8_t{1});  // ICSVSCC
  put_qualified_name(page, 768, config.serial_number);
  put(page, 2048, std::uint16_t{2500}); // PSD0: 25 W
}

} // namespace

void write_identify_controller(std::uint8_t* page, const NvmeConfig& config, std::uint64_t sectors) {
  put_identity(page, config);
  put_admin_abilities(page, config, sectors);
  put_io_abilities(page, config);
}

void write_identify_namespace(std::uint8_t* page, const NvmeConfig& config, const NamespaceSize& size) {
  const Geometry& g = config.geometry;
  const auto unit = static_cast<std::uint16_t>(config.unit_sectors - 1);
  const auto stripe_unit = static_cast<std::uint16_t>(g.sectors_per_page() * g.planes_per_die - 1);
  constexpr std::uint8_t kOptimalSizesGiven = 1u << 4; // NSFEAT OPTPERF
  put(page, 0, size.sectors);
  put(page, 8, size.sectors);
  put(page, 16, size.used < size.sectors ? size.used : size.sectors);
  put(page, 24, kOptimalSizesGiven);
  put(page, 33, std::uint8_t{1}); // DLFEAT: deallocated sectors read as zeros
  put(page, 48, size.sectors * g.sector_size);
  put(page, 64, unit);        // NPWG
  put(page, 66, unit);        // NPWA
  put(page, 68, unit);        // NPDG
  put(page, 70, unit);        // NPDA
  put(page, 72, stripe_unit); // NOWS: one page in every plane of a die
  const Identifier id = identifier_of(config.serial_number);
  std::memcpy(page + 104, id.bytes, kIdentifierBytes);
  std::memcpy(page + 120, id.bytes, 8);
  put(page, 130, static_cast<std::uint8_t>(address_bits(g.sector_size))); // LBAF0 LBADS
}

void write_active_namespaces(std::uint8_t* page, std::uint32_t after) {
  if (after < kNsid) put(page, 0, kNsid);
}

void write_namespace_descriptors(std::uint8_t* page, const NvmeConfig& config) {
  constexpr std::uint8_t kEui64 = 1, kNguid = 2, kUuid = 3;
  const Identifier id = identifier_of(config.serial_number);
  const Identifier uuid = uuid_of(config.serial_number);
  const auto add = [&page](std::uint8_t type, std::uint8_t length, const std::uint8_t* bytes) {
    page[0] = type;
    page[1] = length;
    std::memcpy(page + 4, bytes, length);
    page += 4 + length;
  };
  add(kEui64, 8, id.bytes);
  add(kNguid, 16, id.bytes);
  add(kUuid, 16, uuid.bytes);
}

} // namespace twinplane::fw
