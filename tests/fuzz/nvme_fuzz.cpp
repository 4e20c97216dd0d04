// A host that means harm, in front of a whole drive: registers, doorbells, submission entries, PRP lists, host
// memory that refuses. Whatever it does, the firmware does not panic, and a reset of the controller helps.
//
// One drive lives through all inputs, each of which begins with a controller that has just been enabled and an
// I/O queue pair; so a finding may take more than the input that is kept.
#include <systemc>

#include "platform/config/loader.h"
#include "platform/ssd/ssd.h"
#include "tests/fuzz/fuzzing.h"
#include "tests/support/drive_host.h"

namespace {

using namespace twinplane;
using test::HostMemory;

constexpr std::uint64_t kPages = 8192;
constexpr std::uint64_t kData = 6000 * HostMemory::kPage; // of the host's memory: data and lists
constexpr std::uint64_t kFirstPage = kData / HostMemory::kPage;
constexpr std::uint64_t kDataPages = 32;
constexpr int kMostSteps = 100;
constexpr TimePs kLook = us(100); // between two looks at the controller's status

constexpr const char* kDrive = R"(
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
[ftl]
over_provisioning = "50%"
checkpoint_interval = 1000
[host]
queues = 4
queue_size = 64
shadow_doorbells = true
)";

platform::Config drive_config() {
  platform::ConfigLoader loader;
  loader.add_text(kDrive, "drive.toml");
  return loader.finish().config;
}

struct Bench {
  platform::Ssd ssd{"ssd", drive_config()};
  test::DriveHost host{"host", kPages};
  sc_core::sc_signal<bool> intx{"intx"};

  Bench() {
    sc_core::sc_report_handler::set_actions("twinplane.nvme", sc_core::SC_DO_NOTHING);
    sc_core::sc_report_handler::set_actions(sc_core::SC_ID_NO_SC_START_ACTIVITY_, sc_core::SC_DO_NOTHING);
    host.bar.bind(ssd.bar);
    ssd.dma.bind(host.memory.socket);
    ssd.intx.bind(intx);
    host.intx.bind(intx);
    host.pass(0);
  }

  /// From whatever state the last input has left it in.
  void begin() {
    for (std::uint64_t page = 0; page < kDataPages; ++page) host.memory.refuse(kFirstPage + page, false);
    host.write(nvme::bar::cc, 0);
    fuzz::claim(host.wait_status(nvme::csts::rdy, 0, ms(5000), kLook), "a controller can be disabled");
    host.enable();
    fuzz::claim(host.wait_status(~0u, nvme::csts::rdy, ms(5000), kLook), "... and enabled again");
    fuzz::claim(host.create_pair(1, 32, 32), "... and has queues then");
  }
  void check() const {
    const std::string& panic = ssd.firmware().panic();
    fuzz::claim(panic.empty(), panic.c_str());
    fuzz::claim(ssd.front_end().statistics().firmware_faults == 0,
                "the firmware programs the front end rightly");
  }
};

/// An address that is often one of the host's, and often not aligned.
std::uint64_t address_from(fuzz::Bytes& bytes) {
  const auto how = bytes.take<std::uint8_t>();
  const std::uint64_t page = kData + bytes.take<std::uint8_t>() % kDataPages * HostMemory::kPage;
  if ((how & 0xC0) == 0xC0) return bytes.take<std::uint64_t>();
  const std::uint64_t offset = (how & 0x80) != 0 ? bytes.take<std::uint16_t>() % HostMemory::kPage : 0;
  return (how & 0x40) != 0 ? (kPages - 1 + how % 4) * HostMemory::kPage + offset : page + offset;
}

nvme::Sqe entry_from(fuzz::Bytes& bytes) {
  nvme::Sqe sqe;
  const auto how = bytes.take<std::uint8_t>();
  sqe.opcode = bytes.take<std::uint8_t>();
  sqe.flags = (how & 1) != 0 ? bytes.take<std::uint8_t>() : std::uint8_t{0};
  sqe.cid = (how & 2) != 0 ? bytes.take<std::uint16_t>() : std::uint16_t{7};
  sqe.nsid = (how & 4) != 0 ? bytes.take<std::uint32_t>() : 1;
  sqe.prp1 = address_from(bytes);
  sqe.prp2 = (how & 8) != 0 ? address_from(bytes) : 0;
  sqe.cdw10 = (how & 16) != 0 ? bytes.take<std::uint32_t>() : bytes.take<std::uint8_t>();
  sqe.cdw11 = (how & 32) != 0 ? bytes.take<std::uint32_t>() : 0;
  sqe.cdw12 = (how & 64) != 0 ? bytes.take<std::uint32_t>() : bytes.take<std::uint8_t>();
  if ((how & 128) != 0) {
    sqe.cdw13 = bytes.take<std::uint32_t>();
    sqe.cdw14 = bytes.take<std::uint32_t>();
    sqe.cdw15 = bytes.take<std::uint32_t>();
  }
  return sqe;
}

void step(Bench& bench, fuzz::Bytes& bytes) {
  test::DriveHost& host = bench.host;
  switch (bytes.take<std::uint8_t>() % 10) {
    case 0: // a register, of 4 bytes or of what there is not
      host.write(bytes.take<std::uint16_t>() % 0x4000 & ~3u, bytes.take<std::uint32_t>());
      break;
    case 1: {
      std::uint64_t value = bytes.take<std::uint64_t>();
      const auto width = bytes.take<std::uint8_t>() % 8 + 1u;
      const auto command = width % 2 != 0 ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND;
      host.access(command, bytes.take<std::uint16_t>(), &value, width);
      break;
    }
    case 2: // a doorbell, anything
      host.write(nvme::bar::doorbells + 4 * (bytes.take<std::uint8_t>() % 12),
                 bytes.take<std::uint16_t>() % 80);
      break;
    case 3: { // a list of pages
      const std::uint64_t list = kData + bytes.take<std::uint8_t>() % kDataPages * HostMemory::kPage;
      const auto count = bytes.take<std::uint8_t>() % 16;
      for (int i = 0; i < count; ++i)
        host.memory.store(list + 8 * static_cast<unsigned>(i), address_from(bytes));
      host.memory.store(list + HostMemory::kPage - 8, address_from(bytes));
      break;
    }
    case 4:
      host.memory.refuse(kFirstPage + bytes.take<std::uint8_t>() % kDataPages, true);
      break;
    case 5:
      host.pass(us(bytes.take<std::uint16_t>()));
      break;
    case 6: { // bytes anywhere in a submission queue
      const std::uint64_t at = test::DriveHost::queue_base(bytes.take<std::uint8_t>() % 2);
      host.memory.store(at + bytes.take<std::uint16_t>() % 2048 * 8ull, bytes.take<std::uint64_t>());
      break;
    }
    case 7:
      host.push(0, entry_from(bytes));
      host.ring(0);
      break;
    default:
      host.push(1, entry_from(bytes));
      host.ring(1);
      break;
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Bench bench;
  bench.begin();
  fuzz::Bytes bytes(data, size);
  for (int i = 0; i < kMostSteps && !bytes.empty(); ++i) step(bench, bytes);
  bench.host.pass(ms(2));
  bench.check();
  return 0;
}
