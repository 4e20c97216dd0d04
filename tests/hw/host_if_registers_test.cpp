// Do the NVMe registers and doorbells behave as the specification says?
#include <gtest/gtest.h>

#include "tests/support/front_end_bench.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::host_if_registers_test {
namespace {

using Bench = FrontEndBench;

TEST(NvmeRegisters, DescribeTheController) {
  hw::HostInterfaceConfig config = Bench::ideal();
  config.max_queue_entries = 256;
  config.ready_timeout = 15;
  Bench bench(config);
  const std::uint64_t cap = bench.read32(nvme::bar::cap) | std::uint64_t{bench.read32(nvme::bar::cap + 4)}
                                                               << 32;
  EXPECT_EQ(cap & 0xFFFF, 255u) << "MQES";
  EXPECT_EQ(cap >> 16 & 1, 1u) << "CQR";
  EXPECT_EQ(cap >> 17 & 3, 1u) << "AMS: weighted round robin";
  EXPECT_EQ(cap >> 24 & 0xFF, 15u) << "TO";
  EXPECT_EQ(cap >> 32 & 15, 0u) << "DSTRD";
  EXPECT_EQ(cap >> 37 & 0xFF, 1u) << "CSS: NVM command set";
  EXPECT_EQ(cap >> 48 & 0xFF, 0u) << "MPSMIN = MPSMAX = 4 KiB";
  EXPECT_EQ(bench.read32(nvme::bar::vs), 0x10400u);
  EXPECT_EQ(bench.read32(nvme::bar::csts), 0u);
}

TEST(NvmeRegisters, BecomeReadyWhenFirmwareSaysSo) {
  Bench bench(Bench::ideal());
  bench.set_admin_queues();
  bench.write32(nvme::bar::cc, Bench::kCcEnable);
  EXPECT_EQ(bench.read32(nvme::bar::csts), 0u);
  bench.run(us(1));
  EXPECT_EQ(bench.read32(nvme::bar::csts), nvme::csts::rdy);
  EXPECT_EQ(bench.firmware.events, reg::host_event::enabled);
}

struct BadEnable {
  const char* name;
  std::uint32_t cc;
  std::uint32_t aqa;
  std::uint64_t asq;
  std::uint64_t acq;
};
void PrintTo(const BadEnable& parameter, std::ostream* out) {
  *out << parameter_names::text_of(parameter);
}

class NvmeEnable : public ::testing::TestWithParam<BadEnable> {};

TEST_P(NvmeEnable, FailsWithFatalStatus) {
  Bench bench(Bench::ideal());
  const BadEnable& bad = GetParam();
  bench.write32(nvme::bar::aqa, bad.aqa);
  bench.write64(nvme::bar::asq, bad.asq);
  bench.write64(nvme::bar::acq, bad.acq);
  bench.write32(nvme::bar::cc, bad.cc);
  bench.run(us(10));
  EXPECT_EQ(bench.read32(nvme::bar::csts), nvme::csts::cfs) << bad.name;
  EXPECT_EQ(bench.firmware.events, 0u);
  bench.write32(nvme::bar::cc, 0); // the way out is a reset
  bench.run(us(10));
  EXPECT_EQ(bench.read32(nvme::bar::csts), 0u);
  bench.enable();
  EXPECT_EQ(bench.read32(nvme::bar::csts), nvme::csts::rdy);
}

constexpr std::uint32_t kGoodAqa = 15u << 16 | 15u;
INSTANTIATE_TEST_SUITE_P(
    Settings, NvmeEnable,
    ::testing::Values(
        BadEnable{"one-entry admin SQ", Bench::kCcEnable, 15u << 16, Bench::kAdminSq, Bench::kAdminCq},
        BadEnable{"one-entry admin CQ", Bench::kCcEnable, 15u, Bench::kAdminSq, Bench::kAdminCq},
        BadEnable{"ASQ not page aligned", Bench::kCcEnable, kGoodAqa, Bench::kAdminSq + 64, Bench::kAdminCq},
        BadEnable{"ACQ not set", Bench::kCcEnable, kGoodAqa, Bench::kAdminSq, 0},
        BadEnable{"8 KiB pages", Bench::kCcEnable | 1u << 7, kGoodAqa, Bench::kAdminSq, Bench::kAdminCq},
        BadEnable{"IOSQES 7", 1 | 7u << 16 | 4u << 20, kGoodAqa, Bench::kAdminSq, Bench::kAdminCq},
        BadEnable{"IOCQES 5", 1 | 6u << 16 | 5u << 20, kGoodAqa, Bench::kAdminSq, Bench::kAdminCq},
        BadEnable{"vendor arbitration", Bench::kCcEnable | 7u << 11, kGoodAqa, Bench::kAdminSq,
                  Bench::kAdminCq},
        BadEnable{"all command sets", Bench::kCcEnable | 6u << 4, kGoodAqa, Bench::kAdminSq,
                  Bench::kAdminCq}),
    parameter_name);

TEST(NvmeRegisters, ResetDeletesQueuesAndKeepsAdminRegisters) {
  Bench bench(Bench::ideal());
  bench.enable();
  bench.create_pair(1, 16);
  bench.write32(nvme::bar::cc, 0);
  bench.run(us(1));
  EXPECT_EQ(bench.read32(nvme::bar::csts), 0u);
  EXPECT_NE(bench.firmware.events & reg::host_event::disabled, 0u);
  EXPECT_EQ(bench.read32(nvme::bar::asq), static_cast<std::uint32_t>(Bench::kAdminSq));
  bench.write32(nvme::bar::cc, Bench::kCcEnable);
  bench.run(us(1));
  bench.ring(1);
  EXPECT_EQ(bench.front.statistics().bad_doorbells, 1u) << "queue 1 is gone";
}

TEST(NvmeRegisters, ResetWithCommandsInFlightNeverReachesTheHostAgain) {
  Bench bench(Bench::ideal());
  bench.enable();
  bench.create_pair(1, 16);
  const std::uint16_t slot = bench.send(Bench::io(nvme::io::read, 1, 1));
  bench.firmware.buffer(StubFirmware::kBuffers)[0] = 0xAB;
  bench.write32(nvme::bar::cc, 0); // firmware has not heard of it when it posts
  bench.firmware.post(DmaOp::to_host, slot, 0, 1, StubFirmware::kBuffers);
  bench.firmware.complete(slot);
  bench.firmware.kick();
  bench.run(us(10));
  EXPECT_EQ(bench.host.load<std::uint8_t>(Bench::kData), 0u);
  EXPECT_EQ(bench.host.messages.size(), 0u);
  EXPECT_EQ(bench.firmware.read(reg::host::inflight), 0u);
  EXPECT_EQ(bench.front.statistics().firmware_faults, 0u);
}

TEST(NvmeRegisters, ShutdownIsReportedWhenFirmwareHasFinished) {
  Bench bench(Bench::ideal());
  bench.enable();
  bench.write32(nvme::bar::cc, Bench::kCcEnable | 1u << 14);
  EXPECT_EQ(bench.read32(nvme::bar::csts), nvme::csts::rdy | nvme::csts::shst_in_progress);
  bench.run(us(1));
  EXPECT_EQ(bench.read32(nvme::bar::csts), nvme::csts::rdy | nvme::csts::shst_complete);
  bench.write32(nvme::bar::cc, 0);
  bench.run(us(1));
  EXPECT_EQ(bench.read32(nvme::bar::csts), 0u);
}

TEST(NvmeRegisters, RegisterReadsTakeALinkRoundTrip) {
  hw::HostInterfaceConfig config; // Gen3 x4: 253.90625 ps per byte
  config.pcie.latency = ns(150);
  Bench bench(config);
  hw::RegisterAccess access;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  access.read(bench.host.bar, nvme::bar::vs, delay);
  const TimePs request = (26 * 25390625ull + 99999) / 100000; // an empty packet
  const TimePs answer = (30 * 25390625ull + 99999) / 100000;
  EXPECT_EQ(delay.value(), 2 * ns(150) + request + answer);
}

TEST(NvmeRegisters, RefuseOddAccesses) {
  Bench bench(Bench::ideal());
  tlm::tlm_generic_payload payload;
  std::uint8_t data[16] = {};
  payload.set_command(tlm::TLM_READ_COMMAND);
  payload.set_data_ptr(data);
  const auto response = [&](std::uint64_t address, std::uint32_t length) {
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    payload.set_address(address);
    payload.set_data_length(length);
    payload.set_streaming_width(length);
    bench.host.bar->b_transport(payload, delay);
    return payload.get_response_status();
  };
  EXPECT_EQ(response(0, 8), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(response(0, 2), tlm::TLM_BURST_ERROR_RESPONSE);
  EXPECT_EQ(response(2, 4), tlm::TLM_BURST_ERROR_RESPONSE);
  EXPECT_EQ(response(4, 8), tlm::TLM_BURST_ERROR_RESPONSE);
  EXPECT_EQ(response(nvme::bar::size, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

TEST(NvmeRegisters, RefuseAStreamingWidthBelowTheLength) {
  Bench bench(Bench::ideal());
  tlm::tlm_generic_payload payload;
  std::uint8_t data[4] = {};
  payload.set_command(tlm::TLM_READ_COMMAND);
  payload.set_data_ptr(data);
  payload.set_data_length(4);
  const auto response = [&](std::uint32_t width) {
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    payload.set_address(nvme::bar::vs);
    payload.set_streaming_width(width);
    bench.host.bar->b_transport(payload, delay);
    return payload.get_response_status();
  };
  EXPECT_EQ(response(2), tlm::TLM_BURST_ERROR_RESPONSE);
  EXPECT_EQ(response(0), tlm::TLM_BURST_ERROR_RESPONSE);
  EXPECT_EQ(response(4), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(response(8), tlm::TLM_OK_RESPONSE) << "wider is as wide as the data";
}

TEST(NvmeDoorbells, OfQueuesThatDoNotExistAreReportedAndIgnored) {
  Bench bench(Bench::ideal());
  bench.enable();
  bench.write32(nvme::bar::doorbells + 8 * 3, 1);
  bench.run(us(1));
  EXPECT_NE(bench.firmware.events & reg::host_event::bad_doorbell, 0u);
  EXPECT_EQ(bench.firmware.read(reg::host::event_info), 0u) << "write to an invalid doorbell register";
}

TEST(NvmeDoorbells, WithValuesOutsideTheQueueAreReportedAndIgnored) {
  Bench bench(Bench::ideal());
  bench.enable();
  bench.create_pair(1, 8);
  bench.write32(nvme::bar::doorbells + 8, 8);
  bench.run(us(1));
  EXPECT_NE(bench.firmware.events & reg::host_event::bad_doorbell, 0u);
  EXPECT_EQ(bench.firmware.read(reg::host::event_info), 1u) << "invalid doorbell write value";
  EXPECT_EQ(bench.firmware.seen.size(), 0u);
  bench.ring_head(1, 8);
  bench.ring_head(1, 3); // nothing was posted: nothing can be taken
  EXPECT_EQ(bench.front.statistics().bad_doorbells, 3u);
  bench.write32(nvme::bar::doorbells + 8, 7); // the queue still works
  bench.run(us(1));
  EXPECT_EQ(bench.firmware.seen.size(), 7u);
}

TEST(NvmeQueues, AreRefusedWithTheSpecifiedStatus) {
  hw::HostInterfaceConfig config = Bench::ideal();
  config.max_io_queues = 4;
  config.max_queue_entries = 64;
  Bench bench(config);
  bench.enable();
  StubFirmware& f = bench.firmware;
  namespace op = reg::queue_op;
  namespace st = nvme::status;
  const std::uint64_t base = Bench::kCq;
  EXPECT_EQ(f.queue(op::create_cq, 5, base, 16), st::qid_invalid);
  EXPECT_EQ(f.queue(op::create_cq, 0, base, 16), st::qid_invalid);
  EXPECT_EQ(f.queue(op::create_cq, 1, base, 1), st::queue_size);
  EXPECT_EQ(f.queue(op::create_cq, 1, base, 65), st::queue_size);
  EXPECT_EQ(f.queue(op::create_cq, 1, base + 16, 64), st::prp_offset);
  EXPECT_EQ(f.queue(op::create_cq, 1, base, 64, 0, 1 | 5u << 16), st::interrupt_vector);
  EXPECT_EQ(f.queue(op::create_cq, 1, base, 64, 0, 1 | 4u << 16), st::success);
  EXPECT_EQ(f.queue(op::create_cq, 1, base, 64), st::qid_invalid) << "exists already";
  EXPECT_EQ(f.queue(op::create_sq, 1, base, 64, 2), st::cq_invalid);
  EXPECT_EQ(f.queue(op::create_sq, 1, base, 64, 0), st::cq_invalid) << "the admin queue takes no I/O";
  EXPECT_EQ(f.queue(op::create_sq, 1, base, 64, 1), st::success);
  EXPECT_EQ(f.queue(op::delete_cq, 1), st::invalid_queue_deletion);
  EXPECT_EQ(f.queue(op::delete_sq, 2), st::qid_invalid);
  EXPECT_EQ(f.queue(op::delete_sq, 0), st::qid_invalid);
  EXPECT_EQ(f.queue(op::delete_sq, 1), st::success);
  EXPECT_EQ(f.queue(op::delete_cq, 1), st::success);
  EXPECT_EQ(f.queue(op::delete_cq, 1), st::qid_invalid);
  EXPECT_EQ(f.queue(99, 1), st::invalid_field);
}

} // namespace
} // namespace twinplane::test::host_if_registers_test
