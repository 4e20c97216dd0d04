#include "hw/channel/arbiter.h"

namespace twinplane::hw {

namespace {

/// Lengths by kind, shorter first: a status command; three, then five address cycles; at most one page
/// of data; at least one page, mostly one of each plane.
constexpr std::uint32_t rank(TenureKind kind) {
  switch (kind) {
    case TenureKind::status:
      return 0;
    case TenureKind::other:
      return 1;
    case TenureKind::erase:
      return 2;
    case TenureKind::read_command:
      return 3;
    case TenureKind::data_out:
      return 4;
    case TenureKind::program:
      break;
  }
  return 5;
}

/// The mean wait for the bus is least when short tenures go first; long ones may wait without bound.
class ShortestTenureFirst final : public Arbiter {
 public:
  std::size_t pick(const BusRequest* requests, std::size_t count) override {
    std::size_t best = 0;
    for (std::size_t i = 1; i < count; ++i) {
      if (before(requests[i], requests[best])) best = i;
    }
    return best;
  }

 private:
  static bool before(const BusRequest& a, const BusRequest& b) {
    if (rank(a.kind) != rank(b.kind)) return rank(a.kind) < rank(b.kind);
    return a.since != b.since ? a.since < b.since : a.die < b.die;
  }
};

} // namespace

std::unique_ptr<Arbiter> make_shortest_tenure_first_arbiter() {
  return std::make_unique<ShortestTenureFirst>();
}

} // namespace twinplane::hw
