#include "hw/iss/call_profile.h"

#include <algorithm>

namespace twinplane::hw {

CallProfile::CallProfile(const ElfImage& image, const CodeRange& code, const std::uint8_t& label)
    : image_(image), code_(code), label_(label), function_of_((code.end - code.begin) / 2), nodes_(1) {}

std::uint32_t CallProfile::function_at(std::uint32_t address) {
  std::uint32_t& known = function_of_[(address - code_.begin) / 2];
  if (known == 0) {
    const std::size_t f = image_.function_at(address);
    known = 1 + static_cast<std::uint32_t>(f == ElfImage::kNone ? image_.functions().size() : f);
  }
  return known - 1;
}

std::uint32_t CallProfile::child(std::uint32_t parent, std::uint32_t function) {
  for (const std::uint32_t c : nodes_[parent].called) {
    if (nodes_[c].function == function) return c;
  }
  const auto made = static_cast<std::uint32_t>(nodes_.size());
  Node node;
  node.function = function;
  node.parent = parent;
  nodes_.push_back(node);
  nodes_[parent].called.push_back(made);
  return made;
}

/// Since the last piece the stack has changed at its top only: at most one call, then returns.
void CallProfile::on_piece(const CycleCounter::Piece& piece, const std::uint32_t* returns,
                           std::size_t depth) {
  if (depth + 1 < stack_.size()) stack_.resize(depth + 1);
  while (stack_.size() <= depth) {
    const std::uint32_t call = returns[stack_.size() - 1] - 2; // lies before where it returns to
    stack_.push_back(child(stack_.back(), function_at(call)));
  }
  newest_ = child(stack_.back(), function_at(piece.address));
  Node& node = nodes_[newest_];
  if (node.function < image_.functions().size() && image_.functions()[node.function].address == piece.address)
    ++node.calls;
  Cost& cost = node.own[std::min<std::uint32_t>(label_, kLabels - 1)];
  cost.instructions += piece.instructions;
  cost.milli_cycles += piece.milli_cycles;
}

void CallProfile::on_wait(std::uint64_t milli_cycles) {
  nodes_[newest_].own[std::min<std::uint32_t>(label_, kLabels - 1)].milli_cycles += milli_cycles;
}

void CallProfile::clear() {
  nodes_.assign(1, Node());
  stack_.assign(1, 0);
  newest_ = 0;
}

const std::string& CallProfile::name_of(std::uint32_t function) const {
  return function < image_.functions().size() ? image_.functions()[function].name : unnamed_;
}

namespace {

void add(CallProfile::CostByLabel& to, const CallProfile::CostByLabel& from) {
  for (std::size_t l = 0; l < to.size(); ++l) {
    to[l].instructions += from[l].instructions;
    to[l].milli_cycles += from[l].milli_cycles;
  }
}

std::uint64_t cycles_of(const CallProfile::CostByLabel& costs) {
  std::uint64_t sum = 0;
  for (const CallProfile::Cost& c : costs) sum += c.milli_cycles;
  return sum;
}

} // namespace

CallProfile::CostByLabel CallProfile::total() const {
  CostByLabel sum{};
  for (const Node& node : nodes_) add(sum, node.own);
  return sum;
}

std::vector<CallProfile::Function> CallProfile::functions() const {
  std::vector<Function> all(image_.functions().size() + 1);
  std::vector<char> executed(all.size());
  for (std::size_t n = 1; n < nodes_.size(); ++n) {
    const Node& node = nodes_[n];
    Function& own = all[node.function];
    executed[node.function] = 1;
    own.calls += node.calls;
    add(own.own, node.own);
    // everybody on the way here once, however often he is on it
    const std::uint64_t cycles = cycles_of(node.own);
    std::vector<std::uint32_t> counted;
    for (std::uint32_t up = static_cast<std::uint32_t>(n); up != 0; up = nodes_[up].parent) {
      const std::uint32_t f = nodes_[up].function;
      if (std::find(counted.begin(), counted.end(), f) != counted.end()) continue;
      counted.push_back(f);
      all[f].milli_cycles += cycles;
    }
  }
  std::vector<Function> found;
  for (std::size_t f = 0; f < all.size(); ++f) {
    if (executed[f] == 0) continue;
    all[f].name = name_of(static_cast<std::uint32_t>(f));
    found.push_back(all[f]);
  }
  return found;
}

void CallProfile::for_each_way(const Visit& visit_way) const {
  std::vector<std::string> names;
  for (const std::uint32_t c : nodes_[0].called) visit(c, names, visit_way);
}

void CallProfile::visit(std::uint32_t node, std::vector<std::string>& names, const Visit& visit_way) const {
  names.push_back(name_of(nodes_[node].function));
  visit_way(names, nodes_[node].own);
  for (const std::uint32_t c : nodes_[node].called) visit(c, names, visit_way);
  names.pop_back();
}

} // namespace twinplane::hw
