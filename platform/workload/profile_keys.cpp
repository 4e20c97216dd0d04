#include "platform/workload/profile_keys.h"

#include <optional>

#include "platform/config/units.h"
#include "platform/workload/address/address_model.h"
#include "platform/workload/arrival/arrival_model.h"
#include "platform/workload/size/size_model.h"

namespace twinplane::platform {
namespace {

using Type = Literal::Type;

constexpr std::uint64_t kLargestRequest = std::uint64_t{1} << 30;
constexpr std::uint64_t kLongestBurst = 3600ull * 1'000'000'000'000; // ps
constexpr std::uint64_t kLargestSpace = std::uint64_t{1} << 50;

// --- values: nullopt when the literal is no such thing -------------------------------------------------

std::optional<std::uint64_t> count(const Literal& l, std::uint64_t least, std::uint64_t most) {
  if (l.type != Type::integer || l.integer < 0) return std::nullopt;
  const auto value = static_cast<std::uint64_t>(l.integer);
  if (value < least || value > most) return std::nullopt;
  return value;
}

std::optional<double> real(const Literal& l, double least, double most) {
  const double value = l.type == Type::integer ? static_cast<double>(l.integer) : l.real;
  if ((l.type != Type::integer && l.type != Type::real) || !(value >= least && value <= most)) {
    return std::nullopt;
  }
  return value;
}

std::optional<double> share(const Literal& l) {
  if (l.type != Type::text) return real(l, 0.0, 1.0);
  const auto value = parse_fraction(l.text);
  return value && *value >= 0.0 && *value <= 1.0 ? value : std::nullopt;
}

std::optional<std::uint64_t> size(const Literal& l, std::uint64_t least, std::uint64_t most) {
  if (l.type == Type::integer) return count(l, least, most);
  if (l.type != Type::text) return std::nullopt;
  const auto value = parse_quantity(Dimension::size, l.text);
  return value && *value >= least && *value <= most ? value : std::nullopt;
}

/// Calls `take(first, second)` for each pair of a list; false when one is no pair or not taken.
template <typename Take>
bool pairs(const Literal& l, Take take) {
  if (l.type != Type::list || l.items.empty()) return false;
  for (const Literal& item : l.items) {
    if (item.type != Type::list || item.items.size() != 2 || !take(item.items[0], item.items[1]))
      return false;
  }
  return true;
}

template <typename T, typename Value>
bool store(T& target, const std::optional<Value>& value) {
  if (value) target = static_cast<T>(*value);
  return value.has_value();
}

bool store_text(std::string& target, const Literal& l) {
  if (l.type == Type::text) target = l.text;
  return l.type == Type::text;
}

template <typename Rows>
bool store_name(std::string& target, const Literal& l, const Rows& rows) {
  for (const auto& row : rows) {
    if (l.type == Type::text && l.text == row.name) return store_text(target, l);
  }
  return false;
}

bool store_sizes(std::vector<SizeWeight>& mix, const Literal& l) {
  mix.clear();
  double sum = 0.0;
  const bool good = pairs(l, [&](const Literal& bytes, const Literal& weight) {
    const auto b = size(bytes, 1, kLargestRequest);
    const auto w = real(weight, 0.0, 1e12);
    if (!b || !w) return false;
    mix.push_back({static_cast<std::uint32_t>(*b), *w});
    sum += *w;
    return true;
  });
  return good && sum > 0.0;
}

bool store_regions(std::vector<Zone>& regions, const Literal& l) {
  regions.clear();
  double requests = 0.0;
  double space = 0.0;
  const bool good = pairs(l, [&](const Literal& a, const Literal& s) {
    const auto access = real(a, 0.0, 100.0);
    const auto percent = real(s, 1e-9, 100.0);
    if (!access || !percent) return false;
    regions.push_back({*access, *percent});
    requests += *access;
    space += *percent;
    return true;
  });
  const auto whole = [](double sum) { return sum > 100.0 - 1e-7 && sum < 100.0 + 1e-7; };
  return good && whole(requests) && whole(space);
}

bool store_histogram(std::vector<HistogramPoint>& curve, const Literal& l) {
  curve.clear();
  return pairs(l, [&](const Literal& addresses, const Literal& requests) {
    const auto a = count(addresses, 1, Profile::kMostRequests);
    const auto r = count(requests, 1, Profile::kMostRequests);
    if (!a || !r || *r < *a) return false;
    if (!curve.empty() && (*a <= curve.back().addresses || *r <= curve.back().requests)) return false;
    curve.push_back({*a, *r});
    return true;
  });
}

// --- rows ----------------------------------------------------------------------------------------------

constexpr std::string_view kShare = "a share such as \"70%\" or 0.7";
constexpr std::string_view kSize = "a size such as \"4KiB\" or \"2GiB\"";

void add_whole(std::vector<ProfileKey>& keys) {
  keys.insert(
      keys.end(),
      {{"name", "a text", "name, for messages and reports",
        [](Profile& p, const Literal& l) { return store_text(p.name, l); }},
       {"summary", "a text", "what it stands for, in one line",
        [](Profile& p, const Literal& l) { return store_text(p.summary, l); }},
       {"requests", "a whole number from 1 to 2^32", "reads and writes of the whole trace",
        [](Profile& p, const Literal& l) { return store(p.requests, count(l, 1, Profile::kMostRequests)); }},
       {"writes", kShare, "share of the requests that write",
        [](Profile& p, const Literal& l) { return store(p.writes, share(l)); }},
       {"footprint", kSize, "span of the addresses",
        [](Profile& p, const Literal& l) { return store(p.footprint, size(l, 512, kLargestSpace)); }},
       {"offset", kSize, "first byte of the footprint",
        [](Profile& p, const Literal& l) { return store(p.offset, size(l, 0, kLargestSpace)); }},
       {"seed", "a whole number", "seed of everything random; --seed replaces it",
        [](Profile& p, const Literal& l) { return store(p.seed, count(l, 0, ~std::uint64_t{0} >> 1)); }},
       {"arrival.model", "a name of `twinplane list profiles`", "process of the arrival times",
        [](Profile& p, const Literal& l) { return store_name(p.arrival.model, l, arrival_models()); }},
       {"arrival.rate", "requests per second, above 0 and up to 1e9", "mean rate",
        [](Profile& p, const Literal& l) { return store(p.arrival.rate, real(l, 1e-9, 1e9)); }},
       {"arrival.bias", "a share from 0.5 to 0.999",
        "b_model: share of an interval's requests in its busier half",
        [](Profile& p, const Literal& l) { return store(p.arrival.bias, real(l, 0.5, 0.999)); }},
       {"arrival.burst_rate", "a number from 1 to 1e6", "mmpp: rate in bursts, as a multiple of the mean",
        [](Profile& p, const Literal& l) { return store(p.arrival.burst_rate, real(l, 1.0, 1e6)); }},
       {"arrival.burst_share", "a share from 1e-6 to 0.999", "mmpp: share of the time in bursts",
        [](Profile& p, const Literal& l) {
          const auto value = share(l);
          return value && *value >= 1e-6 && *value <= 0.999 && store(p.arrival.burst_share, value);
        }},
       {"arrival.burst_length", "a time such as \"10ms\", up to an hour", "mmpp: mean length of a burst",
        [](Profile& p, const Literal& l) {
          const auto ps = l.type == Type::text ? parse_quantity(Dimension::time, l.text) : std::nullopt;
          if (!ps || *ps < 1000 || *ps > kLongestBurst) return false;
          p.arrival.burst_length_ns = *ps / 1000;
          return true;
        }}});
}

/// The same rows for reads and writes; `K` says whose.
template <KindSpec Profile::*K>
void add_sizes(std::vector<ProfileKey>& keys, const std::vector<std::string_view>& names) {
  keys.insert(keys.end(),
              {{names[0], "mix or uniform", "model of the request sizes",
                [](Profile& p, const Literal& l) { return store_name((p.*K).size.model, l, size_models()); }},
               {names[1], "a list of [size, weight] such as [[\"4KiB\", 70], [\"64KiB\", 30]]",
                "mix: sizes and weights",
                [](Profile& p, const Literal& l) { return store_sizes((p.*K).size.mix, l); }},
               {names[2], kSize, "uniform: smallest request",
                [](Profile& p, const Literal& l) {
                  return store((p.*K).size.smallest, size(l, 512, kLargestRequest));
                }},
               {names[3], kSize, "uniform: largest request", [](Profile& p, const Literal& l) {
                  return store((p.*K).size.largest, size(l, 512, kLargestRequest));
                }}});
}

template <KindSpec Profile::*K>
void add_addresses(std::vector<ProfileKey>& keys, const std::vector<std::string_view>& names) {
  keys.insert(
      keys.end(),
      {{names[0], "uniform, zipf, hot, histogram or update", "model of the start addresses",
        [](Profile& p, const Literal& l) { return store_name((p.*K).address.model, l, address_models()); }},
       {names[1], kSize, "start addresses are multiples of this",
        [](Profile& p, const Literal& l) {
          return store((p.*K).address.align, size(l, 1, kLargestRequest));
        }},
       {names[2], "a whole number", "distinct start addresses of the whole trace; 0 = as many as fit",
        [](Profile& p, const Literal& l) {
          return store((p.*K).address.addresses, count(l, 0, Profile::kMostRequests));
        }},
       {names[3], "a number above 0 and up to 20", "zipf: exponent",
        [](Profile& p, const Literal& l) { return store((p.*K).address.theta, real(l, 1e-6, 20.0)); }},
       {names[4], "a list of [percent of requests, percent of space], both adding up to 100",
        "hot: regions by address",
        [](Profile& p, const Literal& l) { return store_regions((p.*K).address.regions, l); }},
       {names[5], "a list of [addresses, requests], both rising, at least one request for each address",
        "histogram: requests that go to the most used addresses, cumulated",
        [](Profile& p, const Literal& l) { return store_histogram((p.*K).address.histogram, l); }},
       {names[6], kShare, "update: share that goes to addresses used before",
        [](Profile& p, const Literal& l) { return store((p.*K).address.updates, share(l)); }},
       {names[7], kShare, "share of requests that start where the last of their kind ended",
        [](Profile& p, const Literal& l) { return store((p.*K).address.sequential, share(l)); }}});
}

std::vector<ProfileKey> make_keys() {
  std::vector<ProfileKey> keys;
  add_whole(keys);
  add_sizes<&Profile::read>(keys, {"read.size", "read.sizes", "read.smallest", "read.largest"});
  add_addresses<&Profile::read>(keys, {"read.address", "read.align", "read.addresses", "read.theta",
                                       "read.regions", "read.histogram", "read.updates", "read.sequential"});
  add_sizes<&Profile::write>(keys, {"write.size", "write.sizes", "write.smallest", "write.largest"});
  add_addresses<&Profile::write>(
      keys, {"write.address", "write.align", "write.addresses", "write.theta", "write.regions",
             "write.histogram", "write.updates", "write.sequential"});
  return keys;
}

} // namespace

const std::vector<ProfileKey>& profile_keys() {
  static const std::vector<ProfileKey> kKeys = make_keys();
  return kKeys;
}

const ProfileKey* find_profile_key(std::string_view key) {
  for (const ProfileKey& row : profile_keys()) {
    if (row.key == key) return &row;
  }
  return nullptr;
}

} // namespace twinplane::platform
