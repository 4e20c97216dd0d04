// The drive's DRAM as an architect brings one: a simulator of memories behind a TLM-2.0 socket.
//
//   BankedMemory  the simulator: base-protocol transactions in, their time added to the delay. It keeps no
//                 bytes, as DRAMSys does without its storage. Another one takes its place here
//   BankedDram    the block that the drive sees: it holds the bytes, which everybody points into, and turns
//                 what it is asked about transfers into transactions to the simulator
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <cstdint>
#include <systemc>
#include <tlm>
#include <vector>

#include "bank_model.h"
#include "hw/core/dram.h"
#include "hw/core/dram_block.h"
#include "hw/core/dram_timing.h"
#include "hw/core/target_socket.h"

namespace examples {

class BankedMemory final : public sc_core::sc_module, private hw::BlockingTarget<> {
 public:
  tlm::tlm_target_socket<32> port{"port"};

  BankedMemory(const sc_core::sc_module_name& name, const BankTiming& timing, hw::Rate bus);
  const BankModel& banks() const { return banks_; }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;

  BankModel banks_;
};

class BankedDram final : public hw::DramTiming, public hw::DramBlock {
 public:
  /// Of `config`: the size, and as the rate of the data bus `rate` (dram.bandwidth).
  BankedDram(const sc_core::sc_module_name& name, const hw::DramConfig& config, const BankTiming& timing);

  /// The banks are asked and answer at once, so the drive may be ahead of the kernel. A simulator with a
  /// clock or threads says nothing here.
  bool has_external_events() const override { return false; }
  twinplane::TimePs access(const hw::DramAccess& access) override;
  twinplane::TimePs busy() const override { return memory_.banks().busy(); }

  const BankStatistics& statistics() const { return memory_.banks().statistics(); }
  /// What a master has moved.
  std::uint64_t bytes_of(hw::DramMaster master, bool write) const {
    return bytes_[static_cast<std::size_t>(master)][write ? 1 : 0];
  }

 private:
  hw::Dram contents_;
  tlm_utils::simple_initiator_socket<BankedDram> to_memory_{"to_memory"};
  BankedMemory memory_;
  tlm::tlm_generic_payload payload_;
  std::vector<std::uint8_t> unused_; // data of transactions, which are not looked at
  std::uint64_t bytes_[3][2] = {};
};

} // namespace examples
