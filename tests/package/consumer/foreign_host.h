// A host of another author's platform: memory, a driver thread, an interrupt message. It knows NVMe and
// TLM-2.0 and nothing of the drive but its three ports. Grants no DMI: every access is a transaction.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <cstdint>
#include <systemc>
#include <tlm>
#include <vector>

#include "hw/spec/nvme.h"

class ForeignHost : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<ForeignHost> mmio{"mmio"};
  tlm_utils::simple_target_socket<ForeignHost> memory{"memory"};
  sc_core::sc_in<bool> intx{"intx"};

  explicit ForeignHost(const sc_core::sc_module_name& name);

  /// Failed expectations, each explained on standard error; -1 when the driver did not reach its end.
  int failures() const { return finished_ ? failures_ : -1; }

 private:
  struct Queue {
    std::uint32_t id = 0;
    std::uint64_t submission = 0; // addresses in host memory
    std::uint64_t completion = 0;
    std::uint32_t tail = 0;
    std::uint32_t head = 0;
    std::uint32_t phase = 1;
  };

  void run();
  void on_memory(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void access(tlm::tlm_command command, std::uint64_t address, void* data, unsigned size);
  std::uint32_t read_register(std::uint32_t offset);
  void write_register(std::uint32_t offset, std::uint32_t value);

  bool enable_controller();
  bool create_io_queue();
  void check_identify();
  void check_write_then_read();
  void check_reads_of_nothing_give_zeros();
  void check_out_of_range_is_refused();
  twinplane::nvme::Cqe execute(Queue& queue, twinplane::nvme::Sqe entry);
  twinplane::nvme::Sqe transfer(std::uint8_t opcode, std::uint64_t lba, std::uint64_t buffer) const;
  void expect(bool condition, const char* what);

  Queue admin_;
  Queue io_;
  std::vector<std::uint8_t> bytes_;
  sc_core::sc_event message_{"message"};
  unsigned messages_ = 0;
  std::uint64_t sectors_ = 0; // capacity of namespace 1
  std::uint32_t sector_size_ = 0;
  std::uint16_t next_cid_ = 1;
  int failures_ = 0;
  bool finished_ = false;
};
