// Commands with random fields, and what NVMe 1.4 lets the drive answer to each.
#pragma once

#include <set>
#include <vector>

#include "tests/nvme/prp_draw.h"
#include "tests/nvme/sector_shadow.h"

namespace twinplane::test {

/// What the host found out about the drive, and what the drawing may use.
struct DriveLimits {
  std::uint64_t sectors = 0;
  std::uint32_t sector_bytes = 4096;
  std::uint32_t max_transfer = 131072; // MDTS in bytes
  std::uint32_t queues = 1;
  std::uint32_t most_queues = 64; // the drive has, whether used or not
  bool sanitizes = false;
  bool shadow_doorbells = false;
  bool volatile_cache = false;
  std::uint32_t trim_unit = 1;    // sectors that are deallocated together
  std::uint64_t hot_sectors = 96; // most commands go to so many, so that they meet
  bool broken_data = true;        // draw PRPs with faults
};

enum class Effect : std::uint8_t { none, write, zero, spoil, trim, read, verify, compare };

struct Drawn {
  nvme::Sqe sqe;
  const char* what = "";
  std::uint16_t sqid = 0;
  TimePs sent = 0;
  std::vector<std::uint16_t> legal{0}; // statuses; empty: any
  bool may_be_aborted = false;
  bool may_lose_data = false; // host memory failed under it
  bool for_ever = false;      // asynchronous event request
  HostBuffer data;
  Effect effect = Effect::none;
  std::uint32_t version = 0;
  std::uint64_t lba = 0;
  std::uint32_t sectors = 0;
  std::vector<std::uint64_t> trimmed; // sectors, each once
  std::set<std::uint64_t> zeroed;     // those of them that must read as zeros when it has succeeded
  bool equal = true;                  // compare: host data are what the shadow says
  bool certain = true;                // ... and the shadow knows
};

class CommandDraw {
 public:
  CommandDraw(Draw& draw, HostMemory& memory, PrpDraw& prps, SectorShadow& shadow, DriveLimits limits)
      : draw_(draw), memory_(memory), prps_(prps), shadow_(shadow), limits_(limits) {}

  /// For an I/O queue; what it writes has begun in the shadow.
  Drawn io();
  /// For the admin queue, but queue creation and deletion that succeed.
  Drawn admin();
  const DriveLimits& limits() const { return limits_; }

 private:
  Drawn write(std::uint32_t sectors);
  Drawn read(std::uint32_t sectors);
  Drawn compare();
  Drawn zeroes();
  Drawn spoil();
  Drawn verify();
  Drawn flush();
  Drawn deallocate();
  Drawn refused();
  Drawn identify();
  Drawn log_page();
  Drawn get_feature();
  Drawn set_feature();
  Drawn event_request();
  Drawn self_test();
  Drawn refused_format();
  Drawn unknown_admin();
  Drawn refused_queue();

  Drawn named(const char* what, std::uint8_t opcode) const;
  void address(Drawn& drawn, std::uint64_t lba, std::uint32_t sectors) const;
  std::uint64_t draw_lba(std::uint32_t sectors);
  PrpFault fault();
  /// Gives the command its data; `used` bytes of it move for sure, the others may.
  void attach(Drawn& drawn, std::uint32_t bytes, std::uint32_t used, std::uint8_t fill);
  std::vector<std::uint16_t> get_statuses(std::uint32_t id, std::uint32_t select, std::uint32_t cdw11) const;
  std::vector<std::uint16_t> set_statuses(std::uint32_t id, std::uint32_t cdw11) const;

  Draw& draw_;
  HostMemory& memory_;
  PrpDraw& prps_;
  SectorShadow& shadow_;
  DriveLimits limits_;
};

} // namespace twinplane::test
