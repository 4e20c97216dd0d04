// What an image and its loader tell each other: the boot block, which it reads; the header at
// kHeader, which it brings; and the debug window, through which a simulator looks in and preconditions the
// drive. On silicon nothing answers the window's registers, and nothing of the drive's work goes through
// them.
//
// All numbers are little-endian, all layouts those of the Arm EABI, which for these structs are those of
// x86-64, too. Addresses are the core's. Texts end with a zero.
#pragma once

#include <cstddef>
#include <cstdint>

#include "firmware/boot/firmware.h"
#include "firmware/ftl/bring_up/times.h"
#include "firmware/ftl/recovery/recovery_counters.h"
#include "firmware/hal/probe_point.h"
#include "firmware/hal/work_probe.h"
#include "firmware/nvme/logs.h"
#include "firmware/target/memory_map.h"

namespace twinplane::fw::target {

/// Counts what changes for an image in boot block, header, calls, debug window or registers.
constexpr std::uint32_t kHalVersion = 6;

constexpr std::uint32_t kImageMagic = 0x4D495054; // "TPIM"
constexpr std::uint32_t kBootMagic = 0x54425054;  // "TPBT"

/// What WorkProbe is told, by its calls. Of what a call has not got, 0.
struct WorkMessage {
  enum class Kind : std::uint32_t {
    seen,
    refused,
    issue,
    doorbells,
    done,
    dependency,
    dependency_over,
    space,
    page_buffers,
    waiting
  };
  Kind kind = Kind::seen;
  std::uint32_t first = 0;   // slot, index or die; of refused the plane
  std::uint32_t second = 0;  // plane, HeldReason, or whether space or page buffers are short
  std::uint32_t address = 0; // of IssuedWork or WaitingWork
  std::uint64_t now_ps = 0;
  std::uint64_t value = 0; // channels, or the decoder's time
};

/// The structs that cross the border, as one number: two builds that disagree about them have different ones.
constexpr std::uint32_t layout() {
  constexpr std::size_t kSizes[] = {
      sizeof(FirmwareConfig),     sizeof(FtlStatistics),      sizeof(RecoveryCounters),
      sizeof(HealthCounters),     sizeof(FlashDescriptor),    sizeof(FlashCompletion),
      sizeof(LatencyBreakdown),   sizeof(BringUpTimes),       sizeof(IssuedWork),
      sizeof(WaitingWork),        sizeof(WorkMessage),        offsetof(FtlConfig, seed),
      offsetof(FtlConfig, times), offsetof(NvmeConfig, mdts), offsetof(FtlStatistics, region)};
  std::uint32_t hash = 2166136261u;
  for (const std::size_t size : kSizes) hash = (hash ^ static_cast<std::uint32_t>(size)) * 16777619u;
  return hash;
}

/// At kBoot: on silicon written by the loader of the image, from the drive's manufacturing data.
struct BootBlock {
  std::uint32_t magic = kBootMagic;
  std::uint32_t layout = target::layout();
  std::uint32_t dram_for_hardware = 0; // bytes of DRAM from its begin: Hal::dram_size()
  std::uint32_t traced = 0;            // not zero: there is a listener to TraceEvents
  std::uint64_t dram_bytes = 0;        // all
  FirmwareConfig config;
};
static_assert(sizeof(BootBlock) <= kBootBytes);

/// Functions of the image that may be called from outside while the core waits for an interrupt, with up to
/// two words of arguments and the stack as it is. They take no time of the drive's.
enum class Call : std::uint32_t {
  exported_sectors, // 64 bits
  statistics,       // address of FtlStatistics
  store,            // LPN, address of its payload or 0: text of an error, or 0. ZeroTimeWriter::store
  write,            // the same of ZeroTimeWriter::write
  age,              // the fraction is a double at kWindow: text, or 0
  scatter,          // the seed is a 64-bit word at kWindow: text, or 0
  end_functional,
  quiesce,         // 0 or 1
  cache_level,     // plane, block
  flash_under_way, // channel
  flash_completed, // channel
  dma_posted,
  recovery,       // address of RecoveryCounters
  health,         // address of HealthCounters
  dram_use,       // writes a DramUse to kWindow
  serialise,      // loading: through debug::state
  bring_up,       // address of BringUpTimes
  class_of_plane, // plane
  tell_waiting,   // through debug::work
  write_packed, // as many numbers of units as a page has at kWindow, address of their payload or 0: text, or 0
};
constexpr std::uint32_t kCalls = static_cast<std::uint32_t>(Call::write_packed) + 1;

/// Where an observer may look (firmware/hal/probe_point.h): while the core is at `address`, `tell` may be
/// called like a Call, with what is in the `registers`, as far as these are registers.
struct ProbePoint {
  static constexpr std::uint32_t kArguments = 4;
  std::uint32_t address;
  std::uint32_t tell; // bit 0: Thumb
  std::uint32_t who;  // Watch
  std::uint8_t registers[kArguments];
};

struct ImageHeader {
  std::uint32_t magic;
  std::uint32_t hal_version;
  std::uint32_t layout;
  std::uint32_t window_begin; // code of the debug window, which is free
  std::uint32_t window_end;
  std::uint32_t work_mark;    // address of WorkMark::current
  std::uint32_t probes_begin; // ProbePoints
  std::uint32_t probes_end;
  std::uint32_t calls[kCalls]; // addresses
};
static_assert(kHeader + sizeof(ImageHeader) <= kCode + 0x200);

/// Registers of the debug window, from kDebug. Each is written with the address of a message or text.
namespace debug {
constexpr std::uint32_t panic = 0x00;      // text; the core does not go on
constexpr std::uint32_t boot_error = 0x04; // BootErrorMessage
constexpr std::uint32_t booted = 0x08;     // any value
constexpr std::uint32_t flash = 0x0C;      // FlashMessage
constexpr std::uint32_t keep_page = 0x10;  // PageMessage: Hal::keep_page
constexpr std::uint32_t kept_page = 0x14;  // PageMessage: Hal::kept_page, sets `found`
constexpr std::uint32_t drop_pages = 0x18; // PageMessage: Hal::drop_pages
constexpr std::uint32_t state = 0x1C;      // StateMessage
constexpr std::uint32_t command = 0x20;    // CommandMessage
constexpr std::uint32_t issue = 0x24;      // IssueMessage
constexpr std::uint32_t event = 0x28;      // EventMessage
constexpr std::uint32_t work = 0x2C;       // WorkMessage
} // namespace debug

struct BootErrorMessage {
  std::uint32_t step; // texts
  std::uint32_t text;
};
struct FlashMessage {
  std::uint32_t channel;
  std::uint32_t payload; // address, or 0
  FlashDescriptor descriptor;
  FlashCompletion completion; // answer
};
struct PageMessage {
  std::uint64_t word;
  std::uint32_t ppn;
  std::uint32_t bytes; // address
  std::uint32_t count;
  std::uint32_t found; // answer
};
enum class StateKind : std::uint32_t { section, bytes, refuse };
struct StateMessage {
  StateKind kind;
  std::uint32_t address; // of a text or of bytes
  std::uint32_t bytes;
};
struct CommandMessage {
  std::uint64_t seen_ps;
  std::uint64_t now_ps;
  LatencyBreakdown breakdown;
  std::uint32_t cid;
  std::uint32_t sqid;
};
struct EventMessage {
  std::uint32_t event; // TraceEvent
  std::uint32_t a;
  std::uint32_t b;
};
struct IssueMessage {
  std::uint64_t now_ps;
  std::uint16_t cid;
  std::uint16_t sqid;
  std::uint32_t index; // of the transaction
};

} // namespace twinplane::fw::target
