// The signals of one VCD that the scope lets through: what bus, die and pin recorders declare and change.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/waves/vcd_writer.h"
#include "platform/waves/wave_codes.h"
#include "platform/waves/wave_selection.h"

namespace twinplane::platform {

class WaveSignals {
 public:
  using Signal = std::optional<VcdWriter::Signal>; // nullopt: outside the scope

  /// `module`: the drive's hierarchical name, with which all names begin.
  WaveSignals(const std::filesystem::path& file, std::string_view scope, const WaveWindow& window,
              std::string_view module)
      : vcd_(file, window), scope_(scope, module), module_(module) {}

  const std::string& module() const { return module_; }
  std::string channel(std::uint32_t number) const { return module_ + ".ch" + std::to_string(number); }

  /// Before start(): see VcdWriter.
  Signal wire(const std::string& name, std::uint32_t bits, WaveValue initial) {
    if (!scope_.matches(name)) return std::nullopt;
    names_.push_back(bits == 1 ? name : name + "[" + std::to_string(bits - 1) + ":0]");
    return vcd_.add_wire(name, bits, initial);
  }
  Signal idle_wire(const std::string& name) {
    if (!scope_.matches(name)) return std::nullopt;
    names_.push_back(name);
    return vcd_.add_idle_wire(name);
  }

  void put(const Signal& signal, TimePs at, WaveValue value) {
    if (signal) vcd_.change(*signal, at, value);
  }
  void adjust(const Signal& signal, TimePs at, std::int32_t by) {
    if (signal) vcd_.adjust(*signal, at, by);
  }
  bool outside(TimePs start, TimePs end) const {
    return start > vcd_.window().end || end < vcd_.window().begin;
  }

  VcdWriter& vcd() { return vcd_; }
  const VcdWriter& vcd() const { return vcd_; }
  const WaveScope& scope() const { return scope_; }
  /// As viewers call them, with bit ranges, in order of declaration.
  const std::vector<std::string>& names() const { return names_; }

 private:
  VcdWriter vcd_;
  WaveScope scope_;
  std::string module_;
  std::vector<std::string> names_;
};

} // namespace twinplane::platform
