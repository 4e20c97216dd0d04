// Counts what a core executes: instructions, and cycles as instructions times cycles per instruction (CPI)
// of their class. Knows at any time through which calls the core has come to where it is.
//
// A piece of code is counted when it begins, all of it: what it does in the middle is a few instructions
// early at most.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/iss/arm_costs.h"
#include "hw/iss/instruction_core.h"

namespace twinplane::hw {

struct CodeRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool has(std::uint32_t address) const { return address >= begin && address < end; }
};

class CycleCounter final : public InstructionCore::BlockListener {
 public:
  /// Cycles in thousandths, by class.
  using Cpi = std::array<std::uint32_t, kInstructionClasses>;
  static constexpr std::uint32_t kOneCycle = 1000;

  /// Of the code in `code`.
  CycleCounter(InstructionCore& core, const Cpi& cpi, const CodeRange& code);
  /// What lies there counts nothing. Before anything is executed.
  void set_free(const CodeRange& free) { free_ = free; }
  /// Stops the core when it has executed more, in thousandths of a cycle, unless who watches has it go on.
  void set_limit(std::uint64_t milli_cycles) { limit_ = milli_cycles; }
  /// Asked at the limit: true when it has set another one and the core goes on.
  class LimitWatch {
   public:
    virtual bool goes_on() = 0;

   protected:
    ~LimitWatch() = default;
  };
  void watch_limit(LimitWatch& watch) { limit_watch_ = &watch; }

  void on_block(std::uint32_t address, std::uint32_t bytes) override;

  std::uint64_t instructions() const { return instructions_; }
  /// In thousandths of a cycle.
  std::uint64_t milli_cycles() const { return milli_cycles_; }
  /// The core waits for memory.
  void add_milli_cycles(std::uint64_t cycles) {
    milli_cycles_ += cycles;
    if (listener_ != nullptr) listener_->on_wait(cycles);
  }

  /// Where the core is and where it was called from, innermost first.
  std::vector<std::uint32_t> backtrace() const;

  /// Between these the core does something for a caller outside: it is not counted.
  struct Mark {
    std::uint64_t instructions;
    std::uint64_t milli_cycles;
    std::uint64_t limit;
    std::size_t depth;
    std::uint32_t at;
    std::uint32_t called_from;
  };
  Mark mark() const { return {instructions_, milli_cycles_, limit_, depth_, at_, called_from_}; }
  void return_to(const Mark& mark);

  /// A straight piece of code, and what executing it once costs.
  struct Piece {
    std::uint32_t address = 0;
    std::uint32_t instructions = 0;
    std::uint64_t milli_cycles = 0;
    std::uint32_t called_from = 0; // where a call that ends it returns to; 0: it ends otherwise
  };

  /// Told of each piece with the calls that led to it; the most expensive way to listen.
  class StackListener {
   public:
    virtual void on_piece(const Piece& piece, const std::uint32_t* returns, std::size_t depth) = 0;
    /// ... and that the newest one waits.
    virtual void on_wait(std::uint64_t milli_cycles) = 0;

   protected:
    ~StackListener() = default;
  };
  /// Null: there is no listener any more.
  void listen(StackListener* listener) { listener_ = listener; }

 private:
  Piece& piece_at(std::uint32_t address, std::uint32_t bytes);

  static constexpr std::size_t kMostCalls = 256;
  static constexpr std::size_t kReturnsAtOnce = 3;

  InstructionCore& core_;
  Cpi cpi_;
  CodeRange code_;
  CodeRange free_;
  std::vector<std::uint32_t> index_; // by half words of code: 1 + index of the piece that begins there
  std::vector<Piece> pieces_;
  std::uint64_t instructions_ = 0;
  std::uint64_t milli_cycles_ = 0;
  std::uint64_t limit_ = ~std::uint64_t{0};
  std::array<std::uint32_t, kMostCalls> returns_{}; // where the calls return to, outermost first
  std::size_t depth_ = 0;
  std::uint32_t at_ = 0;          // the newest piece
  std::uint32_t called_from_ = 0; // it ends with a call that returns to here
  StackListener* listener_ = nullptr;
  LimitWatch* limit_watch_ = nullptr;
};

} // namespace twinplane::hw
