// The signals of one drive that the scope lets through: what bus, die and pin recorders declare and change.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/observe/waves/wave_codes.h"
#include "platform/observe/waves/wave_selection.h"
#include "platform/observe/waves/wave_writer.h"

namespace twinplane::platform {

class WaveSignals {
 public:
  using Signal = std::optional<WaveWriter::Signal>; // nullopt: outside the scope

  /// `module`: the drive's hierarchical name, with which all names begin.
  WaveSignals(WaveWriter& writer, std::string_view scope, std::string_view module)
      : writer_(writer), scope_(scope, module), module_(module) {}

  const std::string& module() const { return module_; }
  std::string channel(std::uint32_t number) const { return module_ + ".ch" + std::to_string(number); }

  /// Before start(): see WaveWriter.
  Signal wire(const std::string& name, std::uint32_t bits, WaveValue initial) {
    if (!scope_.matches(name)) return std::nullopt;
    names_.push_back(bits == 1 ? name : name + "[" + std::to_string(bits - 1) + ":0]");
    return writer_.add_wire(name, bits, initial);
  }
  Signal idle_wire(const std::string& name) {
    if (!scope_.matches(name)) return std::nullopt;
    names_.push_back(name);
    return writer_.add_idle_wire(name);
  }

  /// Is `name` in the scope?
  bool selects(const std::string& name) { return scope_.matches(name); }
  /// Never in the file, for a text to follow.
  Signal hidden_wire(std::uint32_t bits, WaveValue initial) { return writer_.add_hidden_wire(bits, initial); }
  /// A wire that `text` may follow: outside the scope it is there, but not in the file.
  Signal followed_wire(const std::string& name, std::uint32_t bits, WaveValue initial, bool text) {
    const Signal signal = wire(name, bits, initial);
    return signal || !text ? signal : hidden_wire(bits, initial);
  }
  void text(const std::string& name, const std::array<Signal, WaveTexts::kSources>& sources,
            WaveTexts::Compose compose) {
    std::array<WaveWriter::Signal, WaveTexts::kSources> signals{};
    std::transform(sources.begin(), sources.end(), signals.begin(),
                   [](const Signal& s) { return s.value(); });
    names_.push_back(name);
    writer_.add_text(name, signals, std::move(compose));
  }

  void put(const Signal& signal, TimePs at, WaveValue value) {
    if (signal) writer_.change(*signal, at, value);
  }
  void adjust(const Signal& signal, TimePs at, std::int32_t by) {
    if (signal) writer_.adjust(*signal, at, by);
  }
  bool outside(TimePs start, TimePs end) const {
    return start > writer_.window().end || end < writer_.window().begin;
  }

  WaveWriter& writer() { return writer_; }
  const WaveScope& scope() const { return scope_; }
  /// As viewers call them, with bit ranges, in order of declaration.
  const std::vector<std::string>& names() const { return names_; }

 private:
  WaveWriter& writer_;
  WaveScope scope_;
  std::string module_;
  std::vector<std::string> names_;
};

} // namespace twinplane::platform
