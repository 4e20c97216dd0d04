// An age limit over any arbiter: no die starves. A die that has waited for longer goes before all that have
// not, so it waits for the limit, the tenure that runs, and those that have waited even longer.
#include <utility>

#include "hw/channel/arbiter.h"

namespace twinplane::hw {

namespace {

class Aged final : public Arbiter {
 public:
  Aged(std::unique_ptr<Arbiter> arbiter, TimePs limit) : arbiter_(std::move(arbiter)), limit_(limit) {}

  std::size_t pick(const BusRequest* requests, std::size_t count, TimePs now) override {
    std::size_t oldest = 0;
    for (std::size_t i = 1; i < count; ++i) {
      if (before(requests[i], requests[oldest])) oldest = i;
    }
    return now > requests[oldest].since + limit_ ? oldest : arbiter_->pick(requests, count, now);
  }

 private:
  static bool before(const BusRequest& a, const BusRequest& b) {
    return a.since != b.since ? a.since < b.since : a.die < b.die;
  }

  std::unique_ptr<Arbiter> arbiter_;
  TimePs limit_;
};

} // namespace

std::unique_ptr<Arbiter> make_aged_arbiter(std::unique_ptr<Arbiter> arbiter, TimePs limit) {
  return std::make_unique<Aged>(std::move(arbiter), limit);
}

} // namespace twinplane::hw
