// A host of another author's platform, scripted by a test: memory, a driver thread, polled completion queues.
// It knows NVMe and TLM-2.0 and nothing of the drive but its three ports. Its memory can grant DMI or not,
// take its time with wait(), refuse pages, and take grants back.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "hw/core/kernel_time.h"
#include "hw/spec/nvme.h"
#include "platform/config/loader.h"
#include "platform/ssd/ssd.h"

namespace twinplane::test {

/// Two channels, tR 50 us, tPROG 200 us, all bytes stored.
inline platform::Config guest_config(const std::string& more = "", bool waits = true) {
  platform::ConfigLoader loader;
  loader.add_text(
      "[geometry]\nchannels=2\nchips_per_channel=1\ndies_per_chip=1\nplanes_per_die=2\nblocks_per_plane=24\n"
      "pages_per_block=48\n[nand]\ntR=\"50us\"\ntPROG=\"200us\"\n[data]\nmode=\"full\"\n" +
          more,
      "guest");
  platform::Config config = loader.finish().config;
  config.host_waits = waits;
  return config;
}

class GuestHost : public sc_core::sc_module {
 public:
  static constexpr std::uint32_t kEntries = 32; // of every queue
  static constexpr std::uint64_t kMessage = 0xFEE0'0000;
  static constexpr std::uint64_t kBytes = 1u << 20;
  static constexpr std::uint64_t kBuffer = 0x20000; // data of commands: one page each, from here
  struct Queue {
    std::uint32_t id;
    std::uint64_t sq, cq;
    std::uint32_t tail = 0, head = 0, phase = 1;
  };
  /// What the drive asked of memory, and when it was to happen.
  struct Access {
    std::uint64_t address;
    std::uint32_t length;
    bool write;
    TimePs at;
    bool operator==(const Access& o) const {
      return address == o.address && length == o.length && write == o.write && at == o.at;
    }
  };

  tlm_utils::simple_initiator_socket<GuestHost> mmio{"mmio"};
  tlm_utils::simple_target_socket<GuestHost> memory{"memory"};
  sc_core::sc_in<bool> intx{"intx"};
  std::vector<std::uint8_t> bytes;
  std::vector<Access> accesses;
  Queue admin{0, 0x1000, 0x2000}, io{1, 0x4000, 0x6000};
  sc_core::sc_event message{"message"};
  std::function<void()> script;
  /// Takes the place of a plain b_transport to BAR0 when set.
  std::function<void(tlm::tlm_generic_payload&, sc_core::sc_time&)> transport;
  std::function<void(const sc_core::sc_time&)> on_message;
  sc_core::sc_time takes;    // every access of memory waits so long, and consumes its delay
  std::uint32_t at_once = 0; // accesses inside b_transport now
  std::uint32_t most_at_once = 0;
  bool grants = false; // DMI to all of memory
  std::uint64_t granted = 0;
  std::uint64_t refused_page = 0; // address; 0: none
  std::uint64_t messages = 0;     // interrupts by message
  bool called_by_method = false;
  bool done = false;

  explicit GuestHost(const sc_core::sc_module_name& name) : sc_module(name), bytes(kBytes) {
    memory.register_b_transport(this, &GuestHost::on_memory);
    memory.register_get_direct_mem_ptr(this, &GuestHost::on_direct);
    SC_HAS_PROCESS(GuestHost);
    SC_THREAD(run);
  }

  void revoke() { memory->invalidate_direct_mem_ptr(0, ~sc_dt::uint64{0}); }
  void deny_from_now_on() {
    grants = false;
    revoke();
  }
  void pause(TimePs time) { wait(hw::to_sc_time(time)); }

  tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address, void* data, unsigned size,
                                  sc_core::sc_time* delay = nullptr) {
    tlm::tlm_generic_payload p;
    p.set_command(command);
    p.set_address(address);
    p.set_data_ptr(static_cast<unsigned char*>(data));
    p.set_data_length(size);
    p.set_streaming_width(size);
    p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    sc_core::sc_time own;
    sc_core::sc_time& used = delay != nullptr ? *delay : own;
    if (transport) {
      transport(p, used);
    } else {
      mmio->b_transport(p, used);
    }
    if (delay == nullptr) wait(own);
    return p.get_response_status();
  }
  std::uint32_t read(std::uint32_t offset) {
    std::uint32_t value = 0;
    access(tlm::TLM_READ_COMMAND, offset, &value, 4);
    return value;
  }
  void write(std::uint32_t offset, std::uint32_t value, sc_core::sc_time* delay = nullptr) {
    access(tlm::TLM_WRITE_COMMAND, offset, &value, 4, delay);
  }

  /// False when the controller does not become ready; CSTS tells why.
  bool enable() {
    const std::uint32_t vector[4] = {static_cast<std::uint32_t>(kMessage), 0, 0, 0};
    for (std::uint32_t i = 0; i < 4; ++i) write(nvme::bar::msix_table + 4 * i, vector[i]);
    write(nvme::bar::msix_control, 0x8000);
    write(nvme::bar::aqa, (kEntries - 1) << 16 | (kEntries - 1));
    write(nvme::bar::asq, static_cast<std::uint32_t>(admin.sq));
    write(nvme::bar::acq, static_cast<std::uint32_t>(admin.cq));
    write(nvme::bar::cc, 4u << 20 | 6u << 16 | nvme::cc::en);
    for (int i = 0; i < 100 && (read(nvme::bar::csts) & nvme::csts::rdy) == 0; ++i) pause(us(10));
    for (Queue* q : {&admin, &io}) {
      std::memset(&bytes[q->cq], 0, kEntries * sizeof(nvme::Cqe));
      q->tail = q->head = 0;
      q->phase = 1;
    }
    return read(nvme::bar::csts) == nvme::csts::rdy;
  }
  /// True when RDY has fallen.
  bool disable() {
    write(nvme::bar::cc, 4u << 20 | 6u << 16);
    for (int i = 0; i < 100'000 && (read(nvme::bar::csts) & nvme::csts::rdy) != 0; ++i) pause(us(1));
    return (read(nvme::bar::csts) & nvme::csts::rdy) == 0;
  }
  bool create_queue() {
    nvme::Sqe e;
    e.opcode = nvme::admin::create_cq;
    e.prp1 = io.cq;
    e.cdw10 = (kEntries - 1) << 16 | io.id;
    e.cdw11 = 3;
    const bool cq = execute(admin, e) == 0;
    e.opcode = nvme::admin::create_sq;
    e.prp1 = io.sq;
    e.cdw11 = io.id << 16 | 1;
    return execute(admin, e) == 0 && cq;
  }
  void start() { up = enable() && create_queue(); }
  bool up = false;

  void push(Queue& q, nvme::Sqe e) {
    e.cid = next_cid_++;
    std::memcpy(&bytes[q.sq + q.tail * sizeof e], &e, sizeof e);
    q.tail = (q.tail + 1) % kEntries;
  }
  void ring(Queue& q, sc_core::sc_time* delay = nullptr) {
    write(nvme::bar::doorbells + 8 * q.id, q.tail, delay);
  }
  /// Takes the next completion when there is one.
  bool poll(Queue& q, nvme::Cqe& c, sc_core::sc_time* delay = nullptr) {
    std::memcpy(&c, &bytes[q.cq + q.head * sizeof c], sizeof c);
    if ((c.status & 1u) != q.phase) return false;
    q.head = (q.head + 1) % kEntries;
    if (q.head == 0) q.phase ^= 1;
    write(nvme::bar::doorbells + 8 * q.id + 4, q.head, delay);
    return true;
  }
  static constexpr int kNothing = -1;
  /// The next completion's status without DNR; kNothing when none comes within a tenth of a second.
  int wait_for(Queue& q) {
    nvme::Cqe c;
    for (int i = 0; i < 100; ++i) {
      if (poll(q, c)) return (c.status >> 1) & ~static_cast<int>(nvme::status::dnr);
      wait(sc_core::sc_time(1, sc_core::SC_MS), message);
    }
    return kNothing;
  }
  int execute(Queue& q, const nvme::Sqe& e) {
    push(q, e);
    ring(q);
    return wait_for(q);
  }
  /// Sectors have 4 KiB.
  static nvme::Sqe command(std::uint8_t opcode, std::uint64_t lba, std::uint64_t prp1,
                           std::uint32_t sectors = 1, std::uint64_t prp2 = 0) {
    nvme::Sqe e;
    e.opcode = opcode;
    e.nsid = 1;
    e.prp1 = prp1;
    e.prp2 = prp2;
    e.cdw10 = static_cast<std::uint32_t>(lba);
    e.cdw12 = sectors - 1;
    return e;
  }
  void fill(std::uint64_t address, std::uint8_t value, std::uint32_t count = 4096) {
    std::memset(&bytes[address], value, count);
  }
  int write_sector(std::uint64_t lba, std::uint8_t pattern, std::uint64_t buffer = kBuffer) {
    fill(buffer, pattern);
    return execute(io, command(nvme::io::write, lba, buffer));
  }
  /// What a sector holds: its byte when all are the same, kMixed when not; kNothing when it cannot be read.
  static constexpr int kMixed = -2;
  int read_sector(std::uint64_t lba, std::uint64_t buffer = kBuffer) {
    fill(buffer, 0xEE);
    if (execute(io, command(nvme::io::read, lba, buffer)) != 0) return kNothing;
    const bool equal = std::memcmp(&bytes[buffer], &bytes[buffer + 1], 4095) == 0;
    return equal ? bytes[buffer] : kMixed;
  }

 private:
  void run() {
    script();
    done = true;
  }
  void on_memory(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
    const std::uint64_t a = p.get_address();
    const unsigned length = p.get_data_length();
    accesses.push_back({a, length, p.is_write(), hw::time_at(delay)});
    const auto caller = sc_core::sc_get_current_process_handle().proc_kind();
    called_by_method = called_by_method || caller == sc_core::SC_METHOD_PROC_;
    if (takes != sc_core::SC_ZERO_TIME) {
      most_at_once = std::max(most_at_once, ++at_once);
      wait(delay + takes);
      --at_once;
      delay = sc_core::SC_ZERO_TIME;
    }
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    if (a == kMessage && p.is_write()) {
      ++messages;
      message.notify(delay);
      if (on_message) on_message(delay);
    } else if (a + length > bytes.size() || (refused_page != 0 && a / 4096 == refused_page / 4096)) {
      p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    } else {
      if (p.is_write()) std::memcpy(&bytes[a], p.get_data_ptr(), length);
      if (p.is_read()) std::memcpy(p.get_data_ptr(), &bytes[a], length);
      p.set_dmi_allowed(grants);
    }
  }
  bool on_direct(tlm::tlm_generic_payload& p, tlm::tlm_dmi& dmi) {
    dmi.set_start_address(0);
    dmi.set_end_address(bytes.size() - 1);
    if (!grants || p.get_address() >= bytes.size()) {
      dmi.allow_none();
      return false;
    }
    dmi.set_dmi_ptr(bytes.data());
    dmi.allow_read_write();
    ++granted;
    return true;
  }

  std::uint16_t next_cid_ = 1;
};

/// A drive and its host.
struct GuestBench {
  /// `waits`: what the drive is told of the host.
  explicit GuestBench(const std::string& more = "", const std::string& suffix = "", bool waits = true)
      : GuestBench(guest_config(more, waits), suffix) {}
  explicit GuestBench(const platform::Config& config, const std::string& suffix = "",
                      platform::BlockFactory* blocks = nullptr)
      : ssd(("ssd" + suffix).c_str(), config,
            blocks != nullptr ? *blocks : *std::make_unique<platform::BlockFactory>()),
        host(("host" + suffix).c_str()),
        intx(("intx" + suffix).c_str()) {
    host.mmio.bind(ssd.bar);
    ssd.dma.bind(host.memory);
    ssd.intx.bind(intx);
    host.intx.bind(intx);
  }
  /// Until the script has ended, or for so long.
  void run(sc_core::sc_time limit = sc_core::sc_time(10, sc_core::SC_SEC)) {
    const sc_core::sc_time slice(1, sc_core::SC_MS);
    for (; !host.done && limit >= slice; limit -= slice) sc_core::sc_start(slice);
  }
  /// Makes the firmware panic `delay` from now: a flash controller is told of descriptors that there are not.
  void break_drive(sc_core::sc_time delay = sc_core::SC_ZERO_TIME) {
    hw::RegisterAccess access;
    access.write(ssd.controllers()[0]->regs.get_base_export(), reg::flash::doorbell, 0x8000'0000u, delay);
  }

  platform::Ssd ssd;
  GuestHost host;
  sc_core::sc_signal<bool> intx;
};

} // namespace twinplane::test
