// The ECC engine of one channel.
//
//   stage  export: what the flash controller calls (EccStage in hw/controller/ecc.h). The engine says at once
//          how long a decoding takes, counted from the last byte on the bus; engines that several channels
//          share book their time like any other resource (hw/core/reservation.h).
#pragma once

#include <memory>
#include <systemc>

#include "hw/controller/ecc.h"
#include "hw/core/block.h"

namespace twinplane::hw {

class EccBlock : public Block {
 public:
  sc_core::sc_export<EccStage> stage{"stage"};

  /// Time in which the engine could take in nothing else.
  [[nodiscard]] virtual TimePs busy() const = 0;

 protected:
  using Block::Block;
};

/// The engine of the configuration.
class EccModule final : public EccBlock {
 public:
  EccModule(const sc_core::sc_module_name& name, const EccConfig& config)
      : EccBlock(name), stage_(make_ecc(config)) {
    stage.bind(*stage_);
  }
  bool has_external_events() const override { return false; }
  TimePs busy() const override { return stage_->busy(); }

 private:
  std::unique_ptr<EccStage> stage_;
};

} // namespace twinplane::hw
