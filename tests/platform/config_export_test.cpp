// Dump, report and documentation agree with the registry; the shipped configurations are sound.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>

#include "platform/config/derived.h"
#include "platform/config/export.h"
#include "platform/config/loader.h"
#include "platform/config/registry.h"
#include "tests/support/parameter_names.h"

namespace twinplane::platform::config_export_test {
namespace {

const std::filesystem::path kSource = TWINPLANE_SOURCE_DIR;

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

Config load_text(const std::string& toml) {
  ConfigLoader loader;
  loader.add_text(toml, "dump.toml");
  return loader.finish().config;
}

LoadedConfig load_shipped(const std::string& name) {
  ConfigLoader loader;
  loader.add_file((kSource / "platform/configs" / name).string());
  return loader.finish();
}

TEST(Registry, KeysAreUniqueAndSectionsContiguous) {
  std::set<std::string_view> keys;
  std::set<std::string_view> sections;
  std::string_view section;
  for (const Parameter& p : registry()) {
    EXPECT_TRUE(keys.insert(p.key).second) << p.key;
    const std::string_view s = p.key.substr(0, p.key.find('.'));
    if (s != section) {
      EXPECT_TRUE(sections.insert(s).second) << s;
    }
    section = s;
    EXPECT_FALSE(p.meaning.empty()) << p.key;
  }
}

TEST(Dump, OfTheDefaultsLoadsToTheSameDump) {
  const std::string dump = dump_toml(default_config());
  EXPECT_EQ(dump_toml(load_text(dump)), dump);
}

TEST(Dump, KeepsValuesOfEveryKind) {
  const std::string dump = dump_toml(load_text(
      "[nand]\ncell = \"qlc\"\ntR = [\"1us\", \"2.5us\", \"0.833us\", \"4001ps\"]\nbac = false\n"
      "[bus]\ninterface = \"flat\"\nns_per_byte = \"2.5ns\"\n[cpu]\nclock = \"1.234567GHz\"\n"
      "[host]\ntime_scale = 0.1\n[ftl]\nover_provisioning = \"12.345%\"\ngc_threshold = \"5%\"\n"
      "write_buffer = \"100KiB\"\nwrite_ack = \"buffered\"\nmap_unit = \"4KiB\"\n[workload]\nbssplit = "
      "\"4k/60:16k/40\"\nseed = 9223372036854775807\n"
      "[waves]\nscope = \"ssd.\\\"ch0\\\\\"\n[geometry]\npages_per_block = 400\n"));
  EXPECT_NE(dump.find("tR = [\"1us\", \"2.5us\", \"833ns\", \"4.001ns\"]"), std::string::npos) << dump;
  EXPECT_NE(dump.find("over_provisioning = \"12.345%\""), std::string::npos);
  EXPECT_NE(dump.find("map_unit = \"4KiB\""), std::string::npos);
  EXPECT_EQ(dump_toml(load_text(dump)), dump);
}

TEST(Report, TheResolvedConfigurationHasEveryKey) {
  const nlohmann::ordered_json json = to_json(default_config());
  for (const Parameter& p : registry()) {
    std::string pointer = "/" + std::string(p.key);
    for (char& c : pointer) {
      if (c == '.') c = '/';
    }
    EXPECT_TRUE(json.contains(nlohmann::ordered_json::json_pointer(pointer))) << p.key;
  }
  EXPECT_EQ(json["geometry"]["channels"], 4);
  EXPECT_EQ(json["nand"]["slc"]["tR"], "25us");
  EXPECT_EQ(json["nand"]["tR"].size(), 3u);
  EXPECT_EQ(json["nand"]["bac"], true);
}

TEST(Documentation, OfTheKeysIsCurrent) {
  EXPECT_EQ(read(kSource / "docs/configuration.md"), registry_markdown())
      << "run: twinplane config --markdown > docs/configuration.md";
}

TEST(Keys, ThatChangeNothingAreTold) {
  const auto warned = [](const std::string& text) {
    ConfigLoader loader;
    loader.add_text(text, "keys.toml");
    std::string all;
    for (const std::string& line : loader.finish().warnings) all += line + "\n";
    return all;
  };
  EXPECT_NE(warned("[idle_collection]\nfree_blocks = 5\n").find("without idle_collection.after_us"),
            std::string::npos);
  EXPECT_EQ(warned("[idle_collection]\nfree_blocks = 5\nafter_us = 10\n"), "");
  EXPECT_NE(warned("[slc_cache]\nshare = \"20%\"\n").find("slc_cache.share: has no effect"),
            std::string::npos);
  EXPECT_NE(warned("[nand]\none_pass = true\ntPROG = \"1ms\"\n").find("nand.tPROG: has no effect"),
            std::string::npos);
  EXPECT_EQ(warned(dump_toml(default_config())), "") << "a dump sets all keys, to their defaults";
}

class ShippedConfig : public testing::TestWithParam<const char*> {};
TEST_P(ShippedConfig, PassesAllChecksAndSurvivesADump) {
  const LoadedConfig loaded = load_shipped(GetParam());
  EXPECT_EQ(loaded.warnings, std::vector<std::string>{});
  const std::string dump = dump_toml(loaded.config);
  EXPECT_EQ(dump_toml(load_text(dump)), dump);
}
// Files say in a comment what their timing mode of the bus is, and their sources give that.
TEST_P(ShippedConfig, HasTheRateOfTheBusThatItsCommentSays) {
  const std::string text = read(kSource / "platform/configs" / GetParam());
  static const std::regex kComment("\nmode = [0-9]+ +# ([0-9]+) MT/s");
  std::smatch found;
  if (!std::regex_search(text, found, kComment)) return;
  const Config config = load_shipped(GetParam()).config;
  const double rate = derive(config).bus_bytes_per_s / config.geometry.channels / 1e6;
  EXPECT_NEAR(rate, std::stod(found[1]), 1);
}

INSTANTIATE_TEST_SUITE_P(Configs, ShippedConfig,
                         testing::Values("demo.toml", "tlc_8ch.toml", "mlc_2ch.toml", "slc_8ch.toml",
                                         "pa_ssd.toml", "papa.toml", "guest.toml", "enterprise_tlc_gen4.toml",
                                         "enterprise_tlc_gen5.toml", "enterprise_qlc_gen4.toml",
                                         "client_tlc_gen4.toml", "client_tlc_dramless_gen4.toml",
                                         "mobile_ufs_like.toml", "femu_default.toml", "mqsim_default.toml",
                                         "simplessd_default.toml"),
                         twinplane::test::parameter_name);

TEST(ShippedConfigs, AreAllTested) {
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(kSource / "platform/configs")) {
    found.insert(entry.path().filename().string());
  }
  EXPECT_EQ(found,
            (std::set<std::string>{
                "client_tlc_gen4.toml", "client_tlc_dramless_gen4.toml", "mobile_ufs_like.toml", "demo.toml",
                "enterprise_qlc_gen4.toml", "enterprise_tlc_gen4.toml", "enterprise_tlc_gen5.toml",
                "femu_default.toml", "guest.toml", "mlc_2ch.toml", "mqsim_default.toml", "pa_ssd.toml",
                "papa.toml", "simplessd_default.toml", "slc_8ch.toml", "tlc_8ch.toml"}));
}

TEST(ShippedConfigs, HaveTheCapacitiesOfTheirSources) {
  EXPECT_EQ(derive(load_shipped("tlc_8ch.toml").config).raw_bytes, 288ull << 30); // PA-SSD table 1
  EXPECT_EQ(derive(load_shipped("mlc_2ch.toml").config).raw_bytes, 16ull << 30);  // two 8 GB parts
  EXPECT_EQ(derive(load_shipped("slc_8ch.toml").config).raw_bytes, 16ull << 30);
  EXPECT_EQ(derive(load_shipped("demo.toml").config).raw_bytes, 1536ull << 20);
  EXPECT_EQ(derive(load_shipped("enterprise_tlc_gen4.toml").config).raw_bytes, 18ull << 30); // of 2 TiB
  EXPECT_EQ(derive(load_shipped("enterprise_tlc_gen5.toml").config).raw_bytes, 18ull << 30); // of 4 TiB
  EXPECT_EQ(derive(load_shipped("enterprise_qlc_gen4.toml").config).raw_bytes, 64ull << 30); // of 16 TiB
  EXPECT_EQ(derive(load_shipped("client_tlc_gen4.toml").config).raw_bytes,
            64ull * 171 * 96 << 14); // 16 GiB of 1 TiB
  EXPECT_EQ(derive(load_shipped("client_tlc_dramless_gen4.toml").config).raw_bytes, 64ull * 171 * 96 << 14);
  EXPECT_EQ(derive(load_shipped("mobile_ufs_like.toml").config).raw_bytes,
            16ull * 341 * 96 << 14); // 8 GiB of 512 GiB
  EXPECT_EQ(derive(load_shipped("femu_default.toml").config).raw_bytes, 16ull << 30);
  EXPECT_EQ(derive(load_shipped("mqsim_default.toml").config).raw_bytes, 512ull << 30 >> 4);
  EXPECT_EQ(derive(load_shipped("simplessd_default.toml").config).raw_bytes, 512ull << 30 >> 4);
}

TEST(Derived, LimitsFollowTheClosedForms) {
  const Derived d = derive(load_shipped("tlc_8ch.toml").config);
  EXPECT_EQ(d.planes, 8u * 2 * 16);
  EXPECT_NEAR(d.bus_bytes_per_s, 8 / 3e-9, 1);                             // 8 channels, 3 ns per byte
  EXPECT_NEAR(d.link_bytes_per_s, 4 * 8e9 / 8 * 128 / 130 * 256 / 282, 1); // PCIe 3.0 x4
}

} // namespace
} // namespace twinplane::platform::config_export_test
