// Which cause has the time of a plane? Each test announces what the blocks of a drive would, to the
// picosecond.
#include <gtest/gtest.h>

#include "hw/spec/onfi_commands.h"
#include "platform/observe/plane_time/account.h"
#include "tests/support/parameter_names.h"

namespace twinplane::fw {
void PrintTo(HeldReason reason, std::ostream* out) {
  *out << "reason " << static_cast<int>(reason);
}
} // namespace twinplane::fw

namespace twinplane::platform {
void PrintTo(PlaneCause cause, std::ostream* out) {
  *out << "cause " << static_cast<int>(cause);
}
} // namespace twinplane::platform

namespace twinplane::platform::plane_time_test {
namespace {

using fw::HeldReason;
using Cause = PlaneCause;

Geometry small_drive() {
  Geometry g;
  g.channels = 1;
  g.chips_per_channel = 2;
  g.dies_per_chip = 1;
  g.planes_per_die = 2;
  g.blocks_per_plane = 16;
  g.pages_per_block = 16;
  return g;
}

/// As who waits for power: behind the die's planes.
constexpr std::uint32_t kWholeDie = 2;

/// A drive of two dies of two planes on one channel.
class PlaneTime : public testing::Test {
 protected:
  explicit PlaneTime(bool asked = false) : account(small_drive(), asked, [] { return TimePs{0}; }) {}

  PlaneTimeAccount account;
  RowLayout rows{small_drive()};

  /// A command of the die for its planes `planes`, known since `since`, whose doorbell rings at `at`.
  fw::IssuedWork work(std::uint32_t die, std::vector<std::uint32_t> planes, FlashOp op, TimePs since,
                      std::uint32_t index) {
    fw::IssuedWork w;
    w.die = die;
    w.op = op;
    for (const std::uint32_t plane : planes) {
      w.pages[w.count++] = {index++, die * 2 + plane, fw::kNoClass, since};
    }
    for (HeldReason& held : w.held) held = HeldReason::no_work;
    return w;
  }
  void issue(const fw::IssuedWork& w, TimePs at) {
    account.on_issue(w);
    account.on_doorbells(1, at);
  }
  void tenure(std::uint32_t die, std::vector<std::uint32_t> planes, hw::Sequence sequence, std::uint32_t tag,
              TimePs start, TimePs end) {
    hw::OnfiTenure t;
    t.sequence = sequence;
    t.kind = sequence == hw::Sequence::read_command ? hw::TenureKind::read_command : hw::TenureKind::other;
    t.request_tag = tag;
    for (const std::uint32_t plane : planes) {
      hw::OnfiPlane& p = t.planes[t.plane_count];
      p.row = rows.row(0, plane, 0, 0);
      p.begin = start + (end - start) * t.plane_count++ / planes.size();
      p.status = onfi::status::idle;
    }
    account.on_tenure(0, die, t, start, end);
  }
  hw::ArrayOperation array(std::uint32_t die, std::uint32_t plane, hw::PlaneState state, std::uint32_t tag,
                           TimePs start, TimePs end) {
    hw::ArrayOperation a;
    a.chip = die;
    a.plane = plane;
    a.state = state;
    a.request_tag = tag;
    a.start = start;
    a.end = end;
    account.on_array(0, a);
    return a;
  }
  /// A program of one plane: data 100, tPROG 400, status 10.
  void program(std::uint32_t die, std::uint32_t plane, std::uint32_t index, TimePs from) {
    tenure(die, {plane}, hw::Sequence::program, index, from, from + 100);
    array(die, plane, hw::PlaneState::programming, index, from + 100, from + 500);
    tenure(die, {plane}, hw::Sequence::status, index, from + 500, from + 510);
    account.on_done(index, die * 2 + plane, 0, from + 510);
  }
  TimePs of(std::uint32_t die, Cause cause) { return account.of_die(die)[static_cast<std::size_t>(cause)]; }
  void settle(TimePs at) {
    account.settle(at);
    EXPECT_EQ(sum_of(account.all()), at * 4);
    for (std::uint32_t die = 0; die < 2; ++die) EXPECT_EQ(sum_of(account.of_die(die)), at * 2);
  }
};

TEST_F(PlaneTime, IsNoWorkWhileTheDriveHasNone) {
  settle(1000);
  EXPECT_EQ(of(0, Cause::no_work), 2000u);
}

TEST_F(PlaneTime, OfAProgramIsTransferArrayAndStatus) {
  issue(work(0, {0}, FlashOp::program, 0, 7), 0);
  program(0, 0, 7, 0);
  settle(1000);
  EXPECT_EQ(of(0, Cause::transfer), 110u);
  EXPECT_EQ(of(0, Cause::program_host), 400u);
  EXPECT_EQ(of(0, Cause::imbalance), 510u); // the other plane
  EXPECT_EQ(of(1, Cause::imbalance), 1020u);
  EXPECT_EQ(of(0, Cause::no_work), 980u);
}

TEST_F(PlaneTime, OfTheCollectorsWorkIsTheCollectors) {
  fw::IssuedWork w = work(0, {0}, FlashOp::program, 0, 7);
  w.origin = fw::WorkOrigin::collection;
  issue(w, 0);
  program(0, 0, 7, 0);
  w = work(0, {1}, FlashOp::erase, 510, 8);
  w.origin = fw::WorkOrigin::collection;
  issue(w, 510);
  tenure(0, {1}, hw::Sequence::erase, 8, 510, 520);
  array(0, 1, hw::PlaneState::erasing, 8, 520, 920);
  settle(1000);
  EXPECT_EQ(of(0, Cause::program_gc), 400u);
  EXPECT_EQ(of(0, Cause::erase_gc), 400u);
  EXPECT_EQ(of(0, Cause::program_host), 0u);
}

TEST_F(PlaneTime, OfUnknownFirmwareIsOther) {
  array(0, 0, hw::PlaneState::reading, 0, 0, 50);
  array(0, 0, hw::PlaneState::programming, 0, 50, 150);
  array(0, 0, hw::PlaneState::erasing, 0, 150, 350);
  array(0, 1, hw::PlaneState::resetting, 0, 0, 30);
  settle(350);
  EXPECT_EQ(of(0, Cause::read_other), 50u);
  EXPECT_EQ(of(0, Cause::program_other), 100u);
  EXPECT_EQ(of(0, Cause::erase_other), 200u);
  EXPECT_EQ(of(0, Cause::reset), 30u);
}

TEST_F(PlaneTime, OfASuspendedProgramIsSuspendedWhereNothingElseRuns) {
  issue(work(0, {0}, FlashOp::program, 0, 7), 0);
  tenure(0, {0}, hw::Sequence::program, 7, 0, 100);
  hw::ArrayOperation a = array(0, 0, hw::PlaneState::programming, 7, 100, 500);
  a.start = 200;
  account.on_array_change(0, hw::ArrayChange::suspended, a);
  array(0, 0, hw::PlaneState::reading, 7, 250, 300);
  a.start = 400;
  a.end = 700;
  account.on_array_change(0, hw::ArrayChange::resumed, a);
  settle(700);
  EXPECT_EQ(of(0, Cause::program_host), 100u + 300u);
  EXPECT_EQ(of(0, Cause::read_host), 50u);
  EXPECT_EQ(of(0, Cause::suspended), 150u);
}

TEST_F(PlaneTime, OfAnAbortedOperationEndsWithIt) {
  issue(work(0, {0}, FlashOp::program, 0, 7), 0);
  tenure(0, {0}, hw::Sequence::program, 7, 0, 100);
  hw::ArrayOperation a = array(0, 0, hw::PlaneState::programming, 7, 100, 500);
  a.start = a.end = 300;
  account.on_array_change(0, hw::ArrayChange::aborted, a);
  settle(500);
  EXPECT_EQ(of(0, Cause::program_host), 200u);
}

// The pages of a wordline: one command, which its tenures name by the first of them, and which ends when the
// firmware has seen them all.
TEST_F(PlaneTime, OfAPassBelongsToTheCommandOfAllItsPages) {
  fw::IssuedWork pass = work(0, {0, 0, 0}, FlashOp::program, 0, 7);
  pass.origin = fw::WorkOrigin::collection;
  issue(pass, 0);
  issue(work(0, {1}, FlashOp::program, 0, 10), 5); // of the host, behind it
  for (TimePs at = 0; at < 300; at += 100) tenure(0, {0}, hw::Sequence::program, 7, at, at + 100);
  array(0, 0, hw::PlaneState::programming, 7, 300, 700);
  tenure(0, {0}, hw::Sequence::status, 7, 700, 710);
  for (const std::uint32_t index : {8u, 9u, 7u}) account.on_done(index, 0, 0, 720);
  program(0, 1, 10, 800);
  settle(1310);
  EXPECT_EQ(of(0, Cause::program_gc), 400u);
  EXPECT_EQ(of(0, Cause::program_host), 400u);
  EXPECT_EQ(of(0, Cause::transfer), 310u + 110u);
}

TEST_F(PlaneTime, OfATenureThatNobodyHasToldOfIsNoOtherCommands) {
  issue(work(0, {0}, FlashOp::program, 0, 7), 0);
  tenure(0, {0}, hw::Sequence::program, 99, 0, 100);
  array(0, 0, hw::PlaneState::programming, 99, 100, 500);
  settle(600);
  EXPECT_EQ(of(0, Cause::program_other), 400u);
  EXPECT_EQ(of(0, Cause::dma), 100u); // its own command has not begun
}

class HeldPlane : public PlaneTime, public testing::WithParamInterface<std::pair<HeldReason, Cause>> {};

// Plane 1 has work since 50, which joins the next command; the first one runs from 0 to 510.
TEST_P(HeldPlane, IsHeldByItsDieForTheReasonThatTheFirmwareGave) {
  fw::IssuedWork first = work(0, {0}, FlashOp::program, 0, 7);
  first.held[1] = GetParam().first;
  issue(first, 0);
  program(0, 0, 7, 0);
  issue(work(0, {1}, FlashOp::program, 50, 8), 530);
  program(0, 1, 8, 530);
  settle(1040);
  EXPECT_EQ(of(0, GetParam().second), 510u - 50u);
  EXPECT_EQ(of(0, Cause::core), 20u); // from the die's last tenure to the next doorbell
  EXPECT_EQ(of(0, Cause::program_host), 800u);
}
INSTANTIATE_TEST_SUITE_P(Reasons, HeldPlane,
                         testing::Values(std::pair{HeldReason::pac, Cause::held_pac},
                                         std::pair{HeldReason::bac, Cause::held_bac},
                                         std::pair{HeldReason::kind, Cause::held_kind},
                                         std::pair{HeldReason::policy, Cause::held_policy},
                                         std::pair{HeldReason::no_work, Cause::held_late}),
                         twinplane::test::parameter_name);

TEST_F(PlaneTime, OfACommandBehindAnotherOneOfItsDieIsHeldByThat) {
  fw::IssuedWork first = work(0, {0}, FlashOp::program, 0, 7);
  first.held[1] = HeldReason::pac;
  account.on_issue(first);
  account.on_issue(work(0, {1}, FlashOp::program, 0, 8));
  account.on_doorbells(1, 0);
  program(0, 0, 7, 0);
  program(0, 1, 8, 510);
  settle(1020);
  EXPECT_EQ(of(0, Cause::held_pac), 510u);
}

// Who waits for current does not want the bus, which another chip has for the first 100.
TEST_F(PlaneTime, IsThePowerThatItsCommandWaitsFor) {
  issue(work(0, {0}, FlashOp::program, 0, 7), 0);
  issue(work(1, {0}, FlashOp::program, 0, 8), 0);
  program(1, 0, 8, 0);
  account.on_power_wait(0, kWholeDie, 0, 250);
  program(0, 0, 7, 300);
  settle(810);
  EXPECT_EQ(of(0, Cause::power), 250u);
  EXPECT_EQ(of(0, Cause::bus), 0u);
  EXPECT_EQ(of(0, Cause::dma), 50u);
  EXPECT_EQ(of(1, Cause::power), 0u);
}

TEST_F(PlaneTime, IsThePowerThatOnePlaneWaitsForWhichReadsIndependently) {
  issue(work(0, {1}, FlashOp::read, 0, 7), 0);
  account.on_power_wait(0, 1, 0, 30);
  account.on_power_wait(0, 0, 30, 60); // plane 0 has no command
  settle(100);
  EXPECT_EQ(of(0, Cause::power), 30u);
}

TEST_F(PlaneTime, OfASuspendedProgramIsPowerWhereItsDieWaitsForThat) {
  issue(work(0, {0}, FlashOp::program, 0, 7), 0);
  tenure(0, {0}, hw::Sequence::program, 7, 0, 100);
  hw::ArrayOperation a = array(0, 0, hw::PlaneState::programming, 7, 100, 500);
  a.start = 200;
  account.on_array_change(0, hw::ArrayChange::suspended, a);
  account.on_power_wait(0, kWholeDie, 320, 400);
  a.start = 400;
  a.end = 700;
  account.on_array_change(0, hw::ArrayChange::resumed, a);
  settle(700);
  EXPECT_EQ(of(0, Cause::suspended), 120u);
  EXPECT_EQ(of(0, Cause::power), 80u);
  EXPECT_EQ(of(0, Cause::program_host), 100u + 300u);
}

// Told of at each look, until it is over: what has been shared out is not shared out again.
TEST_F(PlaneTime, CountsAWaitForPowerOnceThatIsToldTwice) {
  issue(work(0, {0}, FlashOp::program, 0, 7), 0);
  account.on_power_wait(0, kWholeDie, 0, 100);
  account.settle(100);
  EXPECT_EQ(of(0, Cause::power), 100u);
  account.on_power_wait(0, kWholeDie, 0, 250);
  program(0, 0, 7, 250);
  settle(760);
  EXPECT_EQ(of(0, Cause::power), 250u);
}

TEST_F(PlaneTime, IsTheBusThatAnotherChipHas) {
  issue(work(0, {0}, FlashOp::program, 0, 7), 0);
  issue(work(1, {0}, FlashOp::program, 0, 8), 0);
  program(0, 0, 7, 0);
  program(1, 0, 8, 100);
  settle(610);
  EXPECT_EQ(of(1, Cause::bus), 100u);
  EXPECT_EQ(of(1, Cause::dma), 0u);
}

TEST_F(PlaneTime, IsTheLinkWhileTheBusIsFreeAndTheDataAreNotThere) {
  issue(work(0, {0}, FlashOp::program, 0, 7), 0);
  program(0, 0, 7, 150);
  settle(660);
  EXPECT_EQ(of(0, Cause::dma), 150u);
}

TEST_F(PlaneTime, IsTheLinkWhileACommandIsThereAndNoPlaneHasWorkOfIt) {
  account.on_fetched(3, 100);
  account.on_seen(3, 140);
  account.on_completed(3, 100, 300);
  settle(400);
  EXPECT_EQ(of(0, Cause::core), 2 * 40u);
  EXPECT_EQ(of(0, Cause::dma), 2 * 160u);
  EXPECT_EQ(of(0, Cause::no_work), 2 * 200u);
}

TEST_F(PlaneTime, IsTheCoreUntilTheDoorbellRings) {
  account.on_fetched(3, 100);
  account.on_seen(3, 120);
  issue(work(0, {0}, FlashOp::program, 120, 7), 150);
  program(0, 0, 7, 150);
  settle(200);
  EXPECT_EQ(of(0, Cause::core), 50u + 20u); // the other plane: until it is known where the work goes
  EXPECT_EQ(of(0, Cause::imbalance), 80u);
}

TEST_F(PlaneTime, IsEccWhileAReadIsDecodedWhateverWaits) {
  issue(work(0, {0}, FlashOp::read, 0, 7), 0);
  tenure(0, {0}, hw::Sequence::read_command, 7, 0, 10);
  array(0, 0, hw::PlaneState::reading, 7, 10, 60);
  tenure(0, {0}, hw::Sequence::data_out, 7, 60, 160);
  account.on_done(7, 0, 30, 190);
  issue(work(0, {0}, FlashOp::read, 170, 8), 205);
  settle(205);
  EXPECT_EQ(of(0, Cause::read_host), 50u);
  EXPECT_EQ(of(0, Cause::transfer), 110u);
  EXPECT_EQ(of(0, Cause::ecc), 30u); // the firmware takes the die for busy until it has the page
  EXPECT_EQ(of(0, Cause::core), 15u);
}

TEST_F(PlaneTime, IsEccForThePlaneWhoseDieHasGivenThePage) {
  issue(work(0, {0}, FlashOp::read, 0, 7), 0);
  tenure(0, {0}, hw::Sequence::read_command, 7, 0, 10);
  array(0, 0, hw::PlaneState::reading, 7, 10, 60);
  tenure(0, {0}, hw::Sequence::data_out, 7, 60, 160);
  account.on_done(7, 0, 30, 190);
  issue(work(0, {1}, FlashOp::read, 165, 8), 200);
  settle(200);
  EXPECT_EQ(of(0, Cause::ecc), 30u + 25u); // plane 0: 160 to 190, plane 1 from 165 on
  EXPECT_EQ(of(0, Cause::core), 10u);
}

TEST_F(PlaneTime, OfTheCollectorsReadsIsTheCollectors) {
  fw::IssuedWork w = work(0, {0}, FlashOp::read, 0, 7);
  w.origin = fw::WorkOrigin::collection;
  issue(w, 0);
  tenure(0, {0}, hw::Sequence::read_command, 7, 0, 10);
  array(0, 0, hw::PlaneState::reading, 7, 10, 60);
  tenure(0, {0}, hw::Sequence::data_out, 7, 60, 160);
  settle(160);
  EXPECT_EQ(of(0, Cause::read_gc), 50u);
  EXPECT_EQ(of(0, Cause::read_host), 0u);
}

TEST_F(PlaneTime, OfAMultiPlaneTransferIsThePlanesOwnPartAndTheBusForTheRest) {
  issue(work(0, {0, 1}, FlashOp::program, 0, 7), 0);
  tenure(0, {0, 1}, hw::Sequence::program, 7, 0, 100);
  for (const std::uint32_t plane : {0u, 1u}) array(0, plane, hw::PlaneState::programming, 7, 100, 500);
  settle(500);
  EXPECT_EQ(of(0, Cause::transfer), 2 * 50u);
  EXPECT_EQ(of(0, Cause::bus), 2 * 50u);
  EXPECT_EQ(of(0, Cause::program_host), 2 * 400u);
}

/// Dies are asked for their status from time to time.
class AskedDies : public PlaneTime {
 protected:
  AskedDies() : PlaneTime(true) {}
};

TEST_F(AskedDies, GiveTheBusTheTimeUntilTheNextQuestion) {
  issue(work(0, {0}, FlashOp::program, 0, 7), 0);
  tenure(0, {0}, hw::Sequence::program, 7, 0, 100);
  array(0, 0, hw::PlaneState::programming, 7, 100, 500);
  tenure(0, {0}, hw::Sequence::status, 7, 530, 540);
  settle(540);
  EXPECT_EQ(of(0, Cause::bus), 30u);
  EXPECT_EQ(of(0, Cause::transfer), 110u);
}

// A write that either plane of the die could have waits from 50 on; the die is at a command of plane 0.
TEST_F(PlaneTime, OfAClassIsHeldByTheDieThatIsAtACommandOfAnotherPlane) {
  account.set_classes({0, 0, 1, 1});
  fw::IssuedWork first = work(0, {0}, FlashOp::program, 0, 7);
  first.held[1] = HeldReason::policy;
  issue(first, 0);
  program(0, 0, 7, 0);
  fw::IssuedWork w = work(0, {1}, FlashOp::program, 50, 8);
  w.host_write = true;
  w.pages[0].plane_class = 0;
  issue(w, 530);
  program(0, 1, 8, 530);
  settle(1040);
  EXPECT_EQ(of(0, Cause::held_policy), 510u - 50u);
  EXPECT_EQ(of(0, Cause::core), 2 * 20u);
}

TEST_F(PlaneTime, OfAResetIsReset) {
  issue(work(0, {0}, FlashOp::reset, 0, 7), 0);
  tenure(0, {0}, hw::Sequence::raw, 7, 0, 10);
  array(0, 0, hw::PlaneState::resetting, 7, 10, 200);
  tenure(0, {0}, hw::Sequence::status, 7, 230, 240);
  settle(240);
  EXPECT_EQ(of(0, Cause::reset), 190u + 30u);
  EXPECT_EQ(of(0, Cause::transfer), 2 * 10u + 10u); // FFh is for both planes
}

// A page is sensed again when its decoding has failed.
TEST_F(PlaneTime, IsEccBetweenAReadAndItsRetry) {
  issue(work(0, {0}, FlashOp::read, 0, 7), 0);
  for (const TimePs from : {TimePs{0}, TimePs{200}}) {
    tenure(0, {0}, hw::Sequence::read_command, 7, from, from + 10);
    array(0, 0, hw::PlaneState::reading, 7, from + 10, from + 60);
    tenure(0, {0}, hw::Sequence::data_out, 7, from + 60, from + 160);
  }
  settle(360);
  EXPECT_EQ(of(0, Cause::ecc), 40u);
}

TEST_F(PlaneTime, IsADependencyOfTheClassUntilTheWriteIsComplete) {
  account.set_classes({0, 0, 1, 1});
  account.on_dependency({9, 0, 0, 100});
  account.on_dependency_over(9, 250);
  fw::IssuedWork w = work(0, {0}, FlashOp::program, 100, 9);
  w.host_write = true;
  w.pages[0].plane_class = 0;
  issue(w, 270);
  program(0, 0, 9, 270);
  settle(780);
  EXPECT_EQ(of(0, Cause::dependency), 2 * 150u);
  EXPECT_EQ(of(0, Cause::core), 2 * 20u);
  EXPECT_EQ(of(1, Cause::dependency), 0u);
  EXPECT_EQ(of(1, Cause::imbalance), 2 * 680u);
}

TEST_F(PlaneTime, IsSpaceWhileWritesWaitForADieThatHasNone) {
  account.set_classes({0, 0, 0, 0});
  account.on_space(0, true, 100);
  account.on_space(0, false, 400);
  fw::IssuedWork w = work(0, {0}, FlashOp::program, 90, 9);
  w.host_write = true;
  w.pages[0].plane_class = 0;
  issue(w, 410);
  settle(410);
  EXPECT_EQ(of(0, Cause::space), 2 * 300u);
  EXPECT_EQ(of(0, Cause::core), 2 * 20u);
  EXPECT_EQ(of(1, Cause::core), 2 * 320u); // could have taken it
}

// A host command waits for a page buffer of the firmware: more of them, and planes would have work.
TEST_F(PlaneTime, IsPageBuffersWhileTheFirmwareHasNoneLeft) {
  account.on_fetched(3, 0);
  account.on_seen(3, 10);
  account.on_page_buffers(true, 100);
  account.on_page_buffers(false, 400);
  settle(500);
  EXPECT_EQ(of(0, Cause::core), 2 * 10u);
  EXPECT_EQ(of(0, Cause::page_buffers), 2 * 300u);
  EXPECT_EQ(of(0, Cause::dma), 2 * 190u);
}

TEST_F(PlaneTime, IsPageBuffersWheneverThatIsSettled) {
  account.on_fetched(3, 0);
  account.on_seen(3, 0);
  account.on_page_buffers(true, 100);
  settle(250);
  account.on_page_buffers(false, 400);
  settle(500);
  EXPECT_EQ(of(1, Cause::page_buffers), 2 * 300u);
}

// An update goes into its own page although its die has no space for others; the shortage was one until then,
// whatever has looked meanwhile.
TEST_F(PlaneTime, IsSpaceUntilTheDieIsGivenAWriteWheneverThatIsSettled) {
  const auto write = [this](std::uint32_t die, TimePs since, std::uint32_t index) {
    fw::IssuedWork w = work(die, {0}, FlashOp::program, since, index);
    w.host_write = true;
    w.pages[0].plane_class = 0;
    account.on_issue(w);
  };
  for (const bool looked : {false, true}) {
    PlaneTimeAccount other(small_drive(), false, [] { return TimePs{0}; });
    std::swap(account, other);
    account.set_classes({0, 0, 0, 0});
    write(1, 50, 8);
    account.on_space(0, true, 100);
    if (looked) settle(200);
    write(0, 90, 9);
    account.on_doorbells(1, 410);
    settle(410);
    EXPECT_EQ(of(0, Cause::space), 2 * 310u) << looked;
    EXPECT_EQ(of(0, Cause::core), 2 * 50u) << looked;
  }
}

// Settling in the middle of everything changes nothing.
TEST_F(PlaneTime, DoesNotDependOnWhenItIsSettled) {
  const auto scene = [this] {
    fw::IssuedWork first = work(0, {0}, FlashOp::program, 0, 7);
    first.held[1] = HeldReason::pac;
    issue(first, 20);
    program(0, 0, 7, 30);
    issue(work(1, {0, 1}, FlashOp::program, 10, 10), 25);
    program(1, 0, 10, 130);
    issue(work(0, {1}, FlashOp::program, 50, 8), 560);
    program(0, 1, 8, 560);
  };
  scene();
  settle(1100);
  const PlaneTimes at_once = account.all();
  account.restart(1100);
  PlaneTimeAccount other(small_drive(), false, [] { return TimePs{0}; });
  std::swap(account, other);
  scene();
  for (TimePs at = 37; at < 1100; at += 37) settle(at);
  settle(1100);
  EXPECT_EQ(account.all(), at_once);
}

TEST(SpanSet, IsTheUnionWhateverTheOrder) {
  SpanSet set;
  set.add(50, 60);
  set.add(10, 20);
  set.add(70, 80);
  set.add(15, 55);
  set.add(90, 90);
  ASSERT_EQ(set.spans().size(), 2u);
  EXPECT_EQ(set.spans()[0].begin, 10u);
  EXPECT_EQ(set.spans()[0].end, 60u);
  set.drop_before(30);
  set.add(0, 40);
  EXPECT_EQ(set.spans()[0].begin, 30u);
}

} // namespace
} // namespace twinplane::platform::plane_time_test
