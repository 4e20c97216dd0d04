// Bits that flip: what a die notes of its cells' past for the model of bit errors, and what a read gets from it.
#pragma once

#include "hw/nand/array_command.h"
#include "hw/nand/cell_log.h"
#include "hw/nand/die_access.h"
#include "hw/nand/error_model.h"
#include "hw/nand/package_context.h"
#include "hw/nand/page_store.h"

namespace twinplane::hw {

/// A plane of an operation: where, and what it works on.
struct PlaneCells {
  const PlaneAddress& at;
  PageStore::Block& block;
  PageRegister& page;
};

class BitErrors {
 public:
  BitErrors(const PackageContext& context, std::uint32_t lun);

  /// Before a program changes the cells; `before`: the sectors that it finds programmed.
  void note_program(const ArrayCommand& command, const PlaneCells& cells, std::uint32_t before,
                    bool functional);
  void note_erase(const PlaneAddress& address) { log_.erase(address); }
  /// Of a read of the bus into `target`. Functional reads leave no trace and meet no errors.
  void add_noise(const ArrayCommand& command, const PlaneCells& cells, std::uint32_t read_level,
                 PageRegister& target);
  /// Wrong bits in sectors of what such a read has fetched. `sectors`, which have been copied from the register
  /// (null: they have not), get them. The register keeps what the cells hold: each transfer of it brings the
  /// same wrong bits.
  RawErrors of_transfer(const PageRegister& page, std::uint32_t mask, std::uint8_t* sectors) const;

  void serialise(StateVisitor& state);

 private:
  const PackageContext& context_;
  ErrorModel model_;
  CellLog log_;
};

} // namespace twinplane::hw
