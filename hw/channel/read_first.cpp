#include "hw/channel/arbiter.h"

namespace twinplane::hw {

namespace {

/// Rank of a tenure, lower first. A read command is short and lets an array work; read data is what a
/// host waits for; erases and status are short; program data is long and nobody waits for it.
constexpr std::uint32_t rank(TenureKind kind) {
  switch (kind) {
    case TenureKind::read_command:
      return 0;
    case TenureKind::data_out:
      return 1;
    case TenureKind::status:
      return 2;
    case TenureKind::other:
      return 3;
    case TenureKind::erase:
      return 4;
    case TenureKind::program:
      break;
  }
  return 5;
}

/// Best rank; among equals the one that waits longest, then the lowest die. A steady stream of reads
/// keeps programs waiting: that is the policy's meaning.
class ReadFirst final : public Arbiter {
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

std::unique_ptr<Arbiter> make_read_first_arbiter() {
  return std::make_unique<ReadFirst>();
}

} // namespace twinplane::hw
