// The flash controller of one channel: descriptor ring in, ONFI bus tenures out, completion ring back.
//
//   regs    target, base protocol: hw/spec/registers.h (reg::flash), 32-bit accesses at now + delay; rings
//           and descriptors as in hw/spec/flash_descriptor.h. transport_dbg with the extension FunctionalFlash
//           executes one descriptor at once (preconditioning): FunctionalAccess does that for any controller
//           whose channel is bound to `bus`
//   bus     initiator: the channel
//   irq     initiator, base protocol: 32-bit writes of its number to reg::intc::trigger, at now + delay
//   dram    initiator, base protocol: device DRAM, which grants DMI
//   dma_fence  port: when the host's data of a descriptor are there. Bound by the drive
//   ecc_stage  port: the engine that decodes what comes off the bus. Bound by the drive; a controller that
//              has an engine inside leaves it alone
//   event_queue  port: the drive binds it where a core serves the event queue. Then the controller may register a
//              worker instead of notifying kernel events
// The packages' R/B# wires lead to on_ready(); a controller that asks for the status instead ignores them.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <array>
#include <cstdint>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "hw/controller/ecc.h"
#include "hw/core/block.h"
#include "hw/core/dma_fence.h"
#include "hw/core/event_queue.h"
#include "hw/core/onfi_protocol.h"
#include "hw/nand/package_block.h"
#include "hw/spec/flash_descriptor.h"

namespace twinplane::hw {

/// Debug-transport extension: one descriptor executed in zero time through the die's decoder
/// (write to offset reg::flash::functional). `payload` is the page's packed sector payload; `words` are its
/// out-of-band words, where the descriptor has flash_flag::oob_words, whatever its offset says.
struct FunctionalFlash : tlm::tlm_extension<FunctionalFlash> {
  FlashDescriptor descriptor;
  std::uint8_t* payload = nullptr;
  std::uint64_t* words = nullptr;
  FlashCompletion completion;

  tlm::tlm_extension_base* clone() const override { return new FunctionalFlash(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const FunctionalFlash&>(other);
  }
};

/// Pages of one kind that were read with a model of bit errors.
struct ReadErrorStatistics {
  std::uint64_t pages = 0;
  std::uint64_t codewords = 0;
  double bit_errors = 0;           // raw, with a fraction where they are expected ones
  std::uint64_t corrected = 0;     // pages with wrong bits, all of them corrected
  std::uint64_t retried = 0;       // pages that were read again, at a read level
  std::uint64_t soft = 0;          // ... and took further senses for soft decisions
  std::uint64_t uncorrectable = 0; // pages
};

struct FlashControllerStatistics {
  std::uint64_t activations = 0; // calls of the kernel or the event queue
  std::uint64_t completions = 0;
  std::uint64_t reads = 0; // pages (erases: blocks) of accepted descriptors, by operation
  std::uint64_t programs = 0;
  std::uint64_t erases = 0;
  std::uint64_t copybacks = 0;
  std::uint64_t copies = 0;               // copybacks whose program has been sent to the die
  std::uint64_t target_commands = 0;      // resets, and what asks or sets a target's registers
  std::uint64_t page_bytes_in = 0;        // page data sent to dies, with what follows each sector on the bus
  std::uint64_t page_bytes_out = 0;       // ... fetched from dies
  std::uint64_t rejected_descriptors = 0; // unknown op, chip or LUN: completed with FAIL, no bus use
  std::uint64_t errors = 0;               // bits that were set in the ERROR register
  std::uint64_t suspends = 0;             // programs and erases that were suspended
  std::uint64_t cache_reads = 0;          // read groups whose array time ran beside a transfer
  std::uint64_t cache_programs = 0;       // program groups that the next one's data followed during tPROG
  std::uint64_t independent_reads = 0;    // reads sent while another plane of the die had one
  std::uint64_t reads_in_between = 0;     // read groups that ran meanwhile
  std::array<ReadErrorStatistics, kMaxPageTypes + 1> read_errors{}; // by RawErrors::kind
  std::uint64_t host_codewords = 0; // of reads with flash_flag::for_host (contained in the above)
  double host_bit_errors = 0;
};

class ControllerBlock : public Block, public ReadyBusy {
 public:
  tlm::tlm_target_socket<32> regs{"regs"};
  OnfiInitiatorSocket bus{"bus"};
  tlm_utils::simple_initiator_socket<ControllerBlock> irq{"irq"};
  tlm_utils::simple_initiator_socket<ControllerBlock> dram{"dram"};
  sc_core::sc_port<DmaFence, 1, sc_core::SC_ZERO_OR_MORE_BOUND> dma_fence{"dma_fence"};
  sc_core::sc_port<EccStage, 1, sc_core::SC_ZERO_OR_MORE_BOUND> ecc_stage{"ecc_stage"};
  sc_core::sc_port<EventQueue, 1, sc_core::SC_ZERO_OR_MORE_BOUND> event_queue{"event_queue"};

  /// Called for chip 0, 1 ... of the channel: R/B# and the name for messages.
  void connect(PackageBlock& package) {
    package.ready.bind(*this);
    chip_names_.push_back(package.name());
  }
  void on_ready(std::uint32_t /*chip*/, std::uint32_t /*lun*/, TimePs /*at*/) override {}

  [[nodiscard]] virtual const FlashControllerStatistics& statistics() const = 0;
  /// For how long each die of the channel (chip * dies_per_chip + lun) has been in use until `now`, from the
  /// first tenure of each of its commands to the end of the last one. A block that does not tell leaves the zeros.
  virtual void tell_in_use(TimePs /*now*/, TimePs* /*dies*/) const {}

 protected:
  using Block::Block;
  std::string chip_name(std::uint32_t chip) const {
    if (chip < chip_names_.size()) return chip_names_[chip];
    return std::string(name()) + ": chip " + std::to_string(chip);
  }

 private:
  std::vector<std::string> chip_names_;
};

} // namespace twinplane::hw
