// The PCI Express link between host and device: two independent directions, each booked ahead.
//
// A transfer of n bytes travels as ceil(n / max_payload) packets, each with `tlp_overhead` bytes of
// framing, sequence number, header and LCRC (PCI Express Base Specification 4.0, sections 2.2, 3.5,
// 4.2.2: 20 bytes plus a 4 to 8 byte address part). Bytes per second per lane: 2.5 and 5 GT/s with 8b/10b,
// 8, 16 and 32 GT/s with 128b/130b coding; the resulting picoseconds per byte are exact.
//   posted write      sent    = first opportunity of the direction + wire(n); arrives `latency` later
//   read by the device  request = wire(0) + latency (not booked: it fits between packets), then the host's
//                     `read_latency`, then wire(n) booked on the downstream direction, then latency.
// `ideal` is a link that takes no time at all (used to reproduce simulators without a link).
#pragma once

#include <cstdint>

#include "hw/core/reservation.h"
#include "hw/spec/sim_time.h"

namespace twinplane::hw {

struct PcieConfig {
  bool ideal = false;
  std::uint32_t generation = 3;    // 1 .. 5
  std::uint32_t lanes = 4;         // 1, 2, 4, 8, 16
  TimePs latency = ns(150);        // one way: PHY, link layer, switches
  TimePs read_latency = ns(100);   // host memory, per read of the device
  std::uint32_t max_payload = 256; // bytes, power of two, 128 .. 4096
  std::uint32_t tlp_overhead = 26; // bytes per packet
  std::uint32_t tags = 32;         // reads of write data outstanding, where host memory takes its time
};

class PcieLink {
 public:
  explicit PcieLink(const PcieConfig& config);

  /// Null when the configuration can work, else what is wrong with it.
  static const char* check(const PcieConfig& config);

  /// Device writes `bytes` to the host: when the last byte has left; it is there latency() later.
  TimePs post(TimePs at, std::uint32_t bytes) { return post(at, bytes, wire(bytes)); }
  TimePs post(TimePs at, std::uint32_t bytes, TimePs wire_time) {
    bytes_up_ += bytes;
    return up_.book(at, wire_time);
  }
  /// Device reads `bytes` of host memory: when the last byte has arrived.
  TimePs fetch(TimePs at, std::uint32_t bytes) { return fetch(at, bytes, wire(bytes)); }
  TimePs fetch(TimePs at, std::uint32_t bytes, TimePs wire_time) {
    bytes_down_ += bytes;
    return down_.book(at + request_, wire_time) + latency_;
  }
  /// Host writes a register (doorbell, not booked): when it takes effect.
  TimePs register_write(TimePs at) const { return at + register_write_; }
  /// Host reads a register: when the answer is back.
  TimePs register_read(TimePs at) const { return at + register_read_; }

  TimePs latency() const { return latency_; }
  /// Time on the wire of one transfer of `bytes` > 0.
  TimePs wire(std::uint32_t bytes) const {
    return byte_time_.duration(bytes + ((bytes + payload_mask_) >> payload_shift_) * overhead_);
  }

  TimePs busy_up() const { return up_.busy(); }
  TimePs busy_down() const { return down_.busy(); }
  std::uint64_t bytes_up() const { return bytes_up_; }
  std::uint64_t bytes_down() const { return bytes_down_; }

 private:
  Rate byte_time_;
  std::uint32_t payload_mask_;
  std::uint32_t payload_shift_;
  std::uint32_t overhead_;
  TimePs latency_;
  TimePs request_;
  TimePs register_write_;
  TimePs register_read_;
  Reservation up_;   // device to host
  Reservation down_; // host to device
  std::uint64_t bytes_up_ = 0;
  std::uint64_t bytes_down_ = 0;
};

} // namespace twinplane::hw
