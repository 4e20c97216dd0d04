// Is the energy of a drive that of the closed form, by cause?
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/oracle_drive.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::energy_drive_test {
namespace {

using platform::EnergyCause;

constexpr const char* kDrive = R"(
[geometry]
channels = 2
chips_per_channel = 2
dies_per_chip = 1
planes_per_die = 2
blocks_per_plane = 16
pages_per_block = 16
page_size = "16KiB"
spare_size = "0B"
[nand]
cell = "slc"
tR = "50us"
tPROG = "300us"
tBERS = "2ms"
[bus]
interface = "flat"
ns_per_byte = "1ns"
[host]
mode = "closed"
iodepth = 16
[workload]
bs = "16KiB"
number_ios = 500
[report]
energy = true
[energy]
VCC = 3
VCCQ = 1
ICC1 = 10
ICC2 = 20
ICC3 = 30
ICC4R = 4
ICC4W = 5
ICCQ4R = 6
ICCQ4W = 7
ISB = 0.1
core = 100
controller = 200
link = 40
dram = 60
dram_standby = 50
ecc = 20
)";

double of(const platform::EnergySummary& e, EnergyCause cause) {
  return e.nj[static_cast<std::size_t>(cause)];
}

constexpr double kPage = 16384;

TEST(EnergyOfADrive, IsThatOfWhatItDid) {
  const platform::Summary s =
      run_workload(configure(std::string(kTimeless) + kDrive,
                             {"workload.rw=randrw", "precondition.mode=fill", "precondition.fill=60%"}));
  expect_consistent(s);
  const platform::EnergySummary& e = s.energy;
  const double reads = static_cast<double>(s.nand.read.all_units);
  const double programs = static_cast<double>(s.nand.program.all_units);
  const double erases = static_cast<double>(s.nand.erase.all_units);
  EXPECT_GT(reads * programs, 0);
  EXPECT_NEAR(of(e, EnergyCause::array_read), reads * 30e-3 * 50e3, 1e-6 * of(e, EnergyCause::array_read));
  EXPECT_NEAR(of(e, EnergyCause::array_program), programs * 60e-3 * 300e3,
              1e-6 * of(e, EnergyCause::array_program));
  EXPECT_NEAR(of(e, EnergyCause::array_erase), erases * 90e-3 * 2000e3, 1e-6 * erases * 90e-3 * 2000e3);
  EXPECT_NEAR(of(e, EnergyCause::bus_in), programs * kPage * 22e-3, 1e-6 * programs * kPage * 22e-3);
  EXPECT_NEAR(of(e, EnergyCause::bus_out), reads * kPage * 18e-3, 1e-6 * reads * kPage * 18e-3);
  EXPECT_NEAR(of(e, EnergyCause::standby), s.host.measured_ns * 4 * 0.3e-3, 1e-3);
  EXPECT_NEAR(of(e, EnergyCause::controller), s.host.measured_ns * 200e-3, 1);
  const double host = static_cast<double>(s.workload.bytes_read + s.workload.bytes_written);
  const double pages = (reads + programs) * kPage;
  EXPECT_NEAR(of(e, EnergyCause::link), host * 40e-3, 1);
  EXPECT_NEAR(of(e, EnergyCause::dram), (host + pages) * 60e-3 + s.host.measured_ns * 50e-3, 1);
  EXPECT_NEAR(of(e, EnergyCause::ecc), pages * 20e-3, 1);
  EXPECT_NEAR(e.average_mw, e.total_nj() / s.host.measured_ns * 1000, 1e-6 * e.average_mw);
  EXPECT_NEAR(e.nj_per_host_byte, e.total_nj() / host, 1e-9);
  EXPECT_LE(e.peak_mw, 8 * 60 + 2 * 22 + 4 * 0.3 + 250);
}

/// The core is the drive's only work with time of its own: 1,000 cycles of 10 ns for each page.
TEST(EnergyOfADrive, TheCoreDrawsForTheCyclesOfItsSteps) {
  const platform::Summary s = run_workload(configure(
      std::string(kTimeless) + kDrive, {"workload.rw=write", "cpu.clock=100MHz", "cpu.cost.allocate=1000"}));
  ASSERT_EQ(s.nand.program.all_units, 500u);
  constexpr double kNs = 500 * 1000 * 10.0;
  EXPECT_NEAR(of(s.energy, EnergyCause::core), kNs * 100e-3, 0.01 * kNs * 100e-3);
}

class EnergyOfWrites : public testing::TestWithParam<const char*> {};

// The default: each plane of a command draws what it draws alone.
TEST_P(EnergyOfWrites, DoesNotDependOnHowTheyArePaired) {
  const platform::Summary s =
      run_workload(configure(std::string(kTimeless) + kDrive, {"workload.rw=write", "ftl.plane_allocation=F",
                                                               std::string("ftl.pair=") + GetParam()}));
  EXPECT_EQ(s.nand.program.commands != 0, std::string(GetParam()) == "any");
  EXPECT_DOUBLE_EQ(of(s.energy, EnergyCause::array_program), 500 * 60e-3 * 300e3);
}
INSTANTIATE_TEST_SUITE_P(Pairing, EnergyOfWrites, testing::Values("any", "off"), parameter_name);

TEST(EnergyOfADrive, IsNotReportedUnasked) {
  const platform::Summary s =
      run_workload(configure(std::string(kTimeless) + kDrive, {"report.energy=false", "workload.rw=write"}));
  EXPECT_FALSE(s.energy.modelled);
  EXPECT_TRUE(platform::to_json(s)["energy"].is_null());
}

} // namespace
} // namespace twinplane::test::energy_drive_test
