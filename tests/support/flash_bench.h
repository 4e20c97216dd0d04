// A channel with packages on it and a test that plays the flash controller: builds tenures, sends them
// at chosen times, reads status.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "hw/channel/channel.h"
#include "hw/nand/package.h"
#include "hw/spec/onfi_commands.h"
#include "tests/support/sc_reports.h"

namespace twinplane::test {

/// Two LUNs of two planes with eight blocks of 48 TLC pages, two sectors per page.
inline hw::NandConfig small_part() {
  hw::NandConfig c;
  c.geometry = Geometry{};
  c.geometry.dies_per_chip = 2;
  c.geometry.planes_per_die = 2;
  c.geometry.blocks_per_plane = 8;
  c.geometry.pages_per_block = 48;
  c.geometry.page_size = 8192;
  c.geometry.spare_size = 256;
  c.geometry.sector_size = 4096;
  c.geometry.cell = CellType::tlc;
  c.array.tR = {us(60), us(80), us(100), 0};
  c.array.tPROG = {us(500), us(2000), us(5500), 0};
  c.array.tBERS = ms(15);
  c.bus = timing::nv_ddr(10);
  return c;
}

/// Builds the phases of a tenure.
class Cycles {
 public:
  explicit Cycles(const Geometry& geometry) : layout_(geometry), geometry_(geometry) {}

  hw::OnfiTenure& tenure() { return tenure_; }
  Cycles& clear() {
    tenure_.phase_count = 0;
    return *this;
  }
  Cycles& command(std::uint8_t opcode) {
    tenure_.command(opcode);
    return *this;
  }
  Cycles& page_address(std::uint32_t row, std::uint32_t column = 0) {
    hw::OnfiPhase& p = tenure_.add(hw::PhaseKind::address);
    p.address_cycles = 5;
    p.address = {byte(column, 0), byte(column, 1), byte(row, 0), byte(row, 1), byte(row, 2), 0};
    return *this;
  }
  Cycles& row_address(std::uint32_t row) {
    hw::OnfiPhase& p = tenure_.add(hw::PhaseKind::address);
    p.address_cycles = 3;
    p.address = {byte(row, 0), byte(row, 1), byte(row, 2), 0, 0, 0};
    return *this;
  }
  Cycles& short_address(std::uint8_t first, std::uint32_t cycles = 1) {
    hw::OnfiPhase& p = tenure_.add(hw::PhaseKind::address);
    p.address_cycles = static_cast<std::uint8_t>(cycles);
    p.address[0] = first;
    return *this;
  }
  /// A page transfer; `sectors` and `oob` may be null.
  Cycles& page_data(hw::PhaseKind kind, std::uint32_t mask, std::uint8_t* sectors, std::uint64_t* oob) {
    hw::OnfiPhase& p = tenure_.add(kind);
    p.bytes = static_cast<std::uint32_t>(__builtin_popcount(mask)) * geometry_.sector_size;
    p.sector_mask = mask;
    p.sectors = sectors;
    p.oob = oob;
    return *this;
  }
  Cycles& bytes(hw::PhaseKind kind, std::uint8_t* data, std::uint32_t count) {
    hw::OnfiPhase& p = tenure_.add(kind);
    p.data = data;
    p.bytes = count;
    return *this;
  }
  std::uint32_t row(std::uint32_t lun, std::uint32_t plane, std::uint32_t block, std::uint32_t page) const {
    return layout_.row(lun, plane, block, page);
  }

 private:
  static std::uint8_t byte(std::uint32_t v, std::uint32_t i) {
    return static_cast<std::uint8_t>(v >> (8 * i));
  }

  RowLayout layout_;
  Geometry geometry_;
  hw::OnfiTenure tenure_;
};

/// Where a page is.
struct Place {
  std::uint32_t lun = 0;
  std::uint32_t plane = 0;
  std::uint32_t block = 0;
  std::uint32_t page = 0;
};

/// The controller's end of the bus.
struct Driver : sc_core::sc_module {
  hw::OnfiInitiatorSocket out;
  explicit Driver(sc_core::sc_module_name name) : sc_module(name), out("out") {}
};

/// A payload that borrows the tenure for as long as it lives, even when a strict die throws.
class TenurePayload {
 public:
  TenurePayload(hw::OnfiTenure& tenure, std::uint32_t chip) : tenure_(tenure) {
    payload.set_command(tlm::TLM_IGNORE_COMMAND);
    payload.set_address(chip);
    payload.set_extension(&tenure);
  }
  ~TenurePayload() { payload.clear_extension(&tenure_); }
  TenurePayload(const TenurePayload&) = delete;
  TenurePayload& operator=(const TenurePayload&) = delete;

  tlm::tlm_generic_payload payload;

 private:
  hw::OnfiTenure& tenure_;
};

class FlashBench final : public hw::NandObserver, public hw::BusObserver {
 public:
  Driver driver{"driver"};
  hw::Channel channel;
  std::vector<std::unique_ptr<hw::Package>> packages;

  explicit FlashBench(const hw::NandConfig& config = small_part(), std::uint32_t chips = 1)
      : channel("channel", hw::ChannelConfig{0, chips, config.bus, config.array.tDBSY}),
        cycles(config.geometry),
        config_(config) {
    // Refusals are what many tests provoke; they look at counters, not at the terminal.
    expect_reports("twinplane.nand");
    driver.out.bind(channel.in);
    for (std::uint32_t i = 0; i < chips; ++i) {
      hw::NandConfig c = config;
      c.chip = i;
      const std::string package_name = "chip" + std::to_string(i) + "_package";
      packages.push_back(std::make_unique<hw::Package>(package_name.c_str(), c));
      channel.chips[i].bind(packages.back()->bus);
      packages.back()->attach(*this);
    }
    channel.attach(*this);
    sc_core::sc_start(sc_core::SC_ZERO_TIME); // elaborate; time is in the annotated delay from here on
  }

  hw::Package& package(std::uint32_t chip = 0) { return *packages[chip]; }
  std::uint64_t violations(hw::Rule rule) { return package().statistics().violation(rule); }
  std::uint64_t all_violations() {
    std::uint64_t sum = 0;
    for (const std::uint64_t v : package().statistics().violations) sum += v;
    return sum;
  }

  /// Sends `cycles` at time `at` (not before the bus is free); returns its end. Default: as soon as possible.
  TimePs send(TimePs at = 0, std::uint32_t chip = 0) {
    if (at < channel.free_at()) at = channel.free_at();
    sc_core::sc_time delay = sc_core::sc_time::from_value(at);
    TenurePayload carrier(cycles.tenure(), chip);
    driver.out->b_transport(carrier.payload, delay);
    response = carrier.payload.get_response_status();
    return delay.value();
  }
  /// The same through the debug transport.
  void send_functional(std::uint32_t chip = 0) {
    TenurePayload carrier(cycles.tenure(), chip);
    driver.out->transport_dbg(carrier.payload);
  }

  TimePs ready() { return cycles.tenure().ready_at; }

  // --- whole operations; each waits until the LUN is ready and returns its status register ---
  Cycles& start_program(const Place& p, std::uint8_t confirm = 0x10, std::uint8_t first = 0x80) {
    static std::vector<std::uint8_t> zeros(65536, 0);
    return cycles.command(first)
        .page_address(row(p))
        .page_data(hw::PhaseKind::data_in, full_mask(), zeros.data(), &oob)
        .command(confirm);
  }
  std::uint32_t row(const Place& p) { return cycles.row(p.lun, p.plane, p.block, p.page); }
  std::uint8_t program(const Place& p, std::uint64_t word = 1) {
    oob = word;
    cycles.clear();
    start_program(p);
    return finish(p.lun);
  }
  std::uint8_t program_pair(const Place& a, const Place& b) {
    cycles.clear();
    start_program(a, 0x11);
    start_program(b);
    return finish(b.lun);
  }
  std::uint8_t erase(const Place& p) {
    cycles.clear().command(0x60).row_address(row(p)).command(0xD0);
    return finish(p.lun);
  }
  std::uint8_t read(const Place& p) {
    cycles.clear().command(0x00).page_address(row(p)).command(0x30);
    return finish(p.lun);
  }
  /// Sends `cycles`, waits for R/B# and reads the status with 78h.
  std::uint8_t finish(std::uint32_t lun) {
    sent_end = send(now);
    now = std::max(sent_end, ready());
    return status(Place{lun, 0, 0, 0}, 0x70);
  }
  std::uint8_t status(const Place& p, std::uint8_t opcode = 0x78, TimePs at = 0) {
    std::uint8_t value[2] = {};
    cycles.clear().command(opcode);
    if (opcode == 0x78) cycles.row_address(row(p));
    cycles.bytes(hw::PhaseKind::data_out, value, config_.bus.ddr ? 2 : 1);
    now = send(at != 0 ? at : now);
    return value[0];
  }
  std::uint32_t full_mask() const {
    return static_cast<std::uint32_t>((std::uint64_t{1} << config_.geometry.sectors_per_page()) - 1);
  }

  void on_array(std::uint32_t, const hw::ArrayOperation& o) override { arrays.push_back(o); }
  void on_ready_busy(std::uint32_t, std::uint32_t, std::uint32_t, bool, TimePs) override {
    ++ready_busy_edges;
  }
  void on_violation(std::uint32_t, const hw::Violation& v) override { seen_violations.push_back(v); }
  void on_tenure(std::uint32_t, std::uint32_t, const hw::OnfiTenure&, TimePs start, TimePs end) override {
    tenure_start = start;
    tenure_end = end;
  }

  Cycles cycles;
  std::uint64_t oob = 1;
  TimePs now = 0;
  TimePs sent_end = 0;
  tlm::tlm_response_status response = tlm::TLM_INCOMPLETE_RESPONSE;
  std::vector<hw::ArrayOperation> arrays;
  std::vector<hw::Violation> seen_violations;
  std::uint64_t ready_busy_edges = 0;
  TimePs tenure_start = 0;
  TimePs tenure_end = 0;

 private:
  hw::NandConfig config_;
};

} // namespace twinplane::test
