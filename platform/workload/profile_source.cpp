#include "platform/workload/profile_source.h"

#include <cmath>

#include "platform/workload/address/address_model.h"
#include "platform/workload/arrival/arrival_model.h"
#include "platform/workload/shuffled_bag.h"
#include "platform/workload/size/size_model.h"

namespace twinplane::platform {
namespace {

/// Requests of one kind: where and how large.
class KindStream {
 public:
  KindStream(const KindSpec& spec, std::uint64_t requests, std::uint64_t footprint, std::uint64_t seed)
      : spec_(spec.address),
        footprint_(footprint),
        positions_((footprint - largest_bytes(spec.size)) / spec.address.align + 1),
        addresses_(distinct_addresses(spec.address, requests, positions_)),
        size_(make_size_model(spec.size, requests)),
        address_(make_address_model(spec.address, {addresses_, requests, mix64(seed)})),
        size_random_(mix64(seed + 1)),
        address_random_(mix64(seed + 2)) {}

  void next(IoRecord& record) {
    record.length = size_->draw(size_random_);
    std::uint64_t at = cursor_;
    const bool goes_on = spec_.sequential > 0.0 && address_random_.uniform() < spec_.sequential;
    if (!goes_on || at + record.length > footprint_) at = place(address_->draw(address_random_));
    record.offset = at;
    cursor_ = at + record.length;
  }

 private:
  /// The addresses lie at equal distances all over the footprint.
  std::uint64_t place(std::uint64_t address) const {
    __extension__ using Wide = unsigned __int128;
    const auto position = static_cast<std::uint64_t>(static_cast<Wide>(address) * positions_ / addresses_);
    return position * spec_.align;
  }

  AddressSpec spec_;
  std::uint64_t footprint_;
  std::uint64_t positions_; // where a request of any size can start
  std::uint64_t addresses_;
  std::unique_ptr<SizeModel> size_;
  std::unique_ptr<AddressSampler> address_;
  Random size_random_;
  Random address_random_;
  std::uint64_t cursor_ = 0;
};

class ProfileSource final : public IoSource {
 public:
  explicit ProfileSource(const Profile& profile) : profile_(profile) { rewind(); }

  bool next(IoRecord& record) override {
    if (issued_ == profile_.requests) return false;
    ++issued_;
    record = IoRecord{};
    const bool write = state_->kinds.draw(state_->kind_random) == 1;
    record.op = write ? IoOp::write : IoOp::read;
    (write ? state_->writes : state_->reads).next(record);
    record.offset += profile_.offset;
    record.arrival_ns = state_->arrival->next(state_->arrival_random);
    return true;
  }

  void rewind() override {
    state_ = std::make_unique<State>(profile_);
    issued_ = 0;
  }

  void next_round() override {
    state_->arrival = make_arrival_model(profile_.arrival, profile_.requests);
    issued_ = 0;
  }

  bool rounds_differ() const override { return true; }
  std::uint64_t size_hint() const override { return profile_.requests; }

 private:
  struct State {
    explicit State(const Profile& p)
        : kinds({1.0 - p.writes, p.writes}, p.requests),
          reads(p.read, planned(0), p.footprint, mix64(p.seed + 100)),
          writes(p.write, planned(1), p.footprint, mix64(p.seed + 200)),
          arrival(make_arrival_model(p.arrival, p.requests)),
          kind_random(mix64(p.seed + 300)),
          arrival_random(mix64(p.seed + 400)) {}

    std::uint64_t planned(std::size_t kind) const { return std::max<std::uint64_t>(1, kinds.planned(kind)); }

    ShuffledBag kinds; // 0 read, 1 write
    KindStream reads;
    KindStream writes;
    std::unique_ptr<ArrivalModel> arrival;
    Random kind_random;
    Random arrival_random;
  };

  Profile profile_;
  std::unique_ptr<State> state_;
  std::uint64_t issued_ = 0;
};

} // namespace

std::unique_ptr<IoSource> make_profile_source(const Profile& profile) {
  return std::make_unique<ProfileSource>(profile);
}

} // namespace twinplane::platform
