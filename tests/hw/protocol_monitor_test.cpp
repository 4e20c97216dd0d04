// Does the monitor find what breaks the standard's rules, stay silent about what does not, and agree with the
// die? The negative tests are those of the ONFI facts, section A9, by number.
#include <gtest/gtest.h>

#include "tests/support/monitor_bench.h"

namespace twinplane::test::protocol_monitor_test {
namespace {

using hw::MonitorRule;
using hw::PhaseKind;

TEST(ProtocolMonitor, IsSilentAboutWhatTheBenchDoesRight) {
  WatchedFlash f;
  EXPECT_EQ(f.bench.erase({0, 0, 0, 0}), 0xE0);
  EXPECT_EQ(f.bench.program_pair({0, 0, 0, 0}, {0, 1, 0, 0}), 0xE0);
  EXPECT_EQ(f.bench.program_pair({1, 0, 3, 0}, {1, 1, 4, 0}), 0xE0);
  EXPECT_EQ(f.bench.program({0, 0, 0, 1}), 0xE0);
  EXPECT_EQ(f.bench.read({0, 0, 0, 1}), 0xE0);
  f.bench.cycles.clear().command(0x00).page_data(PhaseKind::data_out, 3, nullptr, nullptr);
  f.bench.now = f.bench.send(f.bench.now);
  EXPECT_EQ(f.findings.text(), "");
  EXPECT_GE(f.monitor.statistics().tenures, 11u);
}

TEST(ProtocolMonitor, FindsUnequalPagesOfAGroup) { // 1
  WatchedFlash f;
  f.bench.program({0, 1, 0, 0});
  f.bench.program_pair({0, 0, 0, 0}, {0, 1, 0, 1});
  EXPECT_EQ(f.findings.text(), "pac");
  const hw::Finding& finding = f.findings.all[0];
  EXPECT_EQ(finding.place.lun, 0u);
  EXPECT_EQ(finding.place.plane, 1u);
  EXPECT_EQ(finding.place.page, 1u);
  EXPECT_GT(finding.time, 0u);
}

TEST(ProtocolMonitor, FindsAPlaneTwice) { // 2
  WatchedFlash f;
  f.bench.program_pair({0, 0, 0, 0}, {0, 0, 1, 0});
  EXPECT_EQ(f.findings.text(), "distinct_planes");
}

TEST(ProtocolMonitor, FindsPlanesOfTwoLuns) { // 3
  WatchedFlash f;
  f.bench.program_pair({0, 0, 0, 0}, {1, 1, 0, 0});
  EXPECT_EQ(f.findings.text(), "same_lun");
}

TEST(ProtocolMonitor, FindsUnequalBlocksWhereThePartRestrictsThem) { // 4
  hw::NandConfig config = small_part();
  config.bac = true;
  WatchedFlash f(config);
  f.bench.program_pair({0, 0, 0, 0}, {0, 1, 1, 0});
  EXPECT_EQ(f.findings.text(), "bac");
}

TEST(ProtocolMonitor, FindsConfirmsWithoutTheirCycles) { // 5
  WatchedFlash f;
  f.bench.cycles.clear().command(0x00).command(0x30);
  f.bench.finish(0);
  EXPECT_EQ(f.findings.text(), "sequence");
  f.bench.cycles.clear().command(0x80).page_address(f.bench.row({0, 0, 0, 0})).command(0x10);
  f.bench.finish(0);
  EXPECT_EQ(f.findings.text(), "sequence sequence");
  f.bench.cycles.clear();
  f.bench.start_program({0, 0, 0, 0}, 0xD0);
  f.bench.finish(0);
  EXPECT_EQ(f.findings.text(), "sequence sequence sequence");
  f.bench.cycles.clear().command(0x00).short_address(0, 4).command(0x30);
  f.bench.finish(0);
  EXPECT_EQ(f.findings.text(), "sequence sequence sequence address_cycles");
  f.bench.cycles.clear().command(0x42);
  f.bench.finish(0);
  EXPECT_EQ(f.findings.text(), "sequence sequence sequence address_cycles sequence");
}

TEST(ProtocolMonitor, FindsProgramsThatTheCellsForbid) { // 6
  WatchedFlash f;
  f.bench.program({0, 0, 0, 0});
  f.bench.program({0, 0, 0, 0});
  EXPECT_EQ(f.findings.text(), "erase_before_program");
  f.bench.program({0, 0, 0, 2});
  EXPECT_EQ(f.findings.text(), "erase_before_program order");
  f.bench.erase({0, 0, 0, 0});
  f.bench.program({0, 0, 0, 0});
  EXPECT_EQ(f.findings.text(), "erase_before_program order");
}

TEST(ProtocolMonitor, CountsPartialProgramsUpToTheirLimit) { // 6
  hw::NandConfig config = small_part();
  config.partial_programs = 2;
  WatchedFlash f(config);
  const auto program_sector = [&f](std::uint32_t mask) {
    f.bench.cycles.clear().command(0x80).page_address(f.bench.row({0, 0, 0, 0}));
    f.bench.cycles.page_data(PhaseKind::data_in, mask, nullptr, nullptr).command(0x10);
    f.bench.finish(0);
  };
  program_sector(1);
  program_sector(2);
  EXPECT_EQ(f.findings.text(), "");
  program_sector(2);
  EXPECT_EQ(f.findings.text(), "erase_before_program");
  program_sector(0);
  EXPECT_EQ(f.findings.text(), "erase_before_program partial_limit");
}

TEST(ProtocolMonitor, FindsCommandsToABusyLun) { // 7
  WatchedFlash f;
  f.bench.cycles.clear().command(0x60).row_address(f.bench.row({0, 0, 0, 0})).command(0xD0);
  f.bench.send();
  f.bench.cycles.clear().command(0x00).page_address(f.bench.row({0, 0, 0, 0})).command(0x30);
  f.bench.send();
  EXPECT_EQ(f.findings.text(), "busy");
  f.bench.cycles.clear().command(0x90).short_address(0);
  f.bench.send();
  EXPECT_EQ(f.findings.text(), "busy target_busy");
}

TEST(ProtocolMonitor, AcceptsStatusOfAnIdleLunBesideABusyOne) { // 8
  WatchedFlash f;
  f.bench.cycles.clear().command(0x60).row_address(f.bench.row({0, 0, 0, 0})).command(0xD0);
  f.bench.send();
  const TimePs ready = f.bench.ready();
  EXPECT_EQ(f.bench.status({1, 0, 0, 0}), 0xE0);
  EXPECT_EQ(f.bench.status({0, 0, 0, 0}), 0x80);
  EXPECT_EQ(f.bench.status({0, 0, 0, 0}, 0x78, ready), 0xE0);
  EXPECT_EQ(f.findings.text(), "");
}

TEST(ProtocolMonitor, FollowsResetsOfWhatRuns) { // 9
  WatchedFlash f;
  f.bench.program({0, 0, 0, 0});
  f.bench.cycles.clear().command(0x60).row_address(f.bench.row({0, 0, 0, 0})).command(0xD0);
  f.bench.now = f.bench.send(f.bench.now);
  f.bench.cycles.clear().command(0xFF);
  f.bench.finish(0);
  EXPECT_EQ(f.findings.text(), ""); // R/B# was low for tRST of an erase
  f.bench.program({0, 0, 0, 0});
  EXPECT_EQ(f.findings.text(), "erase_before_program");
}

// An erase or a program that is suspended is cut off as well, and decides about tRST.
TEST(ProtocolMonitor, FollowsResetsOfWhatIsSuspended) {
  WatchedFlash f;
  Cycles& cycles = f.bench.cycles;
  const auto send = [&f] { f.bench.now = std::max(f.bench.send(f.bench.now), f.bench.ready()); };
  const auto suspend_erase = [&] {
    cycles.clear().command(0x60).row_address(f.bench.row({0, 0, 2, 0})).command(0xD0);
    f.bench.now = f.bench.send(f.bench.now) + us(100);
    cycles.clear().command(0x61).row_address(f.bench.row({0, 0, 2, 0}));
    send();
  };
  suspend_erase();
  cycles.clear().command(0xFF);
  EXPECT_EQ(f.bench.finish(0), 0xE0);
  EXPECT_EQ(f.findings.text(), "");
  EXPECT_EQ(f.bench.program({0, 0, 2, 0}), 0xE1) << "its erase was cut off";
  EXPECT_EQ(f.findings.text(), "erase_before_program");

  suspend_erase();
  cycles.clear();
  f.bench.start_program({0, 1, 0, 0});
  f.bench.now = f.bench.send(f.bench.now) + us(100);
  cycles.clear().command(0xFA).row_address(f.bench.row({0, 0, 0, 0}));
  EXPECT_EQ(f.bench.finish(0), 0xE0);
  EXPECT_EQ(f.bench.program({0, 0, 2, 0}), 0xE1) << "its erase was cut off";
  EXPECT_EQ(f.findings.text(), "erase_before_program erase_before_program");

  cycles.clear();
  f.bench.start_program({0, 1, 1, 0});
  f.bench.now = f.bench.send(f.bench.now) + us(100);
  cycles.clear().command(0x84).page_address(f.bench.row({0, 1, 1, 0}));
  send();
  cycles.clear().command(0xFA).row_address(f.bench.row({0, 0, 0, 0}));
  EXPECT_EQ(f.bench.finish(0), 0xE0);
  EXPECT_EQ(f.bench.erase({0, 0, 2, 0}), 0xE0);
  EXPECT_EQ(f.bench.program({0, 0, 2, 0}), 0xE0) << "nothing is suspended any more";
  EXPECT_EQ(f.findings.text(), "erase_before_program erase_before_program");
}

TEST(ProtocolMonitor, FollowsResetsWhileSomethingElseThanTheArrayIsBusy) {
  WatchedFlash f;
  EXPECT_EQ(f.bench.erase({0, 0, 0, 0}), 0xE0);
  f.bench.cycles.clear().command(0xEE).short_address(0x10);
  f.bench.now = f.bench.send(f.bench.now);
  f.bench.cycles.clear().command(0xFF);
  EXPECT_EQ(f.bench.finish(0), 0xE0);
  EXPECT_EQ(f.bench.program({0, 0, 0, 0}), 0xE0);
  EXPECT_EQ(f.findings.text(), "");
}

TEST(ProtocolMonitor, FindsOddColumnsOnDdr) { // 10
  WatchedFlash f;
  f.bench.cycles.clear().command(0x00).page_address(f.bench.row({0, 0, 0, 0}), 1).command(0x30);
  f.bench.finish(0);
  EXPECT_EQ(f.findings.text(), "odd_column");
}

TEST(ProtocolMonitor, FindsPlacesThatDoNotExist) {
  WatchedFlash f;
  f.bench.read({0, 0, 0, 48});
  f.bench.cycles.clear().command(0x00).page_address(f.bench.row({0, 0, 0, 0}), 8192 + 256).command(0x30);
  f.bench.finish(0);
  EXPECT_EQ(f.findings.text(), "bad_address bad_address");
}

TEST(ProtocolMonitor, FindsProgramsWhileWriteProtected) { // 12
  HandBus bus(small_part());
  bus.monitor().set_write_protect(0, true, 0);
  bus.select().command(0x60).row({0, 0, 0, 0}).command(0xD0).flush();
  EXPECT_EQ(bus.findings.text(), "write_protect");
  bus.until(bus.now() + ms(20)).select().command(0x70);
  bus.wait(bus.bus().tWHR + bus.bus().tRPRE + bus.bus().tDQSRE).register_out(2);
  bus.flush().wait(bus.bus().tRHW);
  bus.monitor().set_write_protect(0, false, bus.now());
  bus.wait(bus.bus().tWW - bus.bus().tCS - 1).select().command(0x00).flush();
  EXPECT_EQ(bus.findings.text(), "write_protect tWW");
}

TEST(ProtocolMonitor, ExpectsNothingOfWhatWriteProtectForbids) { // 12
  WatchedFlash f;
  const auto protect = [&f](bool low) {
    f.bench.package().write_protect(low);
    f.monitor.set_write_protect(0, low, f.bench.now);
    f.bench.now += us(1);
  };
  protect(true);
  EXPECT_EQ(f.bench.program({0, 0, 0, 0}), 0x60);
  EXPECT_EQ(f.findings.text(), "write_protect");
  EXPECT_EQ(f.bench.erase({0, 0, 0, 0}), 0x60);
  EXPECT_EQ(f.bench.program_pair({0, 0, 0, 0}, {0, 1, 0, 0}), 0x60);
  EXPECT_EQ(f.findings.text(), "write_protect write_protect write_protect write_protect");
  EXPECT_EQ(f.bench.read({0, 0, 0, 0}), 0x60);
  protect(false);
  EXPECT_EQ(f.bench.program_pair({0, 0, 0, 0}, {0, 1, 0, 0}), 0xE0) << "the pages are still empty";
  EXPECT_EQ(f.findings.text(), "write_protect write_protect write_protect write_protect");
}

TEST(ProtocolMonitor, ExpectsNothingOfFeaturesThatDoNotExist) {
  WatchedFlash f;
  std::uint8_t parameters[8] = {};
  f.bench.cycles.clear().command(0xEF).short_address(0x33).bytes(PhaseKind::data_in, parameters, 8);
  f.bench.send();
  EXPECT_EQ(f.findings.text(), "bad_address sequence") << "and data that go nowhere";
  f.bench.cycles.clear().command(0xEE).short_address(0x33);
  f.bench.send();
  f.bench.cycles.clear().command(0xD4).short_address(0, 2);
  f.bench.cycles.tenure().phases[1].address[1] = 0x33;
  f.bench.send();
  EXPECT_EQ(f.findings.text(), "bad_address sequence bad_address bad_address");
  EXPECT_EQ(f.bench.program({0, 0, 0, 0}), 0xE0);
  EXPECT_EQ(f.findings.text(), "bad_address sequence bad_address bad_address");
}

TEST(ProtocolMonitor, FindsDataOutOfAGroupWithoutAPlane) { // 13
  WatchedFlash f;
  f.bench.program_pair({0, 0, 0, 0}, {0, 1, 0, 0});
  f.bench.cycles.clear().command(0x00).page_address(f.bench.row({0, 0, 0, 0})).command(0x32);
  f.bench.cycles.command(0x00).page_address(f.bench.row({0, 1, 0, 0})).command(0x30);
  f.bench.send(f.bench.now);
  f.bench.cycles.clear().page_data(PhaseKind::data_out, 3, nullptr, nullptr);
  f.bench.now = f.bench.send(f.bench.ready());
  EXPECT_EQ(f.findings.text(), "plane_selection");
  f.bench.cycles.clear().command(0x06).page_address(f.bench.row({0, 1, 0, 0})).command(0xE0);
  f.bench.cycles.page_data(PhaseKind::data_out, 3, nullptr, nullptr);
  f.bench.send(f.bench.now);
  EXPECT_EQ(f.findings.text(), "plane_selection");
}

// --- what only a monitor can see ---

TEST(ProtocolMonitor, FindsSummaryStatusWhileSeveralLunsWork) {
  WatchedFlash f;
  for (const std::uint32_t lun : {0u, 1u}) {
    f.bench.cycles.clear().command(0x60).row_address(f.bench.row({lun, 0, 0, 0})).command(0xD0);
    f.bench.send();
  }
  f.bench.status({0, 0, 0, 0}, 0x70);
  EXPECT_EQ(f.findings.text(), "status_70h");
}

TEST(ProtocolMonitor, FindsDataOutWhileTwoLunsHoldData) {
  WatchedFlash f;
  TimePs ready = 0;
  for (const std::uint32_t lun : {0u, 1u}) {
    f.bench.cycles.clear().command(0x00).page_address(f.bench.row({lun, 0, 0, 0})).command(0x30);
    f.bench.send();
    ready = f.bench.ready();
  }
  f.bench.cycles.clear().page_data(PhaseKind::data_out, 3, nullptr, nullptr);
  f.bench.now = f.bench.send(ready);
  EXPECT_EQ(f.findings.text(), "lun_selection");
  f.bench.cycles.clear().command(0x06).page_address(f.bench.row({0, 0, 0, 0})).command(0xE0);
  f.bench.cycles.page_data(PhaseKind::data_out, 3, nullptr, nullptr);
  f.bench.send(f.bench.now);
  EXPECT_EQ(f.findings.text(), "lun_selection");
}

TEST(ProtocolMonitor, FindsResultsThatNobodyReads) {
  WatchedFlash f;
  f.bench.cycles.clear().command(0x60).row_address(f.bench.row({0, 0, 0, 0})).command(0xD0);
  f.bench.send();
  f.bench.cycles.clear().command(0x00).page_address(f.bench.row({0, 0, 1, 0})).command(0x30);
  f.bench.send(f.bench.ready());
  EXPECT_EQ(f.findings.text(), "unread_status");
}

TEST(ProtocolMonitor, FindsPlanesThatNobodyStarts) {
  WatchedFlash f;
  f.bench.cycles.clear();
  f.bench.start_program({0, 0, 0, 0}, 0x11);
  f.bench.finish(0);
  f.monitor.finish(f.bench.now);
  EXPECT_EQ(f.findings.text(), "open_group");
}

TEST(ProtocolMonitor, FindsAStatusByteThatContradictsReadyBusy) {
  HandBus bus(small_part());
  bus.select().command(0x60).row({0, 0, 0, 0}).command(0xD0).wait(bus.bus().tWB).command(0x70);
  bus.wait(bus.bus().tWHR + bus.bus().tRPRE + bus.bus().tDQSRE).register_out(2, onfi::status::idle).flush();
  EXPECT_EQ(bus.findings.text(), "status_value");
}

// A part that is faster than its data sheet says: the array times of die and monitor differ.
TEST(ProtocolMonitor, FindsReadyBusyThatIsNotTheTables) {
  hw::NandConfig fast = small_part();
  fast.array.tBERS -= 1;
  FlashBench bench(fast);
  hw::ProtocolMonitor monitor(monitor_of(small_part()));
  Findings findings;
  expect_reports("twinplane.monitor");
  monitor.forward_to(&findings);
  bench.channel.attach(monitor);
  bench.package().attach(monitor);
  bench.erase({0, 0, 0, 0});
  EXPECT_EQ(findings.text(), "ready_busy");
}

// Two data sheets for one part: whichever refuses, the difference is told.
TEST(ProtocolMonitor, TellsWhenDieAndMonitorDisagree) {
  hw::NandConfig restricted = small_part();
  restricted.bac = true;
  FlashBench bench(small_part());
  hw::ProtocolMonitor strict(monitor_of(restricted));
  Findings findings;
  expect_reports("twinplane.monitor");
  strict.forward_to(&findings);
  bench.channel.attach(strict);
  bench.package().attach(strict);
  bench.program_pair({0, 0, 0, 0}, {0, 1, 1, 0});
  EXPECT_EQ(findings.text().substr(0, 4), "bac ");
  EXPECT_EQ(strict.statistics().of(MonitorRule::disagreement), 1u);
}

TEST(ProtocolMonitor, TellsWhenTheDieRefusesMore) {
  hw::NandConfig restricted = small_part();
  restricted.bac = true;
  FlashBench bench(restricted);
  hw::ProtocolMonitor lenient(monitor_of(small_part()));
  Findings findings;
  expect_reports("twinplane.monitor");
  lenient.forward_to(&findings);
  bench.channel.attach(lenient);
  bench.package().attach(lenient);
  bench.program_pair({0, 0, 0, 0}, {0, 1, 1, 0});
  ASSERT_EQ(findings.text().substr(0, 23), "ready_busy disagreement");
  EXPECT_STREQ(findings.all[1].name, "bac"); // after R/B#, which did not fall
}

// Preconditioning goes through the debug transport; what it programs is programmed.
TEST(ProtocolMonitor, FollowsFunctionalPrograms) {
  WatchedFlash f;
  f.bench.cycles.clear();
  f.bench.start_program({0, 0, 0, 0});
  f.bench.send_functional();
  EXPECT_EQ(f.bench.program({0, 0, 0, 1}), 0xE0);
  EXPECT_EQ(f.findings.text(), "");
  f.bench.program({0, 0, 0, 0});
  EXPECT_EQ(f.findings.text(), "erase_before_program");
}

// --- cache operations and suspends, as the die does them ---

TEST(ProtocolMonitor, FollowsCacheReadsAndPrograms) {
  WatchedFlash f;
  const auto send_ready = [&f] {
    f.bench.now = f.bench.send(f.bench.now);
    f.bench.now = std::max(f.bench.now, f.bench.ready());
  };
  for (std::uint32_t page = 0; page < 3; ++page) {
    f.bench.cycles.clear();
    f.bench.start_program({0, 0, 0, page}, page < 2 ? 0x15 : 0x10);
    send_ready();
    f.bench.status({0, 0, 0, 0}, 0x70);
  }
  f.bench.read({0, 0, 0, 0});
  for (const std::uint8_t next : {std::uint8_t{0x31}, std::uint8_t{0x31}, std::uint8_t{0x3F}}) {
    f.bench.cycles.clear().command(next);
    send_ready();
    f.bench.cycles.clear().page_data(PhaseKind::data_out, 3, nullptr, nullptr);
    f.bench.now = f.bench.send(f.bench.now);
  }
  EXPECT_EQ(f.findings.text(), "");
  f.bench.cycles.clear().command(0x3F);
  f.bench.send(f.bench.now);
  EXPECT_EQ(f.findings.text(), "sequence");
}

TEST(ProtocolMonitor, FollowsSuspendedErases) {
  WatchedFlash f;
  const Place victim{0, 0, 0, 0};
  f.bench.cycles.clear().command(0x60).row_address(f.bench.row(victim)).command(0xD0);
  f.bench.now = f.bench.send(f.bench.now);
  f.bench.cycles.clear().command(0x61).row_address(f.bench.row(victim));
  f.bench.finish(0);
  EXPECT_EQ(f.bench.read({0, 1, 0, 0}) & onfi::status::fail, 0);
  EXPECT_EQ(f.findings.text(), "");
  f.bench.program({0, 0, 0, 0}); // the suspended block
  EXPECT_EQ(f.findings.text(), "suspend");
  f.bench.cycles.clear().command(0xD2);
  f.bench.finish(0);
  EXPECT_EQ(f.findings.text(), "suspend");
  f.bench.cycles.clear().command(0xD2);
  f.bench.finish(0);
  EXPECT_EQ(f.findings.text(), "suspend suspend");
}

// A sequence that the die executes without its cycles shows observers the same bytes.
TEST(ProtocolMonitor, SeesTheStatusBytesOfShortForms) {
  WatchedFlash f;
  hw::OnfiTenure& t = f.bench.cycles.clear().tenure();
  t.sequence = hw::Sequence::erase;
  t.plane_count = 1;
  t.planes[0].row = f.bench.row({0, 0, 0, 0});
  f.bench.send();
  for (const TimePs at : {TimePs{0}, f.bench.ready()}) {
    t.sequence = hw::Sequence::status;
    t.form = hw::sequence_form::addressed;
    t.phase_count = 0;
    f.bench.send(at);
    EXPECT_EQ(t.planes[0].status, at == 0 ? 0x80 : 0xE0);
  }
  EXPECT_EQ(f.findings.text(), "");
}

TEST(ProtocolMonitor, FindsUseOfASuspendedBlock) {
  WatchedFlash f;
  const Place victim{0, 0, 0, 0};
  f.bench.cycles.clear().command(0x60).row_address(f.bench.row(victim)).command(0xD0);
  f.bench.now = f.bench.send(f.bench.now);
  f.bench.cycles.clear().command(0x61).row_address(f.bench.row(victim));
  f.bench.finish(0);
  f.bench.read(victim);
  EXPECT_EQ(f.findings.text(), "suspend");
}

} // namespace
} // namespace twinplane::test::protocol_monitor_test
