// Is a saved drive refused whose tables cannot be those of a drive, though its checksum is right? What goes by them would
// reach outside of the program's memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "platform/config/error.h"
#include "tests/support/drive_record.h"
#include "tests/support/fresh_kernel.h"
#include "tests/support/parameter_names.h"
#include "tests/support/temp_file.h"

namespace twinplane::test::damaged_drive_test {
namespace {

using ::testing::HasSubstr;

struct Kept {
  platform::Config config;
  DriveRecord state;
};

Kept kept_drive(const char* kind) {
  Kept kept;
  kept.config = kept_config(kind);
  const FreshKernel kernel;
  platform::Simulation simulation(kept.config);
  prepare_and_run(simulation, kept.config, {"", "", true});
  kept.state = DriveRecord(simulation);
  return kept;
}

/// What loading the drive and running it ends with; empty: it runs to its end.
std::string complaint(const Kept& kept) {
  const twinplane::testing::TempFile file("drive.state", "");
  DriveRecord state = kept.state;
  state.write(file.path(), kept.config);
  const FreshKernel kernel;
  try {
    platform::Simulation simulation(kept.config);
    prepare_and_run(simulation, kept.config, {file.path(), "", false});
    return simulation.ssd().firmware().panic();
  } catch (const platform::InputError& error) {
    return error.what();
  }
}

const DriveRecord::Section& section_of(const DriveRecord& state, const std::string& name) {
  return *std::find_if(state.sections.begin(), state.sections.end(),
                       [&](const DriveRecord::Section& s) { return s.name == name; });
}

template <typename T>
void put(DriveRecord& state, const std::string& section, std::size_t offset, T value) {
  std::memcpy(&state.content[section_of(state, section).begin + offset], &value, sizeof value);
}

class DamagedDrive : public ::testing::TestWithParam<const char*> {};

TEST_P(DamagedDrive, RunsWhereNothingWasDamaged) {
  EXPECT_EQ(complaint(kept_drive(GetParam())), "");
}

/// Numbers as large as can be, in one section after the other. Counters of the health log, and the state of random
/// numbers, may be that.
TEST_P(DamagedDrive, WithASectionOfOnesIsRefused) {
  const Kept whole = kept_drive(GetParam());
  for (const DriveRecord::Section& section : whole.state.sections) {
    if (section.begin == section.end || section.name == "nvme" || section.name == "relocation") continue;
    if (section.name == "victims" && section.end - section.begin == sizeof(std::uint64_t)) continue;
    SCOPED_TRACE(section.name);
    Kept damaged = whole;
    std::fill(damaged.state.content.begin() + static_cast<std::ptrdiff_t>(section.begin),
              damaged.state.content.begin() + static_cast<std::ptrdiff_t>(section.end), std::uint8_t{0xFF});
    EXPECT_THAT(complaint(damaged), HasSubstr("--load-state"));
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, DamagedDrive, ::testing::ValuesIn(kKeptDrives), parameter_name);

struct Damage {
  const char* section;
  std::size_t offset;
  std::uint32_t value;
  const char* complaint;
};
std::string name_of(const Damage& d) {
  return d.section + ("_" + std::to_string(d.offset));
}
void PrintTo(const Damage& parameter, std::ostream* out) {
  *out << parameter_names::text_of(parameter);
}

class DamagedTable : public ::testing::TestWithParam<Damage> {};

TEST_P(DamagedTable, IsRefusedByName) {
  Kept kept = kept_drive(kKeptDrives[0]);
  put(kept.state, GetParam().section, GetParam().offset, GetParam().value);
  EXPECT_THAT(complaint(kept), HasSubstr(GetParam().complaint));
}

INSTANTIATE_TEST_SUITE_P(
    Tables, DamagedTable,
    ::testing::Values(Damage{"mapping", 0, 0xFFFF'FFF0, "the map names a page that there is not"},
                      Damage{"block table", 4, 0x0009'0000, "a block in a state that there is not"},
                      Damage{"plane allocation", 0, 77, "a turn of a die that there is not"},
                      Damage{"block allocation", 0, 77, "a block that is not open is to be written"},
                      Damage{"victims", 0, 0x0009'0009, "the lists that victims are chosen from"},
                      Damage{"ftl", 0, 1u << 30, "a drive of another capacity"},
                      Damage{"cells", 0, 0xFF, "neither true nor false"}),
    parameter_name);

TEST(DamagedTables, ThatDoNotAgreeAreRefusedWithTheRule) {
  Kept kept = kept_drive(kKeptDrives[0]);
  std::uint32_t first = 0;
  std::memcpy(&first, &kept.state.content[section_of(kept.state, "mapping").begin], sizeof first);
  put(kept.state, "mapping", sizeof first, first);
  EXPECT_THAT(complaint(kept),
              HasSubstr("the firmware's tables do not agree: no two LPNs name the same page"));
}

} // namespace
} // namespace twinplane::test::damaged_drive_test
