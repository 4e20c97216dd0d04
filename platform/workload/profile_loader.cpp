#include "platform/workload/profile_loader.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "platform/config/error.h"
#include "platform/config/nearest.h"
#include "platform/config/toml_source.h"
#include "platform/config/units.h"
#include "platform/workload/profile_keys.h"
#include "platform/workload/size/size_model.h"

namespace twinplane::platform {
namespace {

std::string read_file(const std::string& path) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (in) text << in.rdbuf(); // a folder opens, and fails here
  if (!in.is_open() || text.fail()) {
    const int error = errno;
    throw InputError(path +
                     ": cannot read the profile: " + (error != 0 ? std::strerror(error) : "it is empty"));
  }
  return text.str();
}

std::string unknown_key(const std::string& key) {
  std::vector<std::string> names;
  for (const ProfileKey& row : profile_keys()) names.emplace_back(row.key);
  const std::string near = nearest(key, names);
  return key + ": unknown key" + (near.empty() ? "" : "; did you mean " + near + "?");
}

/// Reads one profile and collects everything that is wrong with it.
class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)) {}

  Profile read(std::string_view text, const std::vector<std::string>& changes) {
    for (const TomlEntry& entry : read_toml(text, file_)) take(entry);
    for (const std::string& change : changes) take_change(change);
    if (problems_.empty()) check();
    if (!problems_.empty()) throw InputError(problems_);
    finish();
    return profile_;
  }

 private:
  void take(const TomlEntry& entry) {
    const ProfileKey* row = find_profile_key(entry.key);
    lines_[entry.key] = entry.line;
    if (row == nullptr) {
      complain(entry.key, unknown_key(entry.key));
    } else if (!row->set(profile_, entry.value)) {
      complain(entry.key,
               entry.key + ": expected " + std::string(row->expected) + ", got " + to_string(entry.value));
    }
  }

  void take_change(const std::string& change) {
    const std::size_t equals = change.find('=');
    if (equals == std::string::npos) {
      changed_.insert(change);
      complain(change, "expected KEY=VALUE, got " + change);
      return;
    }
    const std::string key = change.substr(0, equals);
    changed_.insert(key);
    take({key, read_toml_value(std::string_view(change).substr(equals + 1)), 0});
  }

  void check() {
    for (const char* key : {"requests", "writes", "footprint"}) {
      if (lines_.count(key) == 0) complain(key, std::string(key) + ": missing");
    }
    if (profile_.writes < 1.0) check_kind("read.", profile_.read);
    if (profile_.writes > 0.0) check_kind("write.", profile_.write);
    const ArrivalSpec& a = profile_.arrival;
    if (a.model != "none" && !(a.rate > 0.0)) {
      complain("arrival.model",
               "arrival.rate: expected requests per second for arrival.model = \"" + a.model + "\"");
    }
    if (a.model == "mmpp" && a.burst_rate * a.burst_share > 1.0) {
      complain("arrival.burst_rate",
               "arrival.burst_rate: expected at most 1 / arrival.burst_share (bursts hold no more than all)");
    }
  }

  void check_kind(const std::string& prefix, const KindSpec& kind) {
    const SizeSpec& size = kind.size;
    if (size.model == "uniform" && size.largest < size.smallest) {
      complain(prefix + "largest", prefix + "largest: expected at least " + prefix + "smallest");
    }
    const std::uint64_t needed = largest_bytes(size);
    if (profile_.footprint < needed) {
      complain("footprint", "footprint: expected at least the largest request of `" +
                                prefix.substr(0, prefix.size() - 1) + "`, " +
                                format_quantity(Dimension::size, needed));
    }
    const AddressSpec& address = kind.address;
    if (address.model == "histogram" && address.histogram.empty()) {
      complain(prefix + "address", prefix + "histogram: missing");
    }
    if (address.model == "hot" && address.regions.empty()) {
      complain(prefix + "address", prefix + "regions: missing");
    }
    check_curve(prefix + "histogram", address.histogram);
  }

  /// The most used addresses come first, so each piece of the curve rises less than the one before.
  void check_curve(const std::string& key, const std::vector<HistogramPoint>& curve) {
    HistogramPoint from;
    double steepest = 0.0;
    for (std::size_t i = 0; i < curve.size(); ++i) {
      const double rise = static_cast<double>(curve[i].requests - from.requests) /
                          static_cast<double>(curve[i].addresses - from.addresses);
      if (i > 0 && rise > steepest * (1.0 + 1e-9)) {
        complain(key, key + ": expected ever fewer requests for each address, but point " +
                          std::to_string(i + 1) + " rises faster than the one before");
        return;
      }
      steepest = rise;
      from = curve[i];
    }
  }

  void complain(const std::string& key, const std::string& what) {
    const auto line = lines_.find(key);
    std::string where = file_ + (line == lines_.end() ? "" : ":" + std::to_string(line->second));
    if (changed_.count(key) != 0) where = "--profile-set";
    problems_ += (problems_.empty() ? "" : "\n") + where + ": " + what;
  }

  void finish() {
    if (profile_.name.empty()) profile_.name = file_;
    const double requests = static_cast<double>(profile_.requests);
    use_curve(profile_.read.address, requests * (1.0 - profile_.writes));
    use_curve(profile_.write.address, requests * profile_.writes);
  }

  /// The curve may come from a shorter or longer record of the same load: each address is used as often.
  static void use_curve(AddressSpec& address, double requests) {
    if (address.model != "histogram") return;
    const HistogramPoint whole = address.histogram.back();
    const double exact =
        requests * static_cast<double>(whole.addresses) / static_cast<double>(whole.requests);
    address.addresses = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(exact)));
  }

  std::string file_;
  Profile profile_;
  std::map<std::string, std::size_t> lines_;
  std::set<std::string> changed_;
  std::string problems_;
};

bool is_path(const std::string& text) {
  constexpr std::string_view kEnding = ".toml";
  return text.find('/') != std::string::npos ||
         (text.size() > kEnding.size() && text.substr(text.size() - kEnding.size()) == kEnding);
}

} // namespace

Profile parse_profile(std::string_view text, const std::string& name,
                      const std::vector<std::string>& changes) {
  return Reader(name).read(text, changes);
}

Profile load_profile(const std::string& name_or_path, const std::vector<std::string>& changes) {
  if (is_path(name_or_path)) return parse_profile(read_file(name_or_path), name_or_path, changes);
  std::vector<std::string> names;
  for (const BuiltinProfile& builtin : builtin_profiles()) {
    if (name_or_path == builtin.name) return parse_profile(builtin.text, name_or_path + ".toml", changes);
    names.emplace_back(builtin.name);
  }
  const std::string near = nearest(name_or_path, names);
  throw InputError("--profile " + name_or_path + ": no built-in profile of that name" +
                   (near.empty() ? "" : "; did you mean " + near + "?") +
                   " (`twinplane list profiles` shows them; a file of your own ends with .toml)");
}

} // namespace twinplane::platform
