// The loader: precedence, presets, and what each kind of mistake is answered with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "firmware/ftl/policies.h"
#include "platform/config/convert.h"
#include "platform/config/error.h"
#include "platform/config/loader.h"
#include "platform/config/names.h"
#include "tests/support/config_text.h"

namespace twinplane::platform::config_loader_test {
namespace {

using test::complaint;
using test::load;
using testing::HasSubstr;

std::string setting_complaint(const std::string& setting) {
  try {
    ConfigLoader loader;
    loader.add_setting(setting);
    loader.finish();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Loader, FillsTypedValuesFromTextWithUnits) {
  const Config c = load(
      "[geometry]\nchannels = 2\npage_size = \"16KiB\"\n[nand]\ntBERS = \"15ms\"\nslc.tR = \"30us\"\n"
      "[bus]\ninterface = \"flat\"\nns_per_byte = 2.5\n[cpu]\nclock = \"1.2GHz\"\ncost.gc_select = 7\n"
      "[ftl]\nover_provisioning = \"20%\"\ngc_threshold = \"5%\"\nwrite_buffer = \"64MiB\"\nwrite_ack = "
      "\"buffered\"\n"
      "[data]\nmode = \"none\"\n");
  EXPECT_EQ(c.geometry.channels, 2u);
  EXPECT_EQ(c.geometry.page_size, 16384u);
  EXPECT_EQ(c.nand.tBERS, ms(15));
  EXPECT_EQ(c.nand.slc.tR, us(30));
  EXPECT_EQ(c.bus.ns_per_byte, 2500u);
  EXPECT_EQ(c.cpu.clock, 1'200'000'000u);
  EXPECT_EQ(c.cpu.cost.gc_select, 7u);
  EXPECT_EQ(c.ftl.over_provisioning, 0.2);
  EXPECT_EQ(gc_threshold_blocks(c), 7u); // 5 % of 128, rounded up
  EXPECT_EQ(write_buffer_pages(c), 4096u);
  EXPECT_EQ(c.data, DataMode::none);
}

TEST(Loader, LaterFilesAndSettingsWin) {
  ConfigLoader loader;
  loader.add_text("[geometry]\nchannels = 2\ndies_per_chip = 1\n", "a.toml");
  loader.add_text("[geometry]\nchannels = 8\n", "b.toml");
  loader.add_setting("geometry.dies_per_chip=4");
  const Config c = loader.finish().config;
  EXPECT_EQ(c.geometry.channels, 8u);
  EXPECT_EQ(c.geometry.dies_per_chip, 4u);
}

TEST(Loader, SettingsMayBeBareTextOrToml) {
  ConfigLoader loader;
  loader.add_setting("nand.tR=50us, 75us,100us");
  loader.add_setting("nand.tPROG=[\"1ms\", \"2ms\", \"3ms\"]");
  loader.add_setting("ftl.victim=rga");
  loader.add_setting("nand.bac=false");
  const Config c = loader.finish().config;
  EXPECT_EQ(c.nand.tR.at[1], us(75));
  EXPECT_EQ(c.nand.tPROG.at[2], ms(3));
  EXPECT_EQ(c.ftl.victim, "rga");
  EXPECT_FALSE(c.nand.bac);
}

TEST(Loader, OneTimeServesAllPageTypes) {
  const Config c = load("[nand]\ntR = \"100us\"\n");
  EXPECT_EQ(c.nand.tR.count, 3u);
  EXPECT_EQ(c.nand.tR.at[0], us(100));
  EXPECT_EQ(c.nand.tR.at[2], us(100));
}

TEST(Presets, TheCellChoosesTimesAndSetKeysWin) {
  const Config c = load("[nand]\ntBERS = \"9ms\"\ncell = \"mlc\"\n");
  EXPECT_EQ(c.nand.tPROG.count, 2u);
  EXPECT_EQ(c.nand.tPROG.at[0], us(450));
  EXPECT_EQ(c.nand.tPROG.at[1], us(2150));
  EXPECT_EQ(c.nand.tBERS, ms(9));
}

TEST(Presets, ThePolicyIsAPresetOfTheOtherFtlKeys) {
  const Config c = load("[ftl]\nvictim = \"rga\"\npolicy = \"conventional\"\n");
  EXPECT_EQ(c.ftl.policy, "conventional");
  EXPECT_EQ(c.ftl.plane_allocation, "F2");
  EXPECT_EQ(c.ftl.victim, "rga");
}

TEST(Loader, AcceptsEveryNameTheFirmwareKnows) {
  for (const char* name : {"F", "D", "F2", "CWDP", "PDWC", "DP", "CW2"}) {
    const Config c = load(std::string("[ftl]\nplane_allocation = \"") + name + "\"\n");
    EXPECT_EQ(fw::check_policy_names(to_ftl_config(c)), nullptr) << name;
  }
  for (const std::string& name : names::victims()) {
    const Config c = load("[ftl]\nvictim = \"" + name + "\"\n");
    EXPECT_EQ(fw::check_policy_names(to_ftl_config(c)), nullptr) << name;
  }
}

TEST(Mistakes, AnUnknownKeyNamesFileLineAndTheNearestKey) {
  EXPECT_EQ(complaint("[geometry]\n\nchanels = 4\n"),
            "ssd.toml:3: geometry.chanels: unknown key; did you mean geometry.channels?");
  EXPECT_EQ(complaint("[nand]\nchannels = 4\n"),
            "ssd.toml:2: nand.channels: unknown key; did you mean geometry.channels?");
  EXPECT_EQ(complaint("[nand]\ntprog = \"1ms\"\n"),
            "ssd.toml:2: nand.tprog: unknown key; did you mean nand.tPROG?");
  EXPECT_EQ(complaint("[nnad]\ntBRES = \"1ms\"\n"),
            "ssd.toml:2: nnad.tBRES: unknown key; did you mean nand.tBERS?");
  EXPECT_EQ(complaint("[nand]\nx = 1\n"), "ssd.toml:2: nand.x: unknown key");
  EXPECT_EQ(complaint("[geometry]\nzzzzzzzz = 4\n"), "ssd.toml:2: geometry.zzzzzzzz: unknown key");
  EXPECT_EQ(complaint("geometry = 4\n"), "ssd.toml:1: geometry: is a section, expected keys below it");
  EXPECT_THAT(complaint("[geometrie]\n"), HasSubstr("ssd.toml:1: geometrie: unknown key"));
}

TEST(Mistakes, AWrongUnitSaysWhatWasExpected) {
  EXPECT_EQ(complaint("[nand]\ntBERS = \"15\"\n"),
            "ssd.toml:2: nand.tBERS: expected a time such as \"65us\" (units ps, ns, us, ms, s), 1ns to 1s, "
            "got \"15\"");
  EXPECT_THAT(complaint("[nand]\ntBERS = 15\n"), HasSubstr("expected a time such as"));
  EXPECT_THAT(complaint("[geometry]\npage_size = \"4us\"\n"), HasSubstr("expected a size such as \"16KiB\""));
  EXPECT_THAT(complaint("[cpu]\nclock = \"1.2\"\n"), HasSubstr("expected a frequency such as \"1.2GHz\""));
  EXPECT_THAT(complaint("[dram]\nbandwidth = 4\n"), HasSubstr("expected a bandwidth such as"));
}

TEST(Mistakes, AWrongTypeSaysWhatWasExpectedAndWhatCame) {
  EXPECT_EQ(complaint("[geometry]\nchannels = \"four\"\n"),
            "ssd.toml:2: geometry.channels: expected a whole number, 1 to 64, got \"four\"");
  EXPECT_THAT(complaint("[geometry]\nchannels = 4.0\n"), HasSubstr("expected a whole number"));
  EXPECT_THAT(complaint("[geometry]\nchannels = -1\n"), HasSubstr("got -1"));
  EXPECT_THAT(complaint("[nand]\nbac = 1\n"), HasSubstr("expected true or false, got 1"));
  EXPECT_THAT(complaint("[nand]\ncell = \"xlc\"\n"),
              HasSubstr("expected one of slc, mlc, tlc, qlc, got \"xlc\""));
  EXPECT_THAT(complaint("[nand]\ntR = [\"1us\", 2]\n"), HasSubstr("got [\"1us\", 2]"));
  EXPECT_THAT(complaint("[nand]\ntR = 1979-05-27\n"), HasSubstr("got a date or time"));
  EXPECT_THAT(complaint("[geometry]\nchannels = {}\n"), HasSubstr("got a table"));
  EXPECT_THAT(complaint("[ftl]\ngc_threshold = \"110%\"\n"), HasSubstr("a number of blocks or a share"));
}

TEST(Mistakes, AValueOutOfRangeNamesTheRange) {
  EXPECT_THAT(complaint("[geometry]\nchannels = 65\n"), HasSubstr("1 to 64, got 65"));
  EXPECT_THAT(complaint("[ftl]\nover_provisioning = \"99%\"\n"), HasSubstr("1% to 95%, got \"99%\""));
  EXPECT_THAT(complaint("[nand]\ntBERS = \"0ns\"\n"), HasSubstr("1ns to 1s"));
}

TEST(Mistakes, AnUnknownNameGetsTheNearestOne) {
  EXPECT_THAT(complaint("[ftl]\nvictim = \"greddy\"\n"), HasSubstr("got \"greddy\"; did you mean greedy?"));
  EXPECT_THAT(complaint("[ftl]\npolicy = \"convetional\"\n"), HasSubstr("did you mean conventional?"));
  EXPECT_THAT(complaint("[ftl]\nplane_allocation = \"CWDPP\"\n"), HasSubstr("`twinplane list` shows all"));
}

TEST(Mistakes, SeveralAreReportedTogether) {
  EXPECT_EQ(complaint("[geometry]\nchannels = 0\nwidth = 3\n[nand]\ntBERS = \"x\"\n"),
            "ssd.toml:2: geometry.channels: expected a whole number, 1 to 64, got 0\n"
            "ssd.toml:3: geometry.width: unknown key\n"
            "ssd.toml:5: nand.tBERS: expected a time such as \"65us\" (units ps, ns, us, ms, s), 1ns to 1s, "
            "got \"x\"");
}

TEST(Mistakes, TextThatIsNoTomlNamesLineAndColumn) {
  EXPECT_THAT(complaint("[geometry]\nchannels = = 4\n"), HasSubstr("ssd.toml:2:12: not valid TOML: "));
  EXPECT_THAT(complaint("[geometry]\nchannels = 4\nchannels = 5\n"), HasSubstr("ssd.toml:3:"));
}

TEST(Mistakes, AFileThatCannotBeReadIsNamedWithTheReason) {
  ConfigLoader loader;
  try {
    loader.add_file("/nonexistent/ssd.toml");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "/nonexistent/ssd.toml: cannot read the configuration: No such file or directory");
  }
  EXPECT_THROW(loader.add_file("/"), InputError); // a folder
  EXPECT_NO_THROW(loader.add_file("/dev/null"));  // an empty file: all defaults
}

TEST(Mistakes, ASettingNeedsAKeyAndAValue) {
  EXPECT_EQ(setting_complaint("geometry.channels"), "--set geometry.channels: expected key=value");
  EXPECT_EQ(setting_complaint("geometry.chnnels=3"),
            "--set: geometry.chnnels: unknown key; did you mean geometry.channels?");
}

TEST(Mistakes, AKeyThatNothingUsesYetIsNotSilentlyAccepted) {
  EXPECT_EQ(complaint("[bus]\nhold_tDBSY = false\n"),
            "ssd.toml:2: bus.hold_tDBSY: not modelled yet: only the default true is accepted");
  EXPECT_EQ(complaint("[bus]\nhold_tDBSY = true\n"), "");
}

// --- cross-checks: one impossible combination each ---

TEST(CrossChecks, ImpossibleGeometriesAreRefused) {
  EXPECT_THAT(complaint("[geometry]\npage_size = \"12KiB\"\n"),
              HasSubstr("geometry.page_size: must be a power of two"));
  EXPECT_THAT(complaint("[geometry]\nsector_size = \"1KiB\"\n"), HasSubstr("must be 512B or 4KiB, is 1KiB"));
  EXPECT_THAT(complaint("[geometry]\npage_size = \"2KiB\"\n"),
              HasSubstr("do not fill a page of 2KiB evenly"));
  EXPECT_THAT(complaint("[geometry]\npage_size = \"32KiB\"\nsector_size = \"512B\"\n"),
              HasSubstr("at most 32 sectors, 32KiB / 512B = 64"));
  EXPECT_THAT(complaint("[geometry]\nsubpages_per_page = 4\n"), HasSubstr("4 does not divide the 2 sectors"));
  EXPECT_THAT(
      complaint("[ftl]\nmap_unit = \"3KiB\"\n"),
      HasSubstr("ftl.map_unit: must be a power of two from a sector (4KiB) to a page (8KiB), is 3KiB"));
  EXPECT_THAT(complaint("[ftl]\nmap_unit = \"16KiB\"\n"), HasSubstr("to a page (8KiB), is 16KiB"));
  EXPECT_THAT(complaint("[ftl]\nmap_unit = \"half\"\n"), HasSubstr("\"page\" or a size such as \"4KiB\""));
  EXPECT_THAT(
      complaint("[geometry]\npage_size = \"16KiB\"\nsector_size = \"512B\"\n[ftl]\nmap_unit = \"512B\"\n"),
      HasSubstr("a page of 16KiB has 32 units of 512B, at most 16"));
  EXPECT_THAT(
      complaint("[geometry]\npage_size = \"16KiB\"\nsubpages_per_page = 2\n[ftl]\nmap_unit = \"4KiB\"\n"),
      HasSubstr("geometry.subpages_per_page: a page has 4 units of ftl.map_unit = 4KiB"));
  EXPECT_THAT(complaint("[geometry]\npages_per_block = 256\n"),
              HasSubstr("ssd.toml:2: geometry.pages_per_block: 256 is no multiple of the cell's 3 bits"));
  EXPECT_THAT(complaint("[geometry]\npage_size = \"64KiB\"\nspare_size = \"4KiB\"\n"),
              HasSubstr("two column address cycles reach 64KiB"));
  EXPECT_THAT(complaint("[geometry]\nchips_per_channel = 32\ndies_per_chip = 4\n"),
              HasSubstr("128 dies on a channel"));
}

TEST(CrossChecks, PageNumbersMustFitIn32Bits) {
  const std::string big =
      "[geometry]\nchannels = 64\nchips_per_channel = 16\ndies_per_chip = 4\nplanes_per_die = 4\n"
      "pages_per_block = 384\n";
  EXPECT_THAT(complaint(big + "blocks_per_plane = 4096\n"),
              HasSubstr("physical page numbers would need 35 bits"));
  EXPECT_EQ(complaint(big + "blocks_per_plane = 256\n"), "");
  // 32 bits in all: one too many, the map stores number + 1.
  EXPECT_THAT(complaint(big + "blocks_per_plane = 512\n"), HasSubstr("would need 32 bits"));
}

TEST(CrossChecks, TimeListsFitTheCell) {
  EXPECT_THAT(
      complaint("[nand]\ncell = \"mlc\"\ntPROG = [\"1ms\", \"2ms\", \"3ms\"]\n"),
      HasSubstr("ssd.toml:3: nand.tPROG: expected one time or 2 (one per page type of the cell), got 3"));
  EXPECT_THAT(complaint("[nand]\npage_table = \"even_odd\"\n"),
              HasSubstr("even_odd needs nand.cell = \"mlc\""));
  EXPECT_THAT(complaint("[nand]\nprogram_order = \"slc\"\n"), HasSubstr("leaves the slow pages unused"));
}

TEST(CrossChecks, BusModesExist) {
  EXPECT_THAT(complaint("[bus]\ninterface = \"sdr\"\nmode = 6\n"), HasSubstr("sdr has modes 0 to 5, got 6"));
  EXPECT_EQ(complaint("[bus]\ninterface = \"nv-ddr3\"\nmode = 19\n"), "");
  EXPECT_THAT(complaint("[pcie]\nlanes = 3\n"), HasSubstr("expected 1, 2, 4, 8 or 16, got 3"));
}

TEST(CrossChecks, QueuesHoldTheRequestedDepth) {
  EXPECT_THAT(complaint("[host]\niodepth = 64\nqueue_size = 64\n"),
              HasSubstr("host.iodepth: 64 cannot be outstanding: 1 queue(s) of 64 entries hold 63"));
  EXPECT_EQ(complaint("[host]\niodepth = 64\nqueue_size = 65\n"), "");
  EXPECT_THAT(complaint("[host]\nmax_transfer = \"20KiB\"\n"), HasSubstr("must be a power of two (MDTS)"));
}

TEST(CrossChecks, AnAgedDriveKeepsRoomToWrite) {
  const std::string full = "[precondition]\nmode = \"aged\"\nfill = \"100%\"\n";
  EXPECT_THAT(complaint(full),
              HasSubstr("precondition.fill: leaves an aged drive no room to write: must be below 100%"));
  EXPECT_EQ(complaint(full + "phase = \"random\"\n"), "") << "a block of each plane is left to the phases";
}

TEST(CrossChecks, SpaceForGarbageCollectionExists) {
  EXPECT_THAT(complaint("[ftl]\ngc_threshold = 128\n"),
              HasSubstr("128 free blocks asked of a plane that has 128"));
  EXPECT_THAT(
      complaint("[geometry]\nblocks_per_plane = 8\n[ftl]\nover_provisioning = \"15%\"\ngc_threshold = 2\n"),
      HasSubstr("leaves 1 spare blocks, garbage collection needs at least 2"));
  EXPECT_THAT(complaint("[ftl]\ngc_threshold = \"0.5%\"\n"),
              HasSubstr("0.5% of 128 blocks per plane is fewer than the 2"));
  EXPECT_THAT(complaint("[ftl]\nwrite_ack = \"buffered\"\n"), HasSubstr("needs ftl.write_buffer"));
  EXPECT_THAT(complaint("[data]\nmode = \"full\"\n[ftl]\nwrite_buffer = \"3GiB\"\n"),
              HasSubstr("the engines that move data reach 2GiB"));
}

TEST(CrossChecks, TheWorkloadFitsTheDrive) {
  EXPECT_THAT(complaint("[workload]\nsize = \"1TiB\"\n"), HasSubstr("lies beyond the drive's"));
  EXPECT_THAT(complaint("[workload]\nbs = \"64k\"\nsize = \"32k\"\n"), HasSubstr("smaller than one request"));
  EXPECT_THAT(complaint("[waves]\nfrom = \"2ms\"\nto = \"1ms\"\n"),
              HasSubstr("must be later than waves.from = 2ms"));
}

TEST(CrossChecks, LegalButDoubtfulSettingsAreWarnedAbout) {
  ConfigLoader loader;
  loader.add_text("[ftl]\ngc_threshold = \"30%\"\n", "ssd.toml");
  const LoadedConfig loaded = loader.finish();
  ASSERT_FALSE(loaded.warnings.empty());
  EXPECT_THAT(loaded.warnings,
              testing::Contains(HasSubstr("ssd.toml:2: ftl.gc_threshold: 39 free blocks per plane "
                                          "cannot be reached on a full drive: 19 of 128")));
}

TEST(Loader, RefusesWhatTheFirmwareWouldNotBootWith) {
  EXPECT_THAT(
      complaint("[geometry]\npage_size = \"16KiB\"\nsubpages_per_page = 4\n[nand]\npartial_programs = 4\n"
                "[power]\nhold_up = 100\n[ftl]\npolicy = \"ipu\"\nwear_gap = 5\n"),
      HasSubstr("ssd.toml:10: ftl.wear_gap: must be 0 with ftl.regions = slc_cache, mga, ipu"));
}

TEST(Loader, KnowsWhichSectionsWereSet) {
  ConfigLoader loader;
  loader.add_text("[workload]\nbs = \"4k\"\n", "w.toml");
  const LoadedConfig loaded = loader.finish();
  EXPECT_TRUE(loaded.sets_section("workload"));
  EXPECT_FALSE(loaded.sets_section("work"));
  EXPECT_FALSE(loaded.sets_section("nand"));
  EXPECT_EQ(loaded.origins.at("workload.bs"), "w.toml:2");
}

TEST(RequireValid, RefusesAListThatIsSaidToHoldMoreTimesThanItCan) {
  for (const std::uint32_t count : {9u, 100u, 0x7FFF'FFFFu}) {
    Config config = default_config();
    config.nand.tPROG.count = count;
    try {
      require_valid(config);
      FAIL() << count;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr("nand.tPROG: expected a time")) << count;
      EXPECT_LT(std::string(error.what()).size(), 400u) << count;
    }
  }
}

TEST(Convert, TheFirmwareGetsTheNamesOfItsDecisions) {
  const Config c = load("[ftl]\nvictim = \"rga\"\n[cpu]\ncost.admin = 5\n[run]\nseed = 9\n");
  const fw::FtlConfig f = to_ftl_config(c);
  EXPECT_STREQ(f.victim, "rga");
  EXPECT_EQ(f.cost.admin, 5u);
  EXPECT_EQ(f.seed, 9u);
  EXPECT_EQ(f.gc_threshold_blocks, 3u);
}

TEST(Convert, BusAndArrayTimesComeFromTheTables) {
  EXPECT_EQ(to_bus_timing(load("[bus]\ninterface = \"flat\"\nns_per_byte = \"3ns\"\n")).data_out.of(8192),
            ns(24576));
  EXPECT_EQ(to_bus_timing(load("[bus]\ninterface = \"sdr\"\nmode = 5\n")).tWC, ns(20));
  const ArrayTiming t = to_array_timing(load("[nand]\ntPROG = [\"500us\", \"2ms\", \"5.5ms\"]\n"));
  EXPECT_EQ(t.tPROG[1], ms(2));
  EXPECT_EQ(t.tPROG[2], us(5500));
}

} // namespace
} // namespace twinplane::platform::config_loader_test
