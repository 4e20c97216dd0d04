// The highest throughput that each part of a drive allows, from the times that the models themselves use:
// with all else free and enough requests in flight, a run reaches it and never passes it. Requests of the
// workload's size are aligned, commands have a page of every plane (on the bus: or of one, where these take
// less), pages of all types are used alike, and nothing is collected. A read of less than a page moves that
// part; a write of less programs the whole page.
#pragma once

#include <cstdint>

#include "platform/config/config.h"

namespace twinplane::platform {

/// In bytes of the host per second, whole drive; 0: no limit.
struct Throughput {
  double buses = 0;
  double dies = 0;
  double core = 0;
};

struct CoreCost {
  std::uint64_t cycles = 0; // of one request
  std::uint64_t pages = 0;  // that it reads or writes
  double requests_per_s = 0;
};

struct Limits {
  std::uint64_t request_bytes = 0; // workload.bs, or a page where bssplit mixes sizes
  Throughput reads, writes;
  double slc_writes = 0,
         slc_buses = 0; // into blocks in SLC mode, by dies and buses: drives with an SLC-mode cache
  std::uint32_t read_bytes = 0, program_bytes = 0; // on the bus for a page, with what follows its sectors
  std::uint32_t slc_bytes = 0;                     // for a program into the cache
  CoreCost core_read, core_write;                  // no cycles: an image, whose cost is not known beforehand
};

Limits limits_of(const Config& config);

} // namespace twinplane::platform
