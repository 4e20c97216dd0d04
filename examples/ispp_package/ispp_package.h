// A flash package whose program time is not known in advance, not even to the die: incremental step pulse
// programming. Each LUN gives pulse after pulse, verifies after each, and is ready when the cells have taken
// the data, which is drawn. So a tenure that programs is answered with ready_at = kNever, and R/B# rises by
// an event of this package.
//
// It takes the command sequences in their short form (hw/core/onfi_tenure.h) and, as raw cycles, resets and
// what boot asks of a target: ID, parameter page, features. Its interface stays as configured. It has no
// cache commands, no suspension, no SLC mode and no passes over wordlines (nand.one_pass, which it refuses), and
// enforces no order of pages: leave these off in the configuration.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "hw/core/target_socket.h"
#include "hw/nand/nand_config.h"
#include "hw/nand/package_block.h"
#include "hw/nand/target_registers.h"

namespace examples {

namespace hw = twinplane::hw;

class IsppPackage final : public hw::PackageBlock, private hw::BlockingTarget<hw::OnfiProtocol> {
 public:
  /// Of `config`: geometry, array times (a pulse takes a quarter of tPROG), data mode, and who it is.
  IsppPackage(const sc_core::sc_module_name& name, const hw::NandConfig& config);

  void attach(hw::NandObserver& observer) override { observers_.push_back(&observer); }
  const hw::NandStatistics& statistics() const override { return statistics_; }
  std::uint32_t erase_count(std::uint32_t lun, std::uint32_t plane, std::uint32_t block) const override;

 private:
  struct Page {
    std::vector<std::uint8_t> payload;
    std::uint64_t oob = 0;
  };
  /// What a LUN works on.
  struct Lun {
    std::vector<std::uint32_t> rows; // one per plane
    hw::PlaneState state = hw::PlaneState::idle;
    twinplane::TimePs start = 0;
    twinplane::TimePs ready_at = 0; // kNever while it gives pulses
    sc_core::sc_event begin;
    std::map<std::uint32_t, std::uint32_t> page_register; // row by plane
  };

  // the bus
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;
  void execute(hw::OnfiTenure& tenure, bool timed);
  void raw(hw::OnfiTenure& tenure);
  void command(const hw::OnfiPhase& phase);
  void store(const hw::OnfiPhase& phase);
  void answer(hw::OnfiPhase& phase);
  // the cells
  void program(const hw::OnfiPlane& plane, bool timed);
  void erase(std::uint32_t row, bool timed);
  void data_out(hw::OnfiPlane& plane);
  // the array
  void start(hw::OnfiTenure& tenure, hw::PlaneState state);
  void pulses(std::uint32_t lun);
  void announce(std::uint32_t lun, twinplane::TimePs from, twinplane::TimePs to, bool further);
  void tell_ready(std::uint32_t lun, bool ready, twinplane::TimePs at);
  twinplane::PageType type_of(std::uint32_t row) const;
  std::uint32_t block_of(std::uint32_t row) const { return row >> rows_.page_bits; }

  hw::NandConfig config_;
  twinplane::RowLayout rows_;
  std::shared_ptr<const twinplane::PageOrderTable> order_;
  std::uint32_t stride_;                          // bytes of a sector that are really moved
  std::map<std::uint32_t, Page> pages_;           // by row; erased ones are not there
  std::map<std::uint32_t, std::uint32_t> erases_; // by row without its page
  std::vector<std::unique_ptr<Lun>> luns_;
  hw::NandStatistics statistics_;
  std::vector<hw::NandObserver*> observers_;
  // the target
  hw::TargetRegisters registers_; // what our own package answers, too
  std::uint8_t asked_ = 0;        // opcode whose address or answer is to come
  std::uint8_t address_ = 0;
  bool status_ = false; // 70h came last
  twinplane::TimePs target_ready_at_ = 0;
  std::mt19937_64 random_;
};

} // namespace examples
