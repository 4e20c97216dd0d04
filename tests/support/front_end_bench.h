// A bare host and stub firmware around the NVMe front end. The test's own code plays the driver between calls
// of run(); nothing is hidden: queues, entries and doorbells are written by hand.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <cstring>
#include <functional>
#include <systemc>
#include <vector>

#include "hw/host_if/host_interface.h"
#include "tests/support/stub_firmware.h"

namespace twinplane::test {

/// 4 MiB of memory at 1 GiB; message-signalled interrupts go to 0xFEE00000.
class RawHost : public sc_core::sc_module {
 public:
  static constexpr std::uint64_t kBase = 0x4000'0000;
  static constexpr std::uint64_t kMessages = 0xFEE0'0000;
  struct Message {
    std::uint32_t data = 0;
    TimePs at = 0;
  };

  tlm_utils::simple_initiator_socket<RawHost> bar{"bar"};
  tlm_utils::simple_target_socket<RawHost> memory{"memory"};
  std::vector<std::uint8_t> bytes = std::vector<std::uint8_t>(4u << 20);
  std::vector<Message> messages;
  bool grant_dmi = true;
  std::uint64_t refuse_at = 0; // accesses of this page are answered with an error
  /// What happens on the host's side around an access of the device's that is not by DMI.
  std::function<void(std::uint64_t address)> before, after;
  /// The device's write stays on its way until late() is called.
  std::uint64_t late_at = 0;
  std::function<void()> late;

  explicit RawHost(const sc_core::sc_module_name& name) : sc_module(name) {
    memory.register_b_transport(this, &RawHost::on_memory);
    memory.register_get_direct_mem_ptr(this, &RawHost::on_direct);
  }

  template <typename T>
  T load(std::uint64_t address) const {
    T value;
    std::memcpy(&value, bytes.data() + (address - kBase), sizeof value);
    return value;
  }
  template <typename T>
  void store(std::uint64_t address, const T& value) {
    std::memcpy(bytes.data() + (address - kBase), &value, sizeof value);
  }
  void revoke() { memory->invalidate_direct_mem_ptr(kBase, kBase + bytes.size() - 1); }

 private:
  void on_memory(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const std::uint64_t address = payload.get_address();
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    if (address == kMessages) {
      messages.push_back({hw::word_of(payload), hw::kernel_now() + delay.value()});
      payload.set_response_status(tlm::TLM_OK_RESPONSE);
    } else if (address >= kBase && address + payload.get_data_length() <= kBase + bytes.size() &&
               (refuse_at == 0 || address / 4096 != refuse_at / 4096)) {
      std::uint8_t* place = bytes.data() + (address - kBase);
      if (before) before(address);
      if (payload.is_write() && address == late_at) {
        const auto word = hw::word_of(payload);
        late = [this, address, word] { store(address, word); };
      } else if (payload.is_write())
        std::memcpy(place, payload.get_data_ptr(), payload.get_data_length());
      if (payload.is_read()) std::memcpy(payload.get_data_ptr(), place, payload.get_data_length());
      if (after) after(address);
      payload.set_dmi_allowed(grant_dmi);
      payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }
  }
  bool on_direct(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
    dmi.set_dmi_ptr(bytes.data());
    dmi.set_start_address(kBase);
    dmi.set_end_address(kBase + bytes.size() - 1);
    dmi.allow_read_write();
    return grant_dmi;
  }
};

struct FrontEndBench {
  static constexpr std::uint64_t kAdminSq = RawHost::kBase;
  static constexpr std::uint64_t kAdminCq = RawHost::kBase + 0x1000;
  static constexpr std::uint64_t kSq = RawHost::kBase + 0x10000; // + id * 0x1000
  static constexpr std::uint64_t kCq = RawHost::kBase + 0x20000; // + id * 0x1000
  static constexpr std::uint64_t kData = RawHost::kBase + 0x100000;
  static constexpr std::uint32_t kCcEnable = 1 | 6u << 16 | 4u << 20;

  hw::Dram dram{"dram", 16u << 20};
  hw::HostInterface front;
  StubFirmware firmware{"firmware", dram};
  RawHost host{"host"};
  sc_core::sc_signal<bool> intx{"intx"};
  std::uint32_t sq_tail[16] = {};
  std::uint32_t cq_head[16] = {};

  /// RawHost never waits; a test may pretend that it might.
  explicit FrontEndBench(hw::HostInterfaceConfig config, bool host_waits = false)
      : front("front", (config.host_waits = host_waits, config)) {
    host.bar.bind(front.bar);
    front.dma.bind(host.memory);
    front.dram.bind(dram.port);
    front.irq.bind(firmware.irq);
    front.intx.bind(intx);
    firmware.mmio.bind(front.device);
    firmware.on_command = [](const StubFirmware::Seen&) { return true; }; // the test acts
    run(0);
  }

  static hw::HostInterfaceConfig ideal() {
    hw::HostInterfaceConfig config;
    config.pcie.ideal = true;
    return config;
  }

  void run(TimePs time) { sc_core::sc_start(hw::to_sc_time(time)); }
  TimePs now() const { return hw::kernel_now(); }

  std::uint32_t read32(std::uint32_t offset) {
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    return access_.read(host.bar, offset, delay);
  }
  void write32(std::uint32_t offset, std::uint32_t value) {
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    access_.write(host.bar, offset, value, delay);
  }
  void write64(std::uint32_t offset, std::uint64_t value) {
    write32(offset, static_cast<std::uint32_t>(value));
    write32(offset + 4, static_cast<std::uint32_t>(value >> 32));
  }

  void set_vector(std::uint32_t vector, bool masked = false) {
    write64(nvme::bar::msix_table + 16 * vector, RawHost::kMessages);
    write32(nvme::bar::msix_table + 16 * vector + 8, 0x100 + vector);
    write32(nvme::bar::msix_table + 16 * vector + 12, masked ? 1 : 0);
  }
  void set_admin_queues(std::uint32_t entries = 16) {
    write32(nvme::bar::aqa, (entries - 1) << 16 | (entries - 1));
    write64(nvme::bar::asq, kAdminSq);
    write64(nvme::bar::acq, kAdminCq);
  }
  /// Enables the controller and lets the stub make it ready.
  void enable(std::uint32_t cc = kCcEnable, std::uint32_t admin_entries = 16) {
    for (std::uint32_t v = 0; v < 16; ++v) set_vector(v);
    set_admin_queues(admin_entries);
    write32(nvme::bar::cc, cc);
    run(us(10));
  }
  /// Pair `id` with `entries` entries each; interrupts on, vector = id.
  void create_pair(std::uint32_t id, std::uint32_t entries, std::uint32_t priority = 0) {
    sq_tail[id] = cq_head[id] = 0;
    firmware.queue(reg::queue_op::create_cq, id, kCq + id * 0x1000, entries, 0, 1 | id << 16);
    firmware.queue(reg::queue_op::create_sq, id, kSq + id * 0x1000, entries, id, priority << 1);
  }

  void push(std::uint32_t id, const nvme::Sqe& sqe, std::uint32_t entries) {
    const std::uint64_t base = id == 0 ? kAdminSq : kSq + id * 0x1000;
    host.store(base + sq_tail[id] * sizeof sqe, sqe);
    sq_tail[id] = (sq_tail[id] + 1) % entries;
  }
  void ring(std::uint32_t id) { write32(nvme::bar::doorbells + 8 * id, sq_tail[id]); }
  void ring_head(std::uint32_t id, std::uint32_t head) { write32(nvme::bar::doorbells + 8 * id + 4, head); }
  nvme::Cqe cqe(std::uint32_t id, std::uint32_t index) const {
    const std::uint64_t base = id == 0 ? kAdminCq : kCq + id * 0x1000;
    return host.load<nvme::Cqe>(base + index * sizeof(nvme::Cqe));
  }
  static nvme::Sqe io(std::uint8_t opcode, std::uint16_t cid, std::uint32_t sectors,
                      std::uint64_t prp1 = kData, std::uint64_t prp2 = 0) {
    nvme::Sqe sqe;
    sqe.opcode = opcode;
    sqe.cid = cid;
    sqe.nsid = 1;
    sqe.prp1 = prp1;
    sqe.prp2 = prp2;
    sqe.cdw12 = sectors - 1;
    return sqe;
  }
  /// Sends one I/O command through pair 1 (16 entries) and returns its slot.
  std::uint16_t send(const nvme::Sqe& sqe) {
    push(1, sqe, 16);
    ring(1);
    run(us(10));
    return firmware.seen.back().entry.slot;
  }

 private:
  hw::RegisterAccess access_;
};

} // namespace twinplane::test
