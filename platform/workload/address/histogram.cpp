// A measured curve of how often addresses are used, replayed exactly in random order.
#include <algorithm>

#include "platform/workload/address/address_model.h"
#include "platform/workload/permutation.h"

namespace twinplane::platform {
namespace {

/// value * to / from, rounded; the product fits 128 bits.
std::uint64_t rescale(std::uint64_t value, std::uint64_t from, std::uint64_t to) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(value) * to + from / 2) / from);
}

/// Requests are numbered by the rank of their address, hottest first; a permutation of the numbers is the
/// order in which they are made. Between two points of the curve the requests are spread evenly.
class HistogramAddress final : public AddressSampler {
 public:
  HistogramAddress(const std::vector<HistogramPoint>& curve, const AddressRange& range)
      : order_(range.requests, mix64(range.seed)), scatter_(range.addresses, mix64(range.seed + 1)) {
    const HistogramPoint whole = curve.back();
    HistogramPoint done;
    for (const HistogramPoint& point : curve) {
      const HistogramPoint end{rescale(point.addresses, whole.addresses, range.addresses),
                               rescale(point.requests, whole.requests, range.requests)};
      // At a small scale several points fall on one address: it takes the requests of all.
      if (end.addresses == done.addresses || end.requests == done.requests) continue;
      pieces_.push_back({end.requests, done.requests, done.addresses, end.addresses - done.addresses});
      done = end;
    }
    if (!pieces_.empty()) stretch_last(range, done);
  }

  std::uint64_t draw(Random&) override {
    const std::uint64_t request = order_(next_);
    if (++next_ == order_.size()) next_ = 0;
    const auto piece = std::upper_bound(pieces_.begin(), pieces_.end(), request,
                                        [](std::uint64_t r, const Piece& p) { return r < p.end; });
    const std::uint64_t within = request - piece->first;
    return scatter_(piece->rank + within * piece->ranks / (piece->end - piece->first));
  }

 private:
  struct Piece {
    std::uint64_t end; // requests [first, end) go to addresses [rank, rank + ranks)
    std::uint64_t first;
    std::uint64_t rank;
    std::uint64_t ranks;
  };

  /// The last piece takes what rounding left over.
  void stretch_last(const AddressRange& range, const HistogramPoint& done) {
    pieces_.back().end = range.requests;
    pieces_.back().ranks += range.addresses - done.addresses;
  }

  Permutation order_;
  Permutation scatter_;
  std::vector<Piece> pieces_;
  std::uint64_t next_ = 0;
};

} // namespace

std::unique_ptr<AddressSampler> make_histogram_address(const AddressSpec& spec, const AddressRange& range) {
  return std::make_unique<HistogramAddress>(spec.histogram, range);
}

} // namespace twinplane::platform
