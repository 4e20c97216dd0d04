// Erases every block that has held data of the host (RequestKind::purge), and the buffers in device DRAM.
//
// All logical pages are unmapped then, so no block has a valid page: those that are being filled are closed
// and all are collected like any others, whatever space there is; copies of lower pages go behind them. What
// is left are pages of metadata, which have no data of the host. A block whose last erase has failed is
// retired and holds nothing any more either.
//
// A power cut leaves nothing to be told: what has been erased is erased.
#pragma once

#include <cstdint>

#include "firmware/ftl/hooks.h"

namespace twinplane::fw {

class Purge final : public Feature {
 public:
  std::uint32_t hooks() const override { return hook_set(Hook::request); }
  void boot(BootMemory& memory, const Pipeline& pipeline) override;
  /// Commits::executed() follows.
  void begin(Request& request) override;
  bool step(bool admits) override;
  /// Of the blocks to erase those that have been.
  [[nodiscard]] std::uint16_t progress() const override;

 private:
  enum class Step : std::uint8_t { settling, blocks, copies };

  [[nodiscard]] bool quiet() const;
  [[nodiscard]] std::uint32_t blocks_left() const;
  void end(std::uint16_t status);

  FtlState* state_ = nullptr;
  Collector* collector_ = nullptr;
  HostPath* host_ = nullptr;
  Request* request_ = nullptr;
  Step step_ = Step::settling;
  std::uint32_t blocks_ = 0; // to erase, at the beginning
};

} // namespace twinplane::fw
