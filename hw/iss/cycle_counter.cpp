#include "hw/iss/cycle_counter.h"

#include <algorithm>

namespace twinplane::hw {

CycleCounter::CycleCounter(InstructionCore& core, const Cpi& cpi, const CodeRange& code)
    : core_(core), cpi_(cpi), code_(code), index_((code.end - code.begin) / 2) {}

CycleCounter::Piece& CycleCounter::piece_at(std::uint32_t address, std::uint32_t bytes) {
  std::uint32_t& index = index_[(address - code_.begin) / 2];
  if (index != 0) return pieces_[index - 1];
  std::vector<std::uint8_t> code(bytes);
  Piece piece;
  piece.address = address;
  if (core_.read(address, code.data(), code.size())) {
    const bool thumb = (core_.reg(arm::cpsr) & arm::thumb) != 0;
    const CodeShape shape =
        thumb ? shape_of_thumb(code.data(), code.size()) : shape_of_arm(code.data(), code.size());
    if (shape.calls) piece.called_from = address + bytes;
    if (!free_.has(address)) {
      piece.instructions = shape.instructions;
      for (std::size_t c = 0; c < kInstructionClasses; ++c)
        piece.milli_cycles += std::uint64_t{shape.of[c]} * cpi_[c];
    }
  }
  pieces_.push_back(piece);
  index = static_cast<std::uint32_t>(pieces_.size());
  return pieces_.back();
}

void CycleCounter::on_block(std::uint32_t address, std::uint32_t bytes) {
  if (!code_.has(address)) return; // the core is about to find out
  const Piece& piece = piece_at(address, bytes);
  instructions_ += piece.instructions;
  milli_cycles_ += piece.milli_cycles;
  if (called_from_ != 0 && depth_ < kMostCalls) returns_[depth_++] = called_from_;
  // Some assembly returns for its caller, too.
  for (std::size_t up = 1; up <= kReturnsAtOnce && up <= depth_; ++up) {
    if (returns_[depth_ - up] != address) continue;
    depth_ -= up;
    break;
  }
  called_from_ = piece.called_from;
  at_ = address;
  if (milli_cycles_ > limit_ && (limit_watch_ == nullptr || !limit_watch_->goes_on())) core_.stop();
  if (listener_ != nullptr) listener_->on_piece(piece, returns_.data(), depth_);
}

std::vector<std::uint32_t> CycleCounter::backtrace() const {
  std::vector<std::uint32_t> all{at_};
  for (std::size_t i = depth_; i > 0; --i) all.push_back(returns_[i - 1]);
  return all;
}

void CycleCounter::return_to(const Mark& mark) {
  instructions_ = mark.instructions;
  milli_cycles_ = mark.milli_cycles;
  limit_ = mark.limit;
  depth_ = mark.depth;
  at_ = mark.at;
  called_from_ = mark.called_from;
}

} // namespace twinplane::hw
