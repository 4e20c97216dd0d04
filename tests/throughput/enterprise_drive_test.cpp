// Does the preset of a drive for servers stay within what the sheets of its class say? The figures and their sources are
// those of scripts/twinplane/experiments/drives.py, which measures them for longer.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/oracle_drive.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test {
namespace {

std::string preset() {
  std::ostringstream text;
  text << std::ifstream(TWINPLANE_SOURCE_DIR "/platform/configs/enterprise_tlc_gen4.toml").rdbuf();
  return text.str();
}

struct Headline {
  const char* name;
  std::vector<std::string> settings;
  double (*found)(const platform::Summary& s);
  double least;
  double most;
};

double gb_per_s(const platform::Summary& s) {
  return (s.host.read.mb_per_s + s.host.write.mb_per_s) / 1e3;
}
double kiops(const platform::Summary& s) {
  return (s.host.read.iops + s.host.write.iops) / 1e3;
}

const std::vector<std::string> kSteady = {"workload.rw=randwrite",
                                          "workload.bs=4KiB",
                                          "host.iodepth=64",
                                          "workload.number_ios=300000",
                                          "precondition.overwrite=150%",
                                          "geometry.blocks_per_plane=128"};

std::vector<std::string> steady(const std::string& over_provisioning) {
  std::vector<std::string> settings = kSteady;
  settings.push_back("ftl.over_provisioning=" + over_provisioning);
  return settings;
}

const Headline kHeadlines[] = {
    {"SequentialRead",
     {"workload.rw=read", "workload.bs=128KiB", "host.iodepth=64", "workload.number_ios=20000"},
     gb_per_s,
     5.9,
     7.4},
    {"SequentialWrite",
     {"workload.rw=write", "workload.bs=128KiB", "host.iodepth=32", "workload.number_ios=20000"},
     gb_per_s,
     3.3,
     5.9},
    {"RandomReadWithoutTheCoresTime",
     {"workload.rw=randread", "workload.bs=4KiB", "host.iodepth=512", "workload.number_ios=100000",
      "cpu.clock=10GHz"},
     kiops,
     900,
     1700},
    {"SteadyRandomWriteAtOneDriveWriteADay", steady("12%"), kiops, 80, 210},
    {"SteadyRandomWriteAtThreeDriveWritesADay", steady("28%"), kiops, 230, 370},
};

void PrintTo(const Headline& h, std::ostream* out) {
  *out << h.name;
}

class EnterpriseDrive : public ::testing::TestWithParam<Headline> {};

TEST_P(EnterpriseDrive, IsWithinTheSheetsOfItsClass) {
  std::vector<std::string> settings = GetParam().settings;
  settings.insert(settings.end(), {"precondition.mode=fill", "precondition.fill=100%"});
  const platform::Summary s = run_workload(configure(preset(), settings));
  expect_consistent(s);
  const double found = GetParam().found(s);
  EXPECT_GE(found, GetParam().least);
  EXPECT_LE(found, GetParam().most);
}

INSTANTIATE_TEST_SUITE_P(Headlines, EnterpriseDrive, ::testing::ValuesIn(kHeadlines), parameter_name);

} // namespace
} // namespace twinplane::test
