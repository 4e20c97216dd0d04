// What a flash controller is configured with.
#pragma once

#include <cstdint>
#include <string>

#include "hw/controller/ecc.h"
#include "hw/core/bandwidth_port.h"
#include "hw/core/power_grant.h"
#include "hw/spec/bus_timing.h"
#include "hw/spec/data_mode.h"
#include "hw/spec/geometry.h"

namespace twinplane::hw {

/// When a program or erase is interrupted for reads that wait for its die. With R the time of a read, an
/// operation is delayed by at most most_per_operation x (reads_at_a_time x R + suspend and resume).
struct SuspendConfig {
  bool enabled = false;
  TimePs gain = us(500);                 // suspend only when the operation has more than this to go
  std::uint32_t most_per_operation = 16; // suspends of one operation
  std::uint32_t reads_at_a_time = 16;    // read groups before it is resumed
};

/// What the parts draw at VCC, microamperes. Asked for before it is drawn.
struct PowerConfig {
  PowerGrant* grant = nullptr;                   // of the drive; null: there is no limit
  std::int64_t read = 0, program = 0, erase = 0; // a plane
  double further_planes = 1;                     // each further plane of a command: share of that
  std::int64_t data_in = 0, data_out = 0;
};

struct FlashControllerConfig {
  std::uint32_t channel = 0;
  Geometry geometry;
  DataMode data_mode = DataMode::tag;
  std::string arbiter = "round_robin";
  TimePs age_limit = 0;            // of waits for the bus, see make_aged_arbiter(); 0: none
  bool poll_status = false;        // false: R/B# pin; true: status polling
  TimePs poll_interval = us(1);    // between two polls of one die
  TimePs ready_timeout = ms(1000); // a die that is busy for longer is an error
  EccConfig ecc;                   // of the engine that is inside, when nothing is bound to port `ecc_stage`
  std::uint32_t parity_per_sector = 0; // bytes that follow page data on the bus
  std::uint32_t max_groups = 1024;     // commands the controller holds
  SuspendConfig suspend;
  bool cache_reads = false;       // consecutive pages in a die's FIFO: 31h and 3Fh, tR runs beside data out
  bool independent_reads = false; // the parts read planes independently: reads of one page each overlap
  bool ddr = false;               // the bus: bytes of features go over it twice
  std::uint32_t read_retries = 0; // read levels that are tried for a page which cannot be corrected
  bool unit_words = false;     // pages are programmed with several out-of-band words (flash_flag::oob_words)
  bool slc_mode = false;       // some blocks are written, read and erased in SLC mode (flash_flag::slc_mode)
  bool one_pass = false;       // the pages of a wordline are programmed together (1Ah)
  bool copybacks = false;      // pages are moved inside the die (FlashOp::copyback)
  bool cache_programs = false; // pages of one block in a die's FIFO: 15h, data in runs beside tPROG
  BandwidthPort* dram_port = nullptr; // of the DRAM that page data cross; null: it takes no time
  ByteTime data_in;                   // the bus: how fast it takes page data
  PowerConfig power;
};

} // namespace twinplane::hw
