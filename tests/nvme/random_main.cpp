// Random hosts in front of random small drives.
//
//   nvme_random_host [--seed N] [--drives N] [--commands N] [--seconds N] [--first N]
//                    [--without data|resets|buffer|waits] [--verbose]
//
// Drive i of seed S is the same on every machine. Each lives in a process of its own, as a SystemC simulation
// must. It stops after so many drives, commands or seconds, whichever comes first. Exit status 1 when there
// was a finding; the line it prints repeats it.
#include <sys/wait.h>
#include <unistd.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sstream>
#include <string>

#include "platform/config/loader.h"
#include "platform/ssd/ssd.h"
#include "tests/nvme/random_host.h"

namespace twinplane::test {
namespace {

constexpr unsigned kSecondsPerDrive = 300; // then it hangs
constexpr int kNoDrive = 3;                // exit status: this configuration is none

struct Options {
  std::uint64_t seed = 1;
  std::uint64_t first = 0;
  std::uint64_t drives = ~0ull;
  std::uint64_t commands = 20000;
  std::uint64_t seconds = ~0ull;
  bool data = true, resets = true, buffer = true, waits = true, verbose = false;
};

/// What a drive's process tells its parent.
struct Verdict {
  bool clean = false;
  RandomHostCounts counts;
};

template <typename T>
void line(std::string& text, const char* key, const T& value) {
  std::ostringstream out;
  out << key << " = " << value << "\n";
  text += out.str();
}

std::string quoted(std::uint64_t value, const char* unit) {
  return "\"" + std::to_string(value) + unit + "\"";
}

std::string draw_drive(Draw& draw, const Options& options, RandomHostOptions& host) {
  std::string text =
      "[data]\nmode = \"full\"\n[cpu]\nrun_ahead = \"0ns\"\n[geometry]\nchips_per_channel = 1\n";
  const std::uint32_t sector = draw.chance(70) ? 4096 : 512;
  line(text, "channels", draw.from(1, 2));
  line(text, "dies_per_chip", draw.chance(80) ? 1 : 2);
  line(text, "planes_per_die", draw.pick({1, 2, 2, 4}));
  line(text, "blocks_per_plane", draw.from(16, 40));
  line(text, "pages_per_block", draw.pick({8, 12, 24, 48}));
  line(text, "sector_size", quoted(sector, "B"));
  const auto page = static_cast<std::uint32_t>(draw.pick({4096, 8192, 16384}));
  line(text, "page_size", quoted(page, "B"));
  text += "[nand]\n";
  line(text, "cell", draw.pick({"\"slc\"", "\"mlc\"", "\"tlc\""}));
  line(text, "tR", quoted(draw.from(1, 60), "us"));
  line(text, "tPROG", quoted(draw.from(20, 300), "us"));
  line(text, "tBERS", quoted(draw.from(100, 3000), "us"));
  text += "[pcie]\n";
  line(text, "ideal", draw.one_in(6) ? "true" : "false");
  line(text, "latency", quoted(draw.pick({0, 1, 150, 150, 2000, 40000}), "ns"));
  line(text, "generation", draw.from(1, 5));
  line(text, "lanes", 1u << draw.below(5));
  host.queues = draw.from(1, 6);
  host.queue_entries = draw.pick({4u, 16u, 64u, 256u});
  host.volatile_cache = options.buffer && draw.chance(40);
  text += "[host]\n";
  line(text, "queues", host.queues);
  line(text, "queue_size", host.queue_entries);
  line(text, "slots", draw.pick({2, 3, 4, 6, 16, 32, 128}));
  line(text, "max_transfer", quoted(draw.pick({16384, 32768, 131072, 524288}), "B"));
  host.shadow_doorbells = draw.one_in(2);
  line(text, "shadow_doorbells", host.shadow_doorbells ? "true" : "false");
  text += "[ftl]\n";
  line(text, "over_provisioning", quoted(draw.from(25, 45), "%"));
  if (draw.one_in(3)) line(text, "checkpoint_interval", draw.pick({50, 400, 3000})); // so it sanitizes
  if (draw.one_in(3) && page > sector) {
    line(text, "map_unit", quoted(page / 2, "B"));
    line(text, "gc_threshold", 3);
  }
  if (host.volatile_cache) {
    line(text, "write_buffer", draw.from(16, 64));
    line(text, "write_ack", "\"buffered\"");
  }
  return text;
}

/// One drive, in this process.
Verdict run_power_cycle(const Options& options, std::uint64_t number, bool& exists) {
  Draw draw(options.seed * 0x9E37'79B9'7F4A'7C15u + number);
  RandomHostOptions host;
  host.broken_data = options.data;
  host.loaded_resets = options.resets;
  host.waiting_memory = options.waits;
  host.verbose = options.verbose;
  host.commands = draw.from(500, 6000);
  const std::string text = draw_drive(draw, options, host);
  host.seed = draw.word();
  exists = false;
  platform::ConfigLoader loader;
  loader.add_text(text, "drawn.toml");
  const platform::Config config = loader.finish().config;
  sc_core::sc_signal<bool> intx("intx");
  platform::Ssd ssd("ssd", config);
  RandomHost random("host", host);
  random.bar.bind(ssd.bar);
  ssd.dma.bind(random.memory.socket);
  ssd.intx.bind(intx);
  random.intx.bind(intx);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  exists = true;
  if (sc_core::sc_get_status() != sc_core::SC_STOPPED) sc_core::sc_start();
  std::string finding = random.finding();
  const auto& statistics = ssd.front_end().statistics();
  if (finding.empty() && !random.finished()) finding = "the simulation ended by itself";
  if (finding.empty() && statistics.firmware_faults != 0) finding = "the front end counts firmware faults";
  if (!finding.empty()) {
    std::cout << "FINDING: " << finding << "\n  repeat with --seed " << options.seed << " --first " << number
              << " --drives 1\n";
    if (!options.verbose)
      for (const std::string& entry : random.log()) std::cout << "    " << entry << "\n";
    std::cout << text;
  }
  return {finding.empty(), random.counts()};
}

/// The child: writes its verdict to `to`.
[[noreturn]] void live_and_exit(const Options& options, std::uint64_t number, int to) {
  alarm(kSecondsPerDrive);
  bool exists = false;
  int status = 0;
  try {
    const Verdict verdict = run_power_cycle(options, number, exists);
    if (write(to, &verdict, sizeof verdict) != sizeof verdict) status = 4;
  } catch (const std::exception& error) {
    status = exists ? 5 : kNoDrive;
    if (exists || options.verbose) std::cout << "drive " << number << ": " << error.what() << "\n";
  }
  std::cout.flush();
  std::fflush(stdout);
  _Exit(status);
}

struct Totals {
  std::uint64_t drives = 0, failed = 0, no_drives = 0;
  RandomHostCounts counts;
};

void run_drive(const Options& options, std::uint64_t number, Totals& totals) {
  int ends[2];
  if (pipe(ends) != 0) std::exit(2);
  std::cout.flush();
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    live_and_exit(options, number, ends[1]);
  }
  close(ends[1]);
  Verdict verdict;
  const bool told = read(ends[0], &verdict, sizeof verdict) == sizeof verdict;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNoDrive) {
    ++totals.no_drives;
    return;
  }
  ++totals.drives;
  if (!told || status != 0) {
    std::cout << "FINDING: the process of a drive ended with status " << status << "\n  repeat with --seed "
              << options.seed << " --first " << number << " --drives 1\n";
    verdict.clean = false;
  }
  totals.failed += verdict.clean ? 0 : 1;
  totals.counts.commands += verdict.counts.commands;
  totals.counts.resets += verdict.counts.resets;
  totals.counts.deletions += verdict.counts.deletions;
  totals.counts.sectors += verdict.counts.sectors;
  totals.counts.errors += verdict.counts.errors;
  totals.counts.dropped += verdict.counts.dropped;
}

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::string value = i + 1 < argc ? argv[i + 1] : "";
    if (word == "--verbose") {
      options.verbose = true;
      continue;
    }
    ++i;
    std::uint64_t* number = word == "--seed"       ? &options.seed
                            : word == "--first"    ? &options.first
                            : word == "--drives"   ? &options.drives
                            : word == "--commands" ? &options.commands
                            : word == "--seconds"  ? &options.seconds
                                                   : nullptr;
    if (number != nullptr && !value.empty()) {
      *number = std::strtoull(value.c_str(), nullptr, 10);
      if (word == "--drives" || word == "--seconds") options.commands = ~0ull;
    } else if (word == "--without" && value == "waits") {
      options.waits = false;
    } else if (word == "--without" && value == "data") {
      options.data = false;
    } else if (word == "--without" && value == "resets") {
      options.resets = false;
    } else if (word == "--without" && value == "buffer") {
      options.buffer = false;
    } else {
      return false;
    }
  }
  return true;
}

int run(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    std::cerr << "nvme_random_host: unknown argument; the beginning of random_main.cpp lists them\n";
    return 2;
  }
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  Totals totals;
  for (std::uint64_t number = options.first; totals.drives < options.drives; ++number) {
    if (totals.counts.commands >= options.commands || seconds() >= static_cast<double>(options.seconds))
      break;
    run_drive(options, number, totals);
  }
  const RandomHostCounts& c = totals.counts;
  std::cout << c.commands << " commands (" << c.errors << " ended with an error, " << c.dropped
            << " were dropped), " << c.resets << " resets, " << c.deletions << " queues deleted, "
            << c.sectors << " sectors compared, "
            << static_cast<std::uint64_t>(static_cast<double>(c.commands) / seconds()) << " commands/s\n"
            << totals.drives - totals.failed << " drives passed, " << totals.failed << " failed\n";
  return totals.failed != 0 || totals.drives == 0 ? 1 : 0;
}

} // namespace
} // namespace twinplane::test

int sc_main(int argc, char** argv) {
  return twinplane::test::run(argc, argv);
}
