// A small host whose driver is a script: a function that runs in an SC_THREAD and speaks NVMe by hand. Its
// memory can grant DMI or not, take its time with wait(), refuse pages, and take grants back.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <cstring>
#include <functional>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "hw/spec/nvme.h"
#include "hw/spec/sim_time.h"
#include "platform/config/loader.h"
#include "platform/model/ssd.h"

namespace twinplane::test {

class ScriptHost : public sc_core::sc_module {
 public:
  static constexpr std::uint32_t kEntries = 32; // of every queue
  static constexpr std::uint64_t kMessages = 0xFEE0'0000;
  static constexpr std::uint64_t kBytes = 1u << 20;
  static constexpr std::uint64_t kBuffers = 0x20000; // for data, from here on
  struct Queue {
    std::uint32_t id = 0;
    std::uint64_t sq = 0;
    std::uint64_t cq = 0;
    std::uint32_t tail = 0;
    std::uint32_t head = 0;
    std::uint32_t phase = 1;
  };

  tlm_utils::simple_initiator_socket<ScriptHost> mmio{"mmio"};
  tlm_utils::simple_target_socket<ScriptHost> memory{"memory"};
  std::vector<std::uint8_t> bytes = std::vector<std::uint8_t>(kBytes);
  Queue admin{0, 0x1000, 0x2000};
  Queue io{1, 0x4000, 0x6000};
  std::function<void()> script;
  bool done = false;
  // what memory does
  bool grant_dmi = false;
  sc_core::sc_time takes;         // every access waits so long, and consumes its delay
  std::uint64_t refused_page = 0; // address; 0 = none
  std::uint64_t accesses = 0;
  std::uint64_t messages = 0;
  std::uint32_t at_once = 0; // accesses inside b_transport now
  std::uint32_t most_at_once = 0;
  bool called_by_method = false;

  explicit ScriptHost(const sc_core::sc_module_name& name) : sc_module(name) {
    memory.register_b_transport(this, &ScriptHost::on_memory);
    memory.register_get_direct_mem_ptr(this, &ScriptHost::on_direct);
    SC_HAS_PROCESS(ScriptHost);
    SC_THREAD(run);
  }

  // --- words of a script ---
  void pause(TimePs time) { wait(sc_core::sc_time::from_value(time)); }
  std::uint32_t read32(std::uint32_t offset) {
    std::uint32_t value = 0;
    access(tlm::TLM_READ_COMMAND, offset, value);
    return value;
  }
  void write32(std::uint32_t offset, std::uint32_t value) { access(tlm::TLM_WRITE_COMMAND, offset, value); }

  void enable() {
    const std::uint32_t vector[4] = {static_cast<std::uint32_t>(kMessages), 0, 0, 0};
    for (std::uint32_t i = 0; i < 4; ++i) write32(nvme::bar::msix_table + 4 * i, vector[i]);
    write32(nvme::bar::msix_control, 0x8000);
    write32(nvme::bar::aqa, (kEntries - 1) << 16 | (kEntries - 1));
    write32(nvme::bar::asq, static_cast<std::uint32_t>(admin.sq));
    write32(nvme::bar::acq, static_cast<std::uint32_t>(admin.cq));
    write32(nvme::bar::cc, 4u << 20 | 6u << 16 | nvme::cc::en);
    for (int i = 0; i < 1000 && (read32(nvme::bar::csts) & nvme::csts::rdy) == 0; ++i) pause(us(1));
    for (Queue* q : {&admin, &io}) {
      std::memset(&bytes[q->cq], 0, kEntries * sizeof(nvme::Cqe));
      q->tail = q->head = 0;
      q->phase = 1;
    }
    nvme::Sqe sqe;
    sqe.opcode = nvme::admin::create_cq;
    sqe.prp1 = io.cq;
    sqe.cdw10 = (kEntries - 1) << 16 | io.id;
    sqe.cdw11 = 3;
    execute(admin, sqe);
    sqe.opcode = nvme::admin::create_sq;
    sqe.prp1 = io.sq;
    sqe.cdw11 = io.id << 16 | 1;
    execute(admin, sqe);
  }
  /// True when RDY has fallen.
  bool disable() {
    write32(nvme::bar::cc, 4u << 20 | 6u << 16);
    for (int i = 0; i < 100000; ++i) {
      if ((read32(nvme::bar::csts) & nvme::csts::rdy) == 0) return true;
      pause(us(1));
    }
    return false;
  }

  static nvme::Sqe command(std::uint8_t opcode, std::uint64_t lba, std::uint64_t prp1,
                           std::uint32_t sectors = 1, std::uint64_t prp2 = 0) {
    nvme::Sqe sqe;
    sqe.opcode = opcode;
    sqe.nsid = 1;
    sqe.prp1 = prp1;
    sqe.prp2 = prp2;
    sqe.cdw10 = static_cast<std::uint32_t>(lba);
    sqe.cdw12 = sectors - 1;
    return sqe;
  }
  void push(Queue& q, nvme::Sqe sqe) {
    sqe.cid = next_cid_++;
    std::memcpy(&bytes[q.sq + q.tail * sizeof sqe], &sqe, sizeof sqe);
    q.tail = (q.tail + 1) % kEntries;
  }
  void ring(Queue& q) { write32(nvme::bar::doorbells + 8 * q.id, q.tail); }
  /// Takes a completion that has arrived.
  bool take(Queue& q, nvme::Cqe& cqe) {
    std::memcpy(&cqe, &bytes[q.cq + q.head * sizeof cqe], sizeof cqe);
    if ((cqe.status & 1) != q.phase) return false;
    q.head = (q.head + 1) % kEntries;
    if (q.head == 0) q.phase ^= 1;
    write32(nvme::bar::doorbells + 8 * q.id + 4, q.head);
    return true;
  }
  /// Status of a command run alone, without DNR; 0xFFFF when it never completes.
  std::uint32_t execute(Queue& q, const nvme::Sqe& sqe) {
    push(q, sqe);
    ring(q);
    return finish(q);
  }
  std::uint32_t finish(Queue& q) {
    nvme::Cqe cqe;
    for (int i = 0; i < 20000; ++i) {
      if (take(q, cqe)) return (cqe.status >> 1) & ~static_cast<std::uint32_t>(nvme::status::dnr);
      wait(sc_core::sc_time(1, sc_core::SC_US), message_);
    }
    return 0xFFFF;
  }
  void fill(std::uint64_t address, std::uint8_t value, std::uint32_t count = 4096) {
    std::memset(&bytes[address], value, count);
  }
  /// What a sector holds: its byte when all are the same, else -1; -2 when it cannot be read.
  int look(std::uint64_t lba) {
    const std::uint64_t buffer = kBytes - 4096;
    fill(buffer, 0xEE);
    if (execute(io, command(nvme::io::read, lba, buffer)) != 0) return -2;
    for (std::uint32_t i = 1; i < 4096; ++i) {
      if (bytes[buffer + i] != bytes[buffer]) return -1;
    }
    return bytes[buffer];
  }
  void revoke() { memory->invalidate_direct_mem_ptr(0, kBytes - 1); }

 private:
  void run() {
    script();
    done = true;
    sc_core::sc_stop();
  }
  void access(tlm::tlm_command command, std::uint32_t offset, std::uint32_t& value) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(offset);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(4);
    payload.set_streaming_width(4);
    sc_core::sc_time delay;
    mmio->b_transport(payload, delay);
    wait(delay);
  }
  void on_memory(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    ++accesses;
    const auto kind = sc_core::sc_get_current_process_handle().proc_kind();
    called_by_method = called_by_method || kind == sc_core::SC_METHOD_PROC_;
    if (takes != sc_core::SC_ZERO_TIME) {
      most_at_once = std::max(most_at_once, ++at_once);
      wait(delay + takes);
      --at_once;
      delay = sc_core::SC_ZERO_TIME;
    }
    const std::uint64_t address = payload.get_address();
    const unsigned length = payload.get_data_length();
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (address == kMessages && payload.is_write()) {
      ++messages;
      message_.notify(delay);
    } else if (address + length > kBytes || (refused_page != 0 && address / 4096 == refused_page / 4096)) {
      payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    } else if (payload.is_write()) {
      std::memcpy(&bytes[address], payload.get_data_ptr(), length);
    } else {
      std::memcpy(payload.get_data_ptr(), &bytes[address], length);
    }
    payload.set_dmi_allowed(grant_dmi);
  }
  bool on_direct(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
    dmi.set_dmi_ptr(bytes.data());
    dmi.set_start_address(0);
    dmi.set_end_address(kBytes - 1);
    dmi.allow_read_write();
    return grant_dmi && payload.get_address() < kBytes;
  }

  sc_core::sc_event message_{"message"};
  std::uint16_t next_cid_ = 1;
};

/// A small drive that keeps all bytes, and the host.
struct ScriptBench {
  platform::Ssd ssd;
  ScriptHost host{"host"};
  sc_core::sc_signal<bool> intx{"intx"};

  explicit ScriptBench(const std::string& more = "") : ssd("ssd", config(more)) {
    host.mmio.bind(ssd.bar);
    ssd.dma.bind(host.memory);
    ssd.intx.bind(intx);
  }
  static platform::Config config(const std::string& more) {
    platform::ConfigLoader loader;
    loader.add_text(
        "[geometry]\nchannels=2\nchips_per_channel=1\ndies_per_chip=1\nplanes_per_die=2\nblocks_per_plane="
        "24\n"
        "pages_per_block=48\n[nand]\ntR=\"50us\"\ntPROG=\"200us\"\n[data]\nmode=\"full\"\n" +
            more,
        "script");
    return loader.finish().config;
  }
  /// Runs the script to its end, or for so long.
  void run(TimePs limit = us(10'000'000)) { sc_core::sc_start(sc_core::sc_time::from_value(limit)); }
};

} // namespace twinplane::test
