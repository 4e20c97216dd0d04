#include "firmware/ftl/features/lower_pages/wordline_progress.h"

namespace twinplane::fw {

std::uint32_t WordlineProgress::most_in_danger(const FtlConfig& config, const PageOrderTable& order) {
  std::uint32_t most = 0;
  std::uint32_t now = 0;
  for (std::uint32_t page = 0; page < order.pages(); ++page) {
    const bool upper = order.type(page) + 1u == order.types();
    now = upper ? now - (order.types() - 1) : now + 1;
    if (now > most) most = now;
  }
  return config.frontier == Frontier::shared ? most : 2 * most;
}

} // namespace twinplane::fw
