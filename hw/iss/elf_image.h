// An executable of a 32-bit Arm core: what is to be loaded, and its names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/iss/line_table.h"

namespace twinplane::hw {

class ElfImage {
 public:
  struct Segment {
    std::uint32_t address = 0; // where it is loaded, which start-up code may copy it from
    std::vector<std::uint8_t> bytes;
  };
  struct Function {
    std::uint32_t address = 0;
    std::uint32_t bytes = 0;
    std::string name; // as in the source
  };

  /// Throws std::runtime_error with what is wrong: no such file, no executable, another core's.
  explicit ElfImage(const std::string& path);

  std::uint32_t entry() const { return entry_; }
  const std::vector<Segment>& segments() const { return segments_; }
  /// By address.
  const std::vector<Function>& functions() const { return functions_; }
  /// Index in functions() of what `address` lies in; kNone: nothing that has a name.
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::size_t function_at(std::uint32_t address) const;
  /// "function (file:line)", as far as the image tells.
  std::string place_of(std::uint32_t address) const;

 private:
  void read_segments();
  void read_functions();
  void check_attributes();
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }

  std::vector<std::uint8_t> bytes_;
  std::uint32_t entry_ = 0;
  std::vector<Segment> segments_;
  std::vector<Function> functions_;
  LineTable lines_;
};

} // namespace twinplane::hw
