// What every function of an image has cost, by the calls that led to it and by a label: a byte that the
// software keeps in its memory, such as whom it works for. Exact: each piece of code counts when it is
// executed.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "hw/iss/cycle_counter.h"
#include "hw/iss/elf_image.h"

namespace twinplane::hw {

class CallProfile final : public CycleCounter::StackListener {
 public:
  static constexpr std::uint32_t kLabels = 8; // larger ones count as the last

  struct Cost {
    std::uint64_t instructions = 0;
    std::uint64_t milli_cycles = 0;
  };
  using CostByLabel = std::array<Cost, kLabels>;

  /// Of the functions in `code`; both outlive it.
  CallProfile(const ElfImage& image, const CodeRange& code, const std::uint8_t& label);

  void on_piece(const CycleCounter::Piece& piece, const std::uint32_t* returns, std::size_t depth) override;
  void on_wait(std::uint64_t milli_cycles) override;
  /// From here on. A listener that was away for a while, but for calls from outside, begins anew with this.
  void clear();

  struct Function {
    std::string name;
    std::uint64_t calls = 0;
    CostByLabel own{};              // without what it has called
    std::uint64_t milli_cycles = 0; // with that
  };
  /// Those that have been executed, in the order of their addresses.
  std::vector<Function> functions() const;
  CostByLabel total() const;

  /// Every way that was gone: names from the outermost to the innermost, and what the last of them has cost
  /// itself. Always in the same order.
  using Visit = std::function<void(const std::vector<std::string>& names, const CostByLabel& own)>;
  void for_each_way(const Visit& visit) const;

 private:
  struct Node {
    std::uint32_t function = 0; // in the image; its number of functions: none that has a name
    std::uint32_t parent = 0;
    std::uint64_t calls = 0;
    CostByLabel own{};
    std::vector<std::uint32_t> called;
  };
  std::uint32_t function_at(std::uint32_t address);
  std::uint32_t child(std::uint32_t parent, std::uint32_t function);
  void visit(std::uint32_t node, std::vector<std::string>& names, const Visit& visit) const;
  const std::string& name_of(std::uint32_t function) const;

  const ElfImage& image_;
  const CodeRange code_;
  const std::uint8_t& label_;
  const std::string unnamed_ = "[no name]";
  std::vector<std::uint32_t> function_of_; // by half words of code: 1 + function; 0: not asked for yet
  std::vector<Node> nodes_;                // the first has no function: the outermost ones are its children
  std::vector<std::uint32_t> stack_{0};    // nodes by depth
  std::uint32_t newest_ = 0;               // where the core is
};

} // namespace twinplane::hw
