// A saved drive whose content was tampered with, behind a checksum that is right: it is refused, or the drive
// that it makes runs, be it to a panic of its firmware or to data that are not those expected.
//
// An input is a kind of drive, whether a host or a guest takes it, and places in the state of one that has
// run, by section and offset, with what is there instead. Each has a drive of its own.
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <systemc>
#include <vector>

#include "platform/config/error.h"
#include "platform/session/served_drive.h"
#include "tests/fuzz/fuzzing.h"
#include "tests/support/drive_record.h"
#include "tests/support/fresh_kernel.h"

namespace {

using namespace twinplane;

struct Kind {
  platform::Config config;
  test::DriveRecord state; // as a run leaves it
};

Kind make_kind(const char* more) {
  Kind kind;
  kind.config = test::kept_config(more);
  const test::FreshKernel kernel;
  platform::Simulation simulation(kind.config);
  test::prepare_and_run(simulation, kind.config, {"", "", true});
  kind.state = test::DriveRecord(simulation);
  return kind;
}

const Kind& kind_of(std::uint8_t number) {
  static const Kind* kinds[std::size(test::kKeptDrives)] = {};
  const Kind*& kind = kinds[number % std::size(test::kKeptDrives)];
  if (kind == nullptr) kind = new Kind(make_kind(test::kKeptDrives[number % std::size(test::kKeptDrives)]));
  return *kind;
}

/// A value of 1, 2, 4 or 8 bytes: another one, one nearby, or all ones.
void tamper(fuzz::Bytes& bytes, test::DriveRecord& drive) {
  const auto& section = drive.sections[bytes.take<std::uint8_t>() % drive.sections.size()];
  const auto how = bytes.take<std::uint8_t>();
  const std::size_t width = std::size_t{1} << how % 4;
  const std::size_t offset = bytes.take<std::uint32_t>();
  if (section.end - section.begin < width) return;
  std::uint8_t* const at =
      &drive.content[section.begin + offset % (section.end - section.begin) / width * width];
  if (at + width > drive.content.data() + section.end) return;
  std::uint64_t value = 0;
  std::memcpy(&value, at, width);
  switch (how / 4 % 4) {
    case 0:
      value = bytes.take<std::uint64_t>();
      break;
    case 1:
      value += static_cast<std::uint64_t>(std::int64_t{bytes.take<std::int8_t>()});
      break;
    case 2:
      value ^= std::uint64_t{1} << bytes.take<std::uint8_t>() % 64;
      break;
    default:
      value = ~std::uint64_t{0};
      break;
  }
  std::memcpy(at, &value, width);
}

/// A folder in memory that goes with the process.
class Folder {
 public:
  Folder() { claim_made(::mkdtemp(name_)); }
  ~Folder() { std::filesystem::remove_all(name_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file() const { return std::string(name_) + "/state"; }

 private:
  static void claim_made(const char* name) { fuzz::claim(name != nullptr, "there is a folder in memory"); }

  char name_[40] = "/dev/shm/fuzz_saved_drive_XXXXXX";
};

const std::string& state_path() {
  static const Folder kFolder;
  static const std::string kPath = kFolder.file();
  return kPath;
}

void run_it(const platform::Config& config) {
  platform::Simulation simulation(config);
  test::prepare_and_run(simulation, config, {state_path(), "", false});
  (void)simulation.summary();
}

/// To a guest that does nothing.
void serve_it(const platform::Config& config) {
  platform::BlockFactory blocks;
  platform::ServedDrive drive(config, blocks);
  drive.prepare(state_path());
  drive.wind_up();
  (void)drive.summary("none");
  drive.keep(state_path());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sc_core::sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_THROW);
  sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_DO_NOTHING);
  fuzz::Bytes bytes(data, size);
  const auto number = bytes.take<std::uint8_t>();
  const Kind& kind = kind_of(number % 128);
  test::DriveRecord state = kind.state;
  while (!bytes.empty()) tamper(bytes, state);
  state.write(state_path(), kind.config);
  const test::FreshKernel kernel;
  try {
    number < 128 ? run_it(kind.config) : serve_it(kind.config);
  } catch (const platform::InputError&) {
  } catch (const sc_core::sc_report&) {
  }
  return 0;
}
