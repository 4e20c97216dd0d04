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

#include "firmware/ftl/features/journal/journal.h"
#include "firmware/ftl/features/lower_pages/lower_pages.h"
#include "firmware/ftl/gc/collector.h"
#include "firmware/ftl/io/commits.h"
#include "firmware/ftl/state.h"

namespace twinplane::fw {

class Purge {
 public:
  struct Parts {
    FtlState* state;
    Collector* collector;
    Journal* journal;
    LowerPages* lower_pages;
    Commits* commits;
  };
  /// Buffers with data of the host, in device DRAM.
  struct Buffers {
    std::uint32_t begin = 0;
    std::uint32_t bytes = 0;
  };
  void boot(const Parts& parts, Buffers buffers) {
    parts_ = parts;
    buffers_ = buffers;
  }

  [[nodiscard]] bool busy() const { return request_ != nullptr; }
  /// Commits::purged() follows.
  void begin(Request& request);
  /// True when something may go on.
  bool run();
  /// Of the blocks to erase those that have been, in 65536ths.
  [[nodiscard]] std::uint16_t progress() const;

 private:
  enum class Step : std::uint8_t { settling, blocks, copies };

  [[nodiscard]] bool quiet() const;
  [[nodiscard]] std::uint32_t blocks_left() const;
  void end(std::uint16_t status);

  Parts parts_{};
  Buffers buffers_;
  Request* request_ = nullptr;
  Step step_ = Step::settling;
  std::uint32_t blocks_ = 0; // to erase, at the beginning
};

} // namespace twinplane::fw
