#include "platform/cli/validators.h"

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <string>

namespace twinplane::platform::cli {

namespace {

constexpr const char* kMayBeEmpty = "--blocks-options"; // what it means is the library's

/// The words of conversion errors are CLI11's.
bool is_whole(const char* end, const std::string& text) {
  return !text.empty() && end == text.c_str() + text.size();
}

void require_values(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_name() == kMayBeEmpty) continue;
    for (const std::string& value : option->results()) {
      if (!value.empty()) continue;
      const std::string type = option->get_type_name();
      throw CLI::ValidationError(option->get_name(),
                                 "expected " + (type.empty() ? "a value" : type) + ", got an empty one");
    }
  }
}

} // namespace

CLI::Validator whole_number(std::int64_t least, std::int64_t most) {
  const auto check = [least, most](const std::string& text) -> std::string {
    char* end = nullptr;
    errno = 0;
    const long long value = std::strtoll(text.c_str(), &end, 0);
    if (!is_whole(end, text)) return {};
    const bool unread = errno == ERANGE;
    if (value > most || (unread && value > 0))
      return "expected a whole number of at most " + std::to_string(most) + ", got " + text;
    if (value < least || unread)
      return "expected a whole number of at least " + std::to_string(least) + ", got " + text;
    return {};
  };
  return CLI::Validator(check, "");
}

CLI::Validator above_zero() {
  const auto check = [](const std::string& text) -> std::string {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (!is_whole(end, text) || (value > 0 && std::isfinite(value))) return {};
    return "expected a number above 0, got " + text;
  };
  return CLI::Validator(check, "");
}

void refuse_empty_values(CLI::App& command) {
  for (CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; })) {
    refuse_empty_values(*sub);
    sub->parse_complete_callback([sub] { require_values(*sub); });
  }
}

} // namespace twinplane::platform::cli
