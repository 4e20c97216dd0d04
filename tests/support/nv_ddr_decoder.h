// Reads the pins of channel 0 of an NV-DDR bus back from a VCD. It knows the interface and nothing of the
// model.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "hw/spec/sim_time.h"
#include "tests/support/vcd_file.h"

namespace twinplane::test {

inline std::string hex(std::uint64_t byte) {
  const char* const digits = "0123456789ABCDEF";
  return {digits[byte >> 4 & 15], digits[byte & 15]};
}

/// What is latched, in words: "c60 a12 a34 a05 cD0", "i" and "o" for bytes in and out; and where.
class NvDdrDecoder {
 public:
  using Changes = VcdFile::Changes;

  NvDdrDecoder(const VcdFile& file, std::uint32_t chip) : file_(file) {
    const std::string select = "ce" + std::to_string(chip) + "_n";
    for (const TimePs at : edges("we_n", true)) {
      const bool cle = level("cle", at) == "1";
      const bool ale = level("ale", at) == "1";
      if (level(select, at) != "0") ADD_FAILURE() << "the clock runs without CE# at " << at;
      if (cle && ale) {
        data_cycles.push_back(at);
      } else if (cle || ale) {
        latches.push_back(at);
        transcript[at] = (cle ? "c" : "a") + byte(at);
      }
    }
    for (const TimePs at : edges("dqs", false)) {
      bytes.push_back(at);
      transcript[at] = (level("re_n", at) == "1" ? "i" : "o") + byte(at);
    }
  }
  std::string text() const {
    std::string out;
    for (const auto& [at, what] : transcript) out += (out.empty() ? "" : " ") + what;
    return out;
  }
  std::string level(const std::string& pin, TimePs at) const {
    const auto change = behind(pin, at);
    return change == changes(pin).begin() ? "" : std::prev(change)->second;
  }
  const Changes& changes(const std::string& pin) const { return file_.of(name(pin)); }
  /// Between 0 and 1: to 1 only, or both ways.
  std::vector<TimePs> edges(const std::string& pin, bool rising) const {
    std::vector<TimePs> out;
    const Changes& all = changes(pin);
    for (std::size_t i = 1; i < all.size(); ++i) {
      const std::string from = all[i - 1].second;
      const std::string to = all[i].second;
      const bool edge = (from == "0" && to == "1") || (from == "1" && to == "0");
      if (edge && (!rising || to == "1")) out.push_back(all[i].first);
    }
    return out;
  }
  /// Time since the pin's last change at or before `at`, and to its next one behind it.
  TimePs stable_before(const std::string& pin, TimePs at) const {
    const auto change = behind(pin, at);
    return change == changes(pin).begin() ? at : at - std::prev(change)->first;
  }
  TimePs stable_after(const std::string& pin, TimePs at) const {
    const auto change = behind(pin, at);
    return change == changes(pin).end() ? kNever : change->first - at;
  }

  std::vector<TimePs> latches, data_cycles, bytes;
  std::map<TimePs, std::string> transcript;

 private:
  Changes::const_iterator behind(const std::string& pin, TimePs at) const {
    const Changes& all = changes(pin);
    return std::upper_bound(all.begin(), all.end(), at,
                            [](TimePs time, const auto& change) { return time < change.first; });
  }
  static std::string name(const std::string& pin) { return std::string("ssd.ch0.pins.") + pin; }
  std::string byte(TimePs at) const {
    const std::string value = level("dq", at);
    return value == "x" || value == "z" ? value : hex(std::stoull(value, nullptr, 2));
  }
  const VcdFile& file_;
};

} // namespace twinplane::test
