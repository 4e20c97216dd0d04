// Device DRAM: one memory for everybody inside the drive.
//
//   port  target, base protocol, any number of initiators. Must grant DMI for reading and writing from
//         address 0 to the end: rings, tables and page data are accessed by pointer, and b_transport and
//         transport_dbg see the same bytes. b_transport adds no delay.
//
// What takes time is asked at bandwidth(): every transfer of page data, by the host's DMA and by the flash
// controllers, and the lines that the core's cache misses. A block is either a rate, BandwidthPort(rate,
// ample), or goes by addresses, BandwidthPort(timing), and then is asked about each (hw/core/dram_timing.h).
// Register accesses, descriptors, completions and what firmware does in its tables without a modelled cache
// take no time of it. `DramConfig::ample` is about the rate: a block that goes by addresses ignores it.
#pragma once

#include <cstdint>
#include <systemc>
#include <tlm>

#include "hw/core/bandwidth_port.h"
#include "hw/core/block.h"

namespace twinplane::hw {

struct DramConfig {
  std::uint64_t bytes = 0;
  Rate rate;          // of its data bus
  bool ample = false; // see BandwidthPort
};

class DramBlock : public Block {
 public:
  tlm::tlm_target_socket<32, tlm::tlm_base_protocol_types, 0> port{"port"};

  /// Where transfers of data are booked.
  BandwidthPort& bandwidth() { return bandwidth_; }
  const BandwidthPort& bandwidth() const { return bandwidth_; }

 protected:
  DramBlock(const sc_core::sc_module_name& name, const BandwidthPort& bandwidth)
      : Block(name), bandwidth_(bandwidth) {}

 private:
  BandwidthPort bandwidth_;
};

} // namespace twinplane::hw
