#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "blocks.h"

namespace examples {

namespace {

struct Option {
  const char* name;
  std::uint32_t BankTiming::*number; // null: a time
  twinplane::TimePs BankTiming::*time;
};
constexpr Option kOptions[]{
    {"banks", &BankTiming::banks, nullptr}, {"row", &BankTiming::row, nullptr},
    {"burst", &BankTiming::burst, nullptr}, {"tRCD", nullptr, &BankTiming::tRCD},
    {"tRP", nullptr, &BankTiming::tRP},     {"tCL", nullptr, &BankTiming::tCL},
    {"tRAS", nullptr, &BankTiming::tRAS},   {"tREFI", nullptr, &BankTiming::tREFI},
    {"tRFC", nullptr, &BankTiming::tRFC},
};

void set(BankTiming& timing, const std::string& word) {
  const std::size_t equals = word.find('=');
  for (const Option& option : kOptions) {
    if (word.substr(0, equals) != option.name) continue;
    const std::string text = equals == std::string::npos ? "" : word.substr(equals + 1);
    const bool is_number =
        !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == text.npos;
    if (!is_number) throw std::invalid_argument(word + ": expected " + option.name + "=NUMBER");
    const auto value = static_cast<std::uint32_t>(std::strtoul(text.c_str(), nullptr, 10));
    if (option.number != nullptr) timing.*option.number = value;
    if (option.time != nullptr) timing.*option.time = twinplane::ns(value);
    return;
  }
  std::string names;
  for (const Option& option : kOptions) names += std::string(names.empty() ? "" : ", ") + option.name;
  throw std::invalid_argument(word + ": expected one of " + names);
}

void check(const BankTiming& t) {
  if (t.banks == 0) throw std::invalid_argument("banks=0: expected 1 or more");
  if (t.burst == 0) throw std::invalid_argument("burst=0: expected 1 or more bytes");
  if (t.row == 0 || t.row % t.burst != 0) {
    throw std::invalid_argument("row=" + std::to_string(t.row) + ": expected a multiple of the burst, " +
                                std::to_string(t.burst));
  }
  if (t.tREFI != 0 && t.tRFC >= t.tREFI) throw std::invalid_argument("tRFC: expected less than tREFI");
}

} // namespace

BankTiming to_bank_timing(const char* options) {
  BankTiming timing;
  const std::string text = options;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    set(timing, text.substr(begin, end - begin));
    begin = end + 1;
  }
  check(timing);
  return timing;
}

} // namespace examples
