// Does a drive survive a guest that writes nonsense, and is it well again after a reset?
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <regex>
#include <sstream>

#include "hw/spec/nvme.h"
#include "platform/pci_client/nvme_driver.h"
#include "tests/pci_host/served_program.h"

namespace twinplane::test::bad_guest_test {
namespace {

using platform::NvmeDriver;
using platform::VfioUserClient;
namespace vfio = platform::vfio_user;

constexpr std::uint64_t kMemory = 1u << 20;
constexpr std::uint32_t kEntries = 16;
constexpr std::uint64_t kSq = 0x1000, kCq = 0x2000;

class BadGuest {
 public:
  BadGuest(VfioUserClient& client, std::uint64_t seed) : client_(client), random_(seed) {}

  /// A phase of nonsense. What it has mapped stays.
  void rage(int steps) {
    memory_ = client_.share(0, kMemory);
    mapped_ = true;
    client_.write(vfio::kConfig, 4, 2, 6);
    for (int i = 0; i < steps; ++i) step();
    if (mapped_) client_.take_away(0);
  }

  std::uint64_t draw(std::uint64_t below) { return random_() % below; }

 private:
  void step() {
    switch (draw(10)) {
      case 0:
        return write(vfio::kConfig, draw(256));
      case 1:
        return write(vfio::kBar0, draw(64));
      case 2:
        return write(vfio::kBar0, nvme::bar::doorbells + 4 * draw(12));
      case 3:
        return write(vfio::kBar0, draw(0x10000));
      case 4:
        client_.read(vfio::kBar0, draw(0x10000 - 8), width());
        return;
      case 5:
        return enable(draw(2) == 0);
      case 6:
      case 7:
        return commands();
      case 8:
        return remap();
      default:
        if (draw(8) == 0) client_.reset();
        client_.write(vfio::kConfig, 4, 2, 6); // else hardly anything would ever happen
    }
  }
  std::uint32_t width() { return 1u << draw(4); }
  std::uint64_t address() { return draw(3) != 0 ? draw(kMemory) & ~std::uint64_t{3} : random_(); }
  void write(std::uint32_t region, std::uint64_t offset) {
    const std::uint32_t bytes = width();
    const std::uint64_t limit = region == vfio::kConfig ? 256 : 0x10000;
    if (offset + bytes > limit) return;
    client_.write(region, offset, bytes, draw(2) == 0 ? draw(64) : random_());
  }
  void enable(bool sensibly) {
    client_.write(vfio::kBar0, nvme::bar::cc, 4, 0);
    client_.write(vfio::kBar0, nvme::bar::aqa, 4,
                  sensibly ? (kEntries - 1) << 16 | (kEntries - 1) : random_());
    client_.write(vfio::kBar0, nvme::bar::asq, 8, sensibly ? kSq : address());
    client_.write(vfio::kBar0, nvme::bar::acq, 8, sensibly ? kCq : address());
    client_.write(vfio::kBar0, nvme::bar::cc, 4, 4u << 20 | 6u << 16 | (sensibly ? 1u : random_() & 0xFFFFu));
  }
  void commands() {
    if (!mapped_) return;
    const std::uint64_t first = draw(kEntries);
    for (std::uint64_t i = 0; i < kEntries; ++i) {
      nvme::Sqe sqe;
      static constexpr std::uint8_t kOpcodes[] = {0,   1,   2,   4,    5,    6,    8,   9,
                                                  0xA, 0xC, 0xD, 0x14, 0x7C, 0x80, 0x84};
      sqe.opcode = draw(8) == 0 ? static_cast<std::uint8_t>(random_()) : kOpcodes[draw(std::size(kOpcodes))];
      sqe.flags = draw(8) == 0 ? static_cast<std::uint8_t>(random_()) : 0;
      sqe.cid = static_cast<std::uint16_t>(draw(32));
      sqe.nsid = static_cast<std::uint32_t>(draw(3));
      sqe.prp1 = draw(4) == 0 ? address() : address() & ~std::uint64_t{4095};
      sqe.prp2 = address();
      sqe.cdw10 = static_cast<std::uint32_t>(draw(2) == 0 ? draw(8) : random_());
      sqe.cdw11 = static_cast<std::uint32_t>(draw(2) == 0 ? draw(8) : random_());
      sqe.cdw12 = static_cast<std::uint32_t>(draw(2) == 0 ? draw(64) : random_());
      std::memcpy(memory_ + kSq + (first + i) % kEntries * sizeof sqe, &sqe, sizeof sqe);
    }
    const std::uint64_t queue = draw(4) == 0 ? draw(5) : 0;
    client_.write(vfio::kBar0, nvme::bar::doorbells + 8 * queue, 4, draw(kEntries));
  }
  /// Also with commands under way.
  void remap() {
    if (mapped_) {
      client_.take_away(0);
    } else {
      memory_ = client_.share(0, kMemory);
    }
    mapped_ = !mapped_;
  }

  VfioUserClient& client_;
  std::mt19937_64 random_;
  std::uint8_t* memory_ = nullptr;
  bool mapped_ = false;
};

void expect_well(VfioUserClient& client, std::uint8_t pattern) {
  client.reset();
  NvmeDriver driver(client, {2, 8, 16 << 10});
  for (const std::uint8_t opcode : {nvme::io::write, nvme::io::read}) {
    for (std::uint32_t tag = 0; tag < 8; ++tag) {
      std::memset(driver.buffer(tag), opcode == nvme::io::write ? pattern + static_cast<int>(tag) : 0, 4096);
      nvme::Sqe sqe;
      sqe.opcode = opcode;
      sqe.cdw10 = 3 * tag;
      driver.submit(tag, sqe, 4096);
    }
    driver.ring();
    for (std::uint32_t done = 0; done < 8;) {
      driver.reap([&done](const NvmeDriver::Completion& c) {
        EXPECT_EQ(c.status, 0u);
        ++done;
      });
    }
  }
  for (std::uint32_t tag = 0; tag < 8; ++tag) {
    const std::vector<std::uint8_t> expected(4096, static_cast<std::uint8_t>(pattern + tag));
    EXPECT_EQ(std::memcmp(driver.buffer(tag), expected.data(), 4096), 0) << tag;
  }
  client.take_away(0);
}

void survive(std::uint64_t seed, int phases) {
  ServedProgram program;
  {
    VfioUserClient client(program.socket());
    BadGuest guest(client, seed);
    for (int phase = 0; phase < phases && !testing::Test::HasFailure(); ++phase) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", phase " + std::to_string(phase));
      ASSERT_NO_THROW(guest.rage(300));
      ASSERT_NO_THROW(expect_well(client, static_cast<std::uint8_t>(phase)));
    }
  }
  EXPECT_EQ(program.ends(), 0);
}

TEST(BadGuest, WritesNonsenseAndTheDriveIsWellAfterAReset) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) survive(seed, 10);
}

TEST(BadGuest, GoesAwayInTheMiddleOfEverything) {
  for (std::uint64_t seed = 100; seed < 110; ++seed) {
    ServedProgram program;
    {
      VfioUserClient client(program.socket());
      BadGuest guest(client, seed);
      ASSERT_NO_THROW(guest.rage(static_cast<int>(10 + guest.draw(200))));
    }
    EXPECT_EQ(program.ends(), 0) << seed;
  }
}

TEST(BadGuest, CutsItsMemoryShortUnderTheDrive) {
  ServedProgram program;
  {
    VfioUserClient client(program.socket());
    const platform::Descriptor file(::memfd_create("guest", MFD_CLOEXEC));
    ASSERT_EQ(::ftruncate(file.get(), kMemory), 0);
    vfio::DmaMap map;
    map.size = kMemory;
    ASSERT_EQ(client.command(vfio::dma_map, &map, sizeof map, {file.get()}), 0);
    client.write(vfio::kConfig, 4, 2, 6);
    client.write(vfio::kBar0, nvme::bar::aqa, 4, (kEntries - 1) << 16 | (kEntries - 1));
    client.write(vfio::kBar0, nvme::bar::asq, 8, kSq);
    client.write(vfio::kBar0, nvme::bar::acq, 8, kCq);
    client.write(vfio::kBar0, nvme::bar::cc, 4, 4u << 20 | 6u << 16 | 1u);
    const auto status = [&client] { return client.read(vfio::kBar0, nvme::bar::csts, 4); };
    while ((status() & nvme::csts::rdy) == 0) {
    }
    ASSERT_EQ(::ftruncate(file.get(), 0), 0);
    client.write(vfio::kBar0, nvme::bar::doorbells, 4, 1);
    for (int i = 0; i < 1000 && (status() & nvme::csts::cfs) == 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_NE(status() & nvme::csts::cfs, 0u);
    vfio::DmaUnmap unmap;
    unmap.size = kMemory;
    ASSERT_EQ(client.command(vfio::dma_unmap, &unmap, sizeof unmap, {}), 0);
    ASSERT_NO_THROW(expect_well(client, 7));
  }
  EXPECT_EQ(program.ends(), 0);
}

/// Without what the machine and the wall clock say.
std::string report_in(const std::filesystem::path& folder) {
  std::ifstream file(folder / "summary.json");
  std::ostringstream text;
  text << file.rdbuf();
  static const std::regex kWallClock("\"(wall_s|requests_per_wall_s|peak_rss_bytes)\": [^,}]*");
  return std::regex_replace(text.str(), kWallClock, "");
}

TEST(BadGuest, LeavesASessionThatCanBeRepeated) {
  for (std::uint64_t seed = 200; seed < 206; ++seed) {
    TempFolder folder;
    const std::string session = (folder.path() / "session").string();
    ServedProgram program({"--record", session});
    {
      VfioUserClient client(program.socket());
      BadGuest guest(client, seed);
      for (int phase = 0; phase < 3; ++phase) ASSERT_NO_THROW(guest.rage(200));
    }
    EXPECT_EQ(program.ends(), 0) << seed;
    const std::string again = (folder.path() / "again").string();
    const std::string command = std::string(TWINPLANE_PROGRAM) + " run --replay-session " + session +
                                " --out " + again + " > /dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0) << seed;
    const std::string report = report_in(program.folder() / "out");
    EXPECT_FALSE(report.empty());
    EXPECT_EQ(report_in(again), report) << seed;
  }
}

} // namespace
} // namespace twinplane::test::bad_guest_test
