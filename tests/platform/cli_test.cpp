// The command line: what runs, what is printed, and how misspelt arguments are answered.
#include "platform/cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "platform/config/error.h"
#include "platform/config/export.h"
#include "platform/config/loader.h"
#include "platform/config/names.h"
#include "platform/workload/from_config.h"
#include "tests/support/command_call.h"
#include "tests/support/parameter_names.h"

namespace twinplane::platform::cli_test {
namespace {

using test::Outcome;
using testing::HasSubstr;
using testing::Not;

// A plain function because that is what command_line takes; call() resets the count.
RunOptions last_run;
int runs = 0;

int record_run(const RunOptions& options) {
  last_run = options;
  ++runs;
  return 0;
}

int fail_run(const RunOptions&) {
  throw InputError("summary.json: disk full");
}

Outcome call(std::vector<const char*> arguments,
             const std::function<int(const RunOptions&)>& run = record_run) {
  runs = 0;
  return test::call_twinplane(std::move(arguments), run);
}

const std::string kDemo = TWINPLANE_SOURCE_DIR "/platform/configs/demo.toml";

TEST(Run, GetsTheResolvedConfigurationAndTheTrace) {
  const Outcome o =
      call({"run",      "-c",        kDemo.c_str(), "--set", "geometry.channels=2", "--trace",      "t.csv",
            "--format", "msr",       "--devices",   "keep",  "--skip-bad-lines",    "--out",        "o",
            "--seed",   "7",         "--rounds",    "3",     "--vcd=ssd.ch0",       "--vcd-window", "1ms:2ms",
            "--strict", "--progress"});
  EXPECT_EQ(o.status, 0) << o.err;
  ASSERT_EQ(runs, 1);
  EXPECT_EQ(last_run.config.geometry.channels, 2u);
  EXPECT_EQ(last_run.config.geometry.blocks_per_plane, 32u);
  EXPECT_EQ(last_run.config.run.seed, 7u);
  EXPECT_EQ(last_run.config.host.rounds, 3u);
  EXPECT_TRUE(last_run.config.run.strict);
  EXPECT_TRUE(last_run.config.run.progress);
  EXPECT_TRUE(last_run.config.waves.vcd);
  EXPECT_EQ(last_run.config.waves.scope, "ssd.ch0");
  EXPECT_EQ(last_run.config.waves.from, ms(1));
  EXPECT_EQ(last_run.config.waves.to, ms(2));
  EXPECT_EQ(last_run.trace.path, "t.csv");
  EXPECT_EQ(last_run.trace.format, "msr");
  EXPECT_EQ(last_run.trace.devices, DeviceLayout::keep);
  EXPECT_TRUE(last_run.trace.skip_bad_lines);
  EXPECT_EQ(last_run.out, "o");
}

TEST(Run, TracesAllSignalsWhenVcdHasNoScope) {
  EXPECT_EQ(call({"run", "--trace", "t", "--vcd", "--out", "o"}).status, 0);
  EXPECT_TRUE(last_run.config.waves.vcd);
  EXPECT_EQ(last_run.config.waves.scope, "");
}

TEST(Run, TakesASyntheticWorkloadFromTheConfiguration) {
  EXPECT_EQ(call({"run", "--set", "workload.number_ios=5"}).status, 0);
  EXPECT_EQ(last_run.config.workload.number_ios, 5u);
  EXPECT_EQ(last_run.trace.path, "");
}

TEST(Run, TakesAScaledProfile) {
  const Outcome o = call({"run", "-c", kDemo.c_str(), "--profile", "prxy_0", "--requests", "1000",
                          "--footprint", "64MiB", "--time-scale", "0.5", "--seed", "9"});
  EXPECT_EQ(o.status, 0) << o.err;
  ASSERT_TRUE(last_run.profile.has_value());
  EXPECT_EQ(last_run.profile->name, "prxy_0");
  EXPECT_EQ(last_run.profile->requests, 1000u);
  EXPECT_EQ(last_run.profile->footprint, std::uint64_t{64} << 20);
  EXPECT_DOUBLE_EQ(last_run.profile->arrival.rate, 41.6);
  EXPECT_EQ(last_run.profile->seed, 9u);
}

TEST(Run, ChangesKeysOfAProfile) {
  const Outcome o = call({"run", "--profile", "prxy_0", "--profile-set", "arrival.model=poisson",
                          "--profile-set", "arrival.rate=7"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(last_run.profile->arrival.model, "poisson");
  EXPECT_DOUBLE_EQ(last_run.profile->arrival.rate, 7.0);
}

TEST(Run, SeedsAProfileFromTheConfigurationToo) {
  EXPECT_EQ(call({"run", "--profile", "hm_0", "--set", "workload.seed=12"}).status, 0);
  EXPECT_EQ(last_run.profile->seed, 12u);
  EXPECT_EQ(call({"run", "--profile", "hm_0"}).status, 0);
  EXPECT_EQ(last_run.profile->seed, 1u); // its own
}

TEST(Run, TakesTheFootprintOfAProfileAsAShareOfTheDrive) {
  EXPECT_EQ(call({"run", "-c", kDemo.c_str(), "--profile", "hm_0", "--footprint", "50%"}).status, 0);
  const std::uint64_t half = last_run.profile->footprint;
  EXPECT_EQ(call({"run", "-c", kDemo.c_str(), "--profile", "hm_0", "--footprint", "100%"}).status, 0);
  EXPECT_NEAR(static_cast<double>(last_run.profile->footprint), 2.0 * static_cast<double>(half), 2.0);
}

TEST(Run, RefusesProfilesThatCannotBe) {
  EXPECT_THAT(call({"run", "--profile", "hm0"}).err, HasSubstr("did you mean hm_0?"));
  EXPECT_THAT(call({"run", "--profile", "hm_0", "--trace", "t"}).err, HasSubstr("excludes"));
  EXPECT_THAT(call({"run", "--trace", "t", "--requests", "5"}).err, HasSubstr("--profile"));
  EXPECT_THAT(call({"run", "--profile", "hm_0", "--footprint", "4"}).err,
              HasSubstr("expected a size such as 8GiB or a share of the drive such as 80%, got 4"));
  EXPECT_EQ(runs, 0);
}

TEST(Run, WithoutAWorkloadIsAnError) {
  const Outcome o = call({"run", "-c", kDemo.c_str()});
  EXPECT_EQ(o.status, 1);
  EXPECT_EQ(runs, 0);
  EXPECT_THAT(o.err, HasSubstr("error: nothing to run: give --trace FILE, --workload FILE"));
}

TEST(Run, PassesOnWhatTheSimulationComplainsAbout) {
  const Outcome o = call({"run", "--trace", "t"}, fail_run);
  EXPECT_EQ(o.status, 1);
  EXPECT_EQ(o.err, "error: summary.json: disk full\n");
}

struct Misuse {
  std::vector<const char*> arguments;
  const char* answer;
};
std::string name_of(const Misuse& m) {
  std::string all;
  for (const std::string part : m.arguments) all += (all.empty() ? "" : " ") + part;
  return all;
}
void PrintTo(const Misuse& parameter, std::ostream* out) {
  *out << test::parameter_names::text_of(parameter);
}

class Misused : public testing::TestWithParam<Misuse> {};
TEST_P(Misused, CommandLinesGetAnAnswerAndAFailureStatus) {
  const Outcome o = call(GetParam().arguments);
  EXPECT_EQ(o.status, 1);
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(o.out, "");
  EXPECT_THAT(o.err, HasSubstr(GetParam().answer));
}
INSTANTIATE_TEST_SUITE_P(
    CommandLine, Misused,
    testing::Values(
        Misuse{{}, "error: A subcommand is required (see `twinplane --help`)"},
        Misuse{{"rnu"}, "error: unexpected argument rnu; did you mean run?"},
        Misuse{{"run", "--trcae", "t"}, "error: run: unexpected argument --trcae; did you mean --trace?"},
        Misuse{{"run", "--trcae=t"}, "error: run: unexpected argument --trcae; did you mean --trace?"},
        Misuse{{"config", "--dmup"}, "did you mean --dump? (see `twinplane config --help`)"},
        Misuse{{"check", "surplus"}, "error: check: unexpected argument surplus"},
        Misuse{{"run", "--trace", "t", "--workload", "w"}, "excludes"},
        Misuse{{"run", "--trace", "t", "--vcd"}, "--vcd needs --out DIR"},
        Misuse{{"run", "--trace", "t", "--out", "o", "--vcd=ssd.ch0", "--fst=ssd.ch1"},
               "--vcd=ssd.ch0 and --fst=ssd.ch1: expected one scope, which holds for all files of waves"},
        Misuse{{"run", "--trace", "t", "--out", "o", "--vcd-window", "1ms"}, "expected FROM:TO"},
        Misuse{{"run", "--trace", "t", "--vcd-window", "1:2ms"}, "--vcd-window: waves.from: expected a time"},
        Misuse{{"run", "--trace", "t", "--seed", "x"}, "--seed = x"},
        Misuse{{"run", "--trace", "t", "--seed", "-1"}, "--seed: run.seed: expected a whole number, got -1"},
        Misuse{
            {"run", "--trace", "t", "--seed", "18446744073709551615"},
            "run: --seed: expected a whole number of at most 9223372036854775807, got 18446744073709551615 "
            "(see `twinplane run --help`)"},
        Misuse{{"run", "--trace", "t", "--seed", "99999999999999999999999"}, "at most 9223372036854775807"},
        Misuse{{"run", "--trace", "t", "--max-records", "-1"},
               "--max-records: expected a whole number of at least 1, got -1"},
        Misuse{
            {"trace", "info", "t", "--max-records", "0"},
            "trace info: --max-records: expected a whole number of at least 1, got 0 (see `twinplane trace "
            "info --help`)"},
        Misuse{{"trace", "generate", "t", "--seed", "-1"}, "--seed: expected a whole number of at least 0"},
        Misuse{{"run", "--profile", "hm_0", "--requests", "0"},
               "--requests: expected a whole number of at least 1, got 0"},
        Misuse{{"run", "--profile", "hm_0", "--time-scale", "0"},
               "--time-scale: expected a number above 0, got 0"},
        Misuse{{"trace", "info", "--fromat", "msr"},
               "trace info: unexpected argument --fromat; did you mean --format? (see `twinplane trace info"},
        Misuse{{"run", "--trace", "t", "--own-queues"}, "--own-queues: expected several traces"},
        Misuse{{"run", "--trace", "t", "--out", "o", "--vcd-window", "1ms:2ms"}, "nothing is recorded"},
        Misuse{{"trace", "info", "--profile", "hm_0", "--format", "msr"}, "excludes"},
        Misuse{{"run", "--trace", "t", "--devices", "both"},
               "expected concatenate, by-name or keep, got both"},
        Misuse{{"run", "--trace", "t", "--block-action", "X"}, "expected D or Q, got X"},
        Misuse{{"run", "-c"}, "--config"},
        Misuse{{"check", "-c", "/nonexistent/a.toml"},
               "error: /nonexistent/a.toml: cannot read the configuration"},
        Misuse{{"check", "--set", "geometry.chanels=4"}, "did you mean geometry.channels?"},
        Misuse{{"check", "--set", "workload.bssplit=4k/x"}, "error: --set: workload.bssplit: expected"},
        Misuse{{"check", "--set", "workload.random_distribution=zip:1"},
               "error: --set: workload.random_distribution: expected"},
        Misuse{{"check", "--set", "workload.bssplit=4k/60"},
               "error: --set: workload.bssplit: expected shares that add up to 100, got '4k/60'"},
        Misuse{
            {"check", "--set", "workload.random_distribution=zoned:50/50"},
            "error: --set: workload.random_distribution: expected zoned: access shares that add up to 100"},
        Misuse{
            {"run", "--set", "workload.random_distribution=zoned:50/50"},
            "error: --set: workload.random_distribution: expected zoned: access shares that add up to 100"},
        Misuse{{"trace", "generate", "t", "--set", "workload.bssplit=4k/60"},
               "error: --set: workload.bssplit: expected shares"},
        Misuse{{"list", "tarces"}, "profiles, rules or features, got \"tarces\"; did you mean traces?"},
        Misuse{{"list", "traces", "--rules"}, "list"}),
    twinplane::test::parameter_name);

/// They would be ignored.
TEST(Run, RefusesOptionsOfTracesWithoutATrace) {
  const std::vector<std::vector<const char*>> options = {
      {"--format", "msr"},    {"--columns", "x"},     {"--time-unit", "s"},    {"--devices", "keep"},
      {"--clock", "own"},     {"--only-device", "a"}, {"--block-action", "Q"}, {"--sort-window", "4"},
      {"--max-records", "5"}, {"--skip-bad-lines"}};
  for (const std::vector<const char*>& option : options) {
    std::vector<const char*> words = {"run", "--set", "workload.number_ios=5"};
    words.insert(words.end(), option.begin(), option.end());
    EXPECT_THAT(call(words).err, HasSubstr(std::string(option[0]) + " requires --trace")) << option[0];
    EXPECT_EQ(runs, 0);
  }
}

TEST(Run, WarnsOfAWorkloadThatATraceReplaces) {
  const Outcome o = call({"run", "--trace", "t", "--set", "workload.number_ios=5", "--set",
                          "workload.ramp_ios=1", "--set", "workload.rw=read"});
  EXPECT_EQ(o.status, 0);
  EXPECT_THAT(o.err,
              HasSubstr("warning: --set: workload.number_ios: has no effect: the requests are those of the "
                        "trace"));
  EXPECT_THAT(o.err, HasSubstr("workload.rw: has no effect"));
  EXPECT_THAT(o.err, Not(HasSubstr("workload.ramp_ios")));
  EXPECT_EQ(call({"run", "-c", kDemo.c_str(), "--trace", "t"}).err, "") << "a file is for other runs, too";
}

/// An empty value would count as none.
TEST(CommandLine, RefusesEmptyValuesByTheNameOfTheOption) {
  for (const char* option :
       {"--out", "--save-end", "--save-state", "--load-state", "--power-cut", "--firmware", "--blocks",
        "--only-device", "--time-unit", "--trace", "--workload", "--profile", "--gdb", "--config"}) {
    std::vector<const char*> words = {"run", "--trace", "t", option, ""};
    if (option == std::string("--workload") || option == std::string("--profile"))
      words = {"run", option, ""};
    const Outcome o = call(words);
    EXPECT_EQ(o.status, 1) << option;
    EXPECT_EQ(runs, 0) << option;
    EXPECT_THAT(o.err, HasSubstr(option));
  }
  EXPECT_THAT(call({"run", "--trace", "t", "--out", ""}).err,
              HasSubstr("run: --out: expected DIR, got an empty one (see `twinplane run --help`)"));
  EXPECT_EQ(call({"run", "--trace", "t", "--blocks", "b.so", "--blocks-options", ""}).status, 0);
}

TEST(CommandLine, ReportsEveryProblemOfAConfigurationOnALineOfItsOwn) {
  const Outcome o = call({"check", "--set", "geometry.channels=0", "--set", "nand.x=1"});
  EXPECT_EQ(o.status, 1);
  EXPECT_EQ(o.err,
            "error: --set: geometry.channels: expected a whole number, 1 to 64, got 0\n"
            "error: --set: nand.x: unknown key\n");
}

class Help : public testing::TestWithParam<const char*> {};
TEST_P(Help, IsThereForEveryCommandAndSucceeds) {
  const Outcome o = call({GetParam(), "--help"});
  EXPECT_EQ(o.status, 0);
  EXPECT_THAT(o.out, HasSubstr("Usage: twinplane " + std::string(GetParam())));
}
INSTANTIATE_TEST_SUITE_P(CommandLine, Help, testing::Values("run", "check", "config", "list"),
                         twinplane::test::parameter_name);

TEST(Check, PrintsTheArrayTimesThatTheDriveUses) {
  const std::string config = TWINPLANE_SOURCE_DIR "/platform/configs/client_tlc_gen4.toml";
  const Outcome cached = call({"check", "-c", config.c_str()});
  EXPECT_THAT(cached.out, HasSubstr("tPROG_wordline          1.17ms (a wordline in one pass)"));
  EXPECT_THAT(cached.out, HasSubstr("tPROG, SLC mode         160us"));
  EXPECT_THAT(cached.out, Not(HasSubstr("tPROG       ")));
  const Outcome pages = call({"check", "-c", TWINPLANE_SOURCE_DIR "/platform/configs/tlc_8ch.toml"});
  EXPECT_THAT(pages.out, HasSubstr("tPROG       "));
  EXPECT_THAT(pages.out, Not(HasSubstr("tPROG_wordline")));
  EXPECT_THAT(pages.out, Not(HasSubstr("tPROG, SLC mode")));
}

TEST(Check, PrintsGeometryCapacityAndLimits) {
  const Outcome o = call({"check", "-c", TWINPLANE_SOURCE_DIR "/platform/configs/tlc_8ch.toml"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.err, "");
  EXPECT_THAT(o.out, HasSubstr("8 channels x 2 chips x 4 dies x 4 planes x 384 blocks x 384 pages x 8KiB"));
  EXPECT_THAT(o.out, HasSubstr("288.00 GiB"));
  EXPECT_THAT(o.out, HasSubstr("244.80 GiB (262850740224 bytes), over-provisioning 15.00% of raw"));
  EXPECT_THAT(o.out, HasSubstr("11 MB/s (4321 bytes of a page, commands and waits, on 8 channels)"));
  EXPECT_THAT(o.out, HasSubstr("dies, programming       55 MB/s (all planes; the transfer, then tPROG)"));
  EXPECT_THAT(o.out, HasSubstr("33 MB/s (1000 cycles for 4KiB in 1 page: 8.1 k requests/s)"));
  EXPECT_THAT(o.out, HasSubstr("reads                   buses, 11 MB/s"));
  EXPECT_THAT(o.out, HasSubstr("writes without GC       buses, 44 MB/s"));
}

TEST(Check, WarnsOnStandardErrorAndSucceeds) {
  const Outcome o = call({"check", "--set", "ftl.gc_threshold=50%"});
  EXPECT_EQ(o.status, 0);
  EXPECT_THAT(o.err, HasSubstr("warning: --set: ftl.gc_threshold: "));
}

TEST(ConfigCommand, DumpsWhatItWouldLoad) {
  const Outcome o = call({"config", "--dump", "--set", "geometry.channels=2"});
  EXPECT_EQ(o.status, 0);
  ConfigLoader loader;
  loader.add_text(o.out, "dump.toml");
  EXPECT_EQ(dump_toml(loader.finish().config), o.out);
  EXPECT_THAT(o.out, HasSubstr("channels = 2\n"));
}

TEST(ConfigCommand, PrintsTheDocumentation) {
  EXPECT_EQ(call({"config", "--markdown"}).out, registry_markdown());
  EXPECT_THAT(call({"config"}).out, HasSubstr("geometry.channels = 4\n    flash channels"));
}

TEST(List, NamesPoliciesFormatsInterfacesWorkloadKeysAndProfiles) {
  const Outcome o = call({"list"});
  EXPECT_EQ(o.status, 0);
  for (const char* name : {"conventional", "CWDP", "greedy", "msr", "systor17", "nv-ddr3", "19:2400MB/s",
                           "rwmixread", "prxy_0", "write.histogram", "b_model"}) {
    EXPECT_THAT(o.out, HasSubstr(name));
  }
  EXPECT_EQ(call({"list", "traces"}).out.find("greedy"), std::string::npos);
  EXPECT_EQ(call({"list", "--rules"}).out, call({"list", "rules"}).out);
}

TEST(Workload, EveryPatternThatIsAcceptedIsUnderstood) {
  for (const std::string& word : names::access_patterns()) {
    Config c = default_config();
    c.workload.rw = word;
    EXPECT_NO_THROW(to_workload_spec(c, 1 << 30)) << word;
  }
}

TEST(Workload, KeysArriveInTheSpecification) {
  Config c = default_config();
  c.workload.bs = 16384;
  c.workload.offset = 4096;
  c.workload.thinktime = us(3);
  c.workload.rate_iops = 1000;
  c.workload.rate_process = RateProcess::poisson;
  c.workload.random_distribution = "zipf:1.1";
  const WorkloadSpec spec = to_workload_spec(c, 1 << 20);
  EXPECT_EQ(spec.write_sizes.at(0).bytes, 16384u);
  EXPECT_EQ(spec.size, (1u << 20) - 4096);
  EXPECT_EQ(spec.thinktime_ns, 3000u);
  EXPECT_EQ(spec.rate_iops, 1000.0);
  EXPECT_TRUE(spec.poisson);
  EXPECT_EQ(spec.random_distribution.parameter, 1.1);
  c.workload.size = 1 << 20;
  EXPECT_THROW(to_workload_spec(c, 1 << 20), InputError);
}

} // namespace
} // namespace twinplane::platform::cli_test
