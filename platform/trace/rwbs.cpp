#include "platform/trace/rwbs.h"

#include <array>
#include <utility>

namespace twinplane::platform {
namespace {

using Operation = Rwbs::Operation;

/// Longer words before those they begin with.
constexpr std::array<std::pair<std::string_view, Operation>, 13> kOperations{{{"ZRA", Operation::zone},
                                                                              {"ZA", Operation::zone},
                                                                              {"ZR", Operation::zone},
                                                                              {"ZO", Operation::zone},
                                                                              {"ZC", Operation::zone},
                                                                              {"ZF", Operation::zone},
                                                                              {"WZ", Operation::write_zeroes},
                                                                              {"DE", Operation::discard},
                                                                              {"D", Operation::discard},
                                                                              {"W", Operation::write},
                                                                              {"R", Operation::read},
                                                                              {"F", Operation::flush},
                                                                              {"N", Operation::none}}};

bool take_operation(std::string_view& rest, Operation& operation) {
  for (const auto& [word, meaning] : kOperations) {
    if (rest.substr(0, word.size()) != word) continue;
    operation = meaning;
    rest.remove_prefix(word.size());
    return true;
  }
  return false;
}

} // namespace

bool parse_rwbs(std::string_view letters, Rwbs& rwbs, std::string_view& unknown) {
  rwbs = {};
  std::string_view rest = letters;
  if (rest.size() > 1 && rest[0] == 'F') {
    std::string_view behind = rest.substr(1);
    rwbs.preflush = take_operation(behind, rwbs.operation);
    if (rwbs.preflush) rest = behind;
  }
  unknown = rest;
  if (!rwbs.preflush && !take_operation(rest, rwbs.operation)) return false;
  for (; !rest.empty(); rest.remove_prefix(1)) {
    unknown = rest;
    const char letter = rest[0];
    if (std::string_view("FASMUB").find(letter) == std::string_view::npos) return false;
    rwbs.fua = rwbs.fua || letter == 'F' || letter == 'B';
    rwbs.preflush = rwbs.preflush || letter == 'B';
  }
  unknown = {};
  return true;
}

} // namespace twinplane::platform
