// Strings that follow signals: what a plane does, in words, from what its signals say.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/observe/waves/vcd_text.h"

namespace twinplane::platform {

class WaveTexts {
 public:
  static constexpr std::size_t kRoom = 48; // characters of a text
  static constexpr std::size_t kSources = 6;
  using Values = std::array<WaveValue, kSources>;
  /// Writes at most kRoom printable characters other than a space, as VCD has it, and says how many. It
  /// depends on the values of the sources alone.
  using Compose = std::function<std::size_t(char* out, const Values& values)>;

  /// Returns its number, from 1 on.
  std::uint32_t add(std::uint32_t signal, const std::array<std::uint32_t, kSources>& sources,
                    Compose compose) {
    texts_.push_back({signal, sources, std::move(compose), false});
    return static_cast<std::uint32_t>(texts_.size());
  }
  /// A source of it has changed. 0: of none.
  void touch(std::uint32_t number) {
    if (number == 0 || texts_[number - 1].stale) return;
    texts_[number - 1].stale = true;
    stale_.push_back(number - 1);
  }
  std::size_t stale() const { return stale_.size(); }

  /// Calls put(signal, text) for those whose sources have changed since the last call, in the order of the
  /// first change; value(signal) tells what a source has now.
  template <typename Value, typename Put>
  void renew(Value&& value, Put&& put) {
    for (const std::uint32_t number : stale_) {
      Text& text = texts_[number];
      Values values{};
      for (std::size_t i = 0; i < kSources; ++i) values[i] = value(text.sources[i]);
      char buffer[kRoom];
      put(text.signal, std::string_view(buffer, text.compose(buffer, values)));
      text.stale = false;
    }
    stale_.clear();
  }

 private:
  struct Text {
    std::uint32_t signal;
    std::array<std::uint32_t, kSources> sources;
    Compose compose;
    bool stale;
  };

  std::vector<Text> texts_;
  std::vector<std::uint32_t> stale_;
};

} // namespace twinplane::platform
