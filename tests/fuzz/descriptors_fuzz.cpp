// Firmware that misuses a flash controller: descriptors of any content, doorbells and ring registers of any value.
// Whatever it does, a controller whose error bits are cleared and which is enabled anew erases a block again.
//
// One controller with its channel and two packages lives through all inputs.
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstring>
#include <systemc>

#include "hw/channel/channel.h"
#include "hw/controller/flash_controller.h"
#include "hw/core/dram.h"
#include "hw/core/register_access.h"
#include "hw/nand/package.h"
#include "hw/spec/registers.h"
#include "tests/fuzz/fuzzing.h"

namespace {

using namespace twinplane;

constexpr std::uint32_t kRing = 64;
constexpr std::uint32_t kCompletions = 0x20000;
constexpr std::uint32_t kDramBytes = 1u << 20;
constexpr std::uint32_t kChips = 2;
constexpr int kMostSteps = 100;

hw::NandConfig part(std::uint32_t chip) {
  hw::NandConfig c;
  c.chip = chip;
  c.geometry.chips_per_channel = kChips;
  c.geometry.dies_per_chip = 2;
  c.geometry.planes_per_die = 2;
  c.geometry.blocks_per_plane = 8;
  c.geometry.pages_per_block = 48;
  c.geometry.page_size = 8192;
  c.geometry.sector_size = 4096;
  c.geometry.cell = CellType::tlc;
  c.array.tR = {us(60), us(80), us(100), 0};
  c.array.tPROG = {us(500), us(2000), us(5500), 0};
  c.array.tBERS = ms(15);
  c.bus = timing::nv_ddr(10);
  return c;
}

hw::FlashControllerConfig controller_config() {
  hw::FlashControllerConfig c;
  c.geometry = part(0).geometry;
  c.max_groups = 64;
  c.ddr = true;
  c.suspend.enabled = true;
  c.cache_reads = c.cache_programs = true;
  return c;
}

struct Firmware : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Firmware> regs{"regs"};
  tlm_utils::simple_target_socket<Firmware> irq{"irq"};
  hw::RegisterAccess access;
  hw::Dram dram{"dram", kDramBytes};
  hw::Package first{"first", part(0)};
  hw::Package second{"second", part(1)};
  hw::Channel channel{"channel", hw::ChannelConfig{0, kChips, part(0).bus, part(0).array.tDBSY}};
  hw::FlashController controller{"controller", controller_config()};
  RowLayout rows{part(0).geometry};
  std::uint32_t tail = 0;

  explicit Firmware(const sc_core::sc_module_name& name) : sc_module(name) {
    sc_core::sc_report_handler::set_actions("twinplane.flash_controller", sc_core::SC_DO_NOTHING);
    sc_core::sc_report_handler::set_actions("twinplane.nand", sc_core::SC_DO_NOTHING);
    irq.register_b_transport(this, &Firmware::on_irq);
    regs.bind(controller.regs);
    controller.irq.bind(irq);
    controller.dram.bind(dram.port);
    controller.bus.bind(channel.in);
    channel.chips[0].bind(first.bus);
    channel.chips[1].bind(second.bus);
  }
  static void run(TimePs time) {
    sc_core::sc_start(sc_core::sc_time(static_cast<double>(time), sc_core::SC_PS));
  }
  void write(std::uint32_t offset, std::uint32_t value) {
    sc_core::sc_time delay;
    access.write(regs, offset, value, delay);
  }
  std::uint32_t read(std::uint32_t offset) {
    sc_core::sc_time delay;
    return access.read(regs, offset, delay);
  }
  void on_irq(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  void put(const FlashDescriptor& descriptor) {
    std::memcpy(dram.data() + tail % kRing * sizeof descriptor, &descriptor, sizeof descriptor);
    ++tail;
  }

  /// Planes or pages of a wordline that wait for the rest of their command: an erase ends it. Rings in use
  /// cannot have been moved.
  void close_groups() {
    const std::uint32_t head = read(reg::flash::submission_head);
    if (read(reg::flash::completion_tail) == head) return;
    FlashDescriptor erase;
    erase.op = static_cast<std::uint8_t>(FlashOp::erase);
    const std::uint32_t slot = head % read(reg::flash::submission_size);
    std::memcpy(dram.data() + read(reg::flash::submission_base) + slot * sizeof erase, &erase, sizeof erase);
    write(reg::flash::error, ~0u);
    write(reg::flash::control, 1);
    write(reg::flash::doorbell, head + 1);
    run(ms(2000));
    (void)read(reg::flash::completion_tail); // rings may be moved when all completions have been read
  }

  /// From whatever state the last input has left it in.
  void begin() {
    run(ms(2000));
    close_groups();
    write(reg::flash::control, 0);
    write(reg::flash::error, ~0u);
    write(reg::flash::submission_base, 0);
    write(reg::flash::submission_size, kRing);
    write(reg::flash::completion_base, kCompletions);
    write(reg::flash::completion_size, kRing);
    write(reg::flash::control, 1);
    tail = read(reg::flash::submission_head);
    (void)read(reg::flash::completion_tail);
  }
  void check() {
    begin();
    fuzz::claim(read(reg::flash::error) == 0, "errors can be cleared");
    FlashDescriptor erase;
    erase.op = static_cast<std::uint8_t>(FlashOp::erase);
    const std::uint32_t before = read(reg::flash::completion_tail);
    put(erase);
    write(reg::flash::doorbell, tail);
    run(ms(2000));
    fuzz::claim(read(reg::flash::completion_tail) == before + 1, "... and the controller works then");
  }
};

FlashDescriptor descriptor_from(fuzz::Bytes& bytes, const RowLayout& rows) {
  FlashDescriptor d;
  const auto how = bytes.take<std::uint8_t>();
  d.op = (how & 1) != 0 ? bytes.take<std::uint8_t>() : static_cast<std::uint8_t>(how / 2 % kFlashOps);
  d.flags = bytes.take<std::uint8_t>();
  d.chip = (how & 32) != 0 ? bytes.take<std::uint8_t>() : static_cast<std::uint8_t>(how >> 7);
  const auto place = bytes.take<std::uint16_t>();
  d.row = (how & 64) != 0 ? bytes.take<std::uint32_t>()
                          : rows.row(place & 1u, place >> 1 & 1u, place >> 2 & 7u, (place >> 5) % 48u);
  d.sector_mask = bytes.take<std::uint8_t>();
  const auto more = bytes.take<std::uint8_t>();
  d.buffer = (more & 1) != 0 ? bytes.take<std::uint32_t>() : 0x40000 + more * 1024u;
  d.oob = (more & 2) != 0 ? bytes.take<std::uint64_t>() : 1;
  d.fence = (more & 4) != 0 ? bytes.take<std::uint32_t>() : 0;
  return d;
}

void step(Firmware& firmware, fuzz::Bytes& bytes) {
  switch (bytes.take<std::uint8_t>() % 8) {
    case 0:
      firmware.write(bytes.take<std::uint8_t>() & ~3u, bytes.take<std::uint32_t>());
      break;
    case 1:
      (void)firmware.read(bytes.take<std::uint16_t>() & ~3u);
      break;
    case 2:
      firmware.run(us(bytes.take<std::uint16_t>()));
      break;
    case 3:
      firmware.write(reg::flash::doorbell, firmware.tail);
      break;
    default:
      firmware.put(descriptor_from(bytes, firmware.rows));
      break;
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Firmware firmware("firmware");
  firmware.begin();
  fuzz::Bytes bytes(data, size);
  for (int i = 0; i < kMostSteps && !bytes.empty(); ++i) step(firmware, bytes);
  firmware.check();
  return 0;
}
