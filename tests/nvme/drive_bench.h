// A small drive whose sectors really move, with a host that plays by hand.
#pragma once

#include <string>

#include "platform/config/loader.h"
#include "platform/session/state_file.h"
#include "platform/ssd/ssd.h"
#include "tests/support/drive_host.h"

namespace twinplane::test {

inline platform::Config drive_config(const std::string& more) {
  platform::ConfigLoader loader;
  loader.add_text(R"(
[geometry]
channels = 2
chips_per_channel = 1
dies_per_chip = 1
planes_per_die = 2
blocks_per_plane = 24
pages_per_block = 48
[nand]
tR = "50us"
tPROG = "200us"
[data]
mode = "full"
[cpu]
run_ahead = "0ns"
[host]
queues = 4
queue_size = 64
)",
                  "drive.toml");
  if (!more.empty()) loader.add_text(more, "more.toml");
  return loader.finish().config;
}

struct DriveBench {
  static constexpr std::uint64_t kPage = HostMemory::kPage;
  static constexpr std::uint64_t kData = 6000 * kPage;    // of the test
  static constexpr std::uint64_t kNowhere = 8200 * kPage; // behind the memory

  /// `cells`: a file of an earlier life that has ended with a power cut, or none.
  explicit DriveBench(const std::string& more = "", const std::string& cells = "")
      : ssd("ssd", drive_config(more)), host("host", 8192) {
    if (!cells.empty()) restore_after_cut(cells);
    host.bar.bind(ssd.bar);
    ssd.dma.bind(host.memory.socket);
    ssd.intx.bind(intx);
    host.intx.bind(intx);
    host.pass(0);
  }
  ~DriveBench() { EXPECT_EQ(ssd.front_end().statistics().firmware_faults, 0u); }

  void start() {
    host.enable();
    ASSERT_TRUE(host.wait_status(~0u, nvme::csts::rdy, ms(1000)));
  }
  static nvme::Sqe io(std::uint8_t opcode, std::uint64_t lba, std::uint32_t sectors,
                      std::uint64_t prp1 = kData, std::uint64_t prp2 = 0) {
    nvme::Sqe sqe;
    sqe.opcode = opcode;
    sqe.nsid = 1;
    sqe.prp1 = prp1;
    sqe.prp2 = prp2;
    sqe.cdw10 = static_cast<std::uint32_t>(lba);
    sqe.cdw11 = static_cast<std::uint32_t>(lba >> 32);
    sqe.cdw12 = sectors - 1;
    return sqe;
  }
  static nvme::Sqe admin(std::uint8_t opcode, std::uint32_t cdw10 = 0, std::uint32_t cdw11 = 0,
                         std::uint32_t nsid = 0, std::uint64_t prp1 = kData) {
    nvme::Sqe sqe;
    sqe.opcode = opcode;
    sqe.nsid = nsid;
    sqe.prp1 = prp1;
    sqe.cdw10 = cdw10;
    sqe.cdw11 = cdw11;
    return sqe;
  }

  sc_core::sc_signal<bool> intx{"intx"};
  platform::Ssd ssd;
  DriveHost host;

 private:
  void restore_after_cut(const std::string& cells) {
    platform::StateLoader loader(cells);
    ssd.serialise(loader);
    loader.complete();
    ssd.firmware().recover_tables();
  }
};

} // namespace twinplane::test
