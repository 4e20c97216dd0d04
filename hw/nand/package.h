// The package of the data sheet.
//
// b_transport: one bus tenure (OnfiTenure extension) whose phases or planes carry their times; the
// annotated delay is not touched. transport_dbg: the same cycles through the same decoder in zero time; array
// operations complete at once and the bus face notices nothing but the changed cells.
// Responses: TLM_OK_RESPONSE (refusals show in the status register), TLM_INCOMPLETE_RESPONSE when a
// sequence needs its phases (nothing has been done), TLM_GENERIC_ERROR_RESPONSE without the extension.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "hw/core/observer.h"
#include "hw/core/target_socket.h"
#include "hw/nand/decoder.h"
#include "hw/nand/nand_config.h"
#include "hw/nand/package_block.h"
#include "hw/nand/statistics.h"

namespace twinplane::hw {

class Package final : public PackageBlock,
                      public BlockingTarget<OnfiProtocol>,
                      public TenureTarget,
                      private RefusalSink {
 public:
  /// `config` must pass check(); anything else is reported as SC_FATAL.
  Package(const sc_core::sc_module_name& name, const NandConfig& config);

  bool has_external_events() const override { return false; }
  void attach(NandObserver& observer) override {
    context_.observers.push_back(&observer);
    if (observer.wants_ready_busy()) context_.edge_observers.push_back(&observer);
  }

  /// The WP# pin of all LUNs.
  void write_protect(bool low) {
    for (Die& die : dies_) die.protect(low);
  }

  const NandConfig& config() const { return config_; }
  const NandStatistics& statistics() const override { return context_.statistics; }
  /// Zeroes the counters (not the blocks' erase counts), for example after a warm-up.
  void reset_statistics();
  DieStatistics still_to_do(std::uint32_t lun, TimePs at) const override {
    return dies_[lun].timeline().still_to_do(at);
  }
  std::uint32_t luns() const { return static_cast<std::uint32_t>(dies_.size()); }
  const Die& die(std::uint32_t lun) const { return dies_[lun]; }
  std::uint32_t erase_count(std::uint32_t lun, std::uint32_t plane, std::uint32_t block) const override {
    return dies_[lun].cells().store().block(plane, block).erase_count;
  }
  void announce_power_cut(TimePs at) override { context_.power_cut_at = at; }
  void cut_power() override;
  void serialise(StateVisitor& state) override;
  /// Bytes that page contents take so far.
  std::uint64_t allocated_bytes() const;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;
  bool take_tenure(std::uint32_t chip, OnfiTenure& tenure, TimePs start, TimePs& end) override;
  bool execute(AccessMode mode, OnfiTenure& tenure);
  bool execute_before_cut(OnfiTenure& tenure);
  void on_refusal(const Refusal& refusal) override;
  void report(const Refusal& refusal, std::uint64_t count) const;

  NandConfig config_;
  PackageContext context_;
  std::vector<Die> dies_;
  TargetRegisters registers_;
  CommandIndex commands_;
  std::array<Decoder, kAccessModes> decoders_;
};

} // namespace twinplane::hw
