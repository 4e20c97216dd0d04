// From addresses of code to lines of source: what DWARF 2 to 4 says in .debug_line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace twinplane::hw {

class LineTable {
 public:
  LineTable() = default;
  /// Units of other versions, and what is damaged, are left out.
  LineTable(const std::uint8_t* section, std::size_t bytes);

  /// "file:line"; empty where nothing is known.
  std::string line_of(std::uint32_t address) const;

 private:
  struct Row {
    std::uint32_t address = 0;
    std::uint32_t file = 0; // in files_
    std::uint32_t line = 0; // 0: the end of a sequence
  };
  class Unit;

  std::vector<Row> rows_;
  std::vector<std::string> files_;
};

} // namespace twinplane::hw
