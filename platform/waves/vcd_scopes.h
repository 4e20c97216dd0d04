// The declaration part of a VCD: dotted names become nested scopes, in order of first mention.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace twinplane::platform {

class VcdScopes {
 public:
  struct Variable {
    std::string_view name; // dotted
    std::string_view code;
    std::uint32_t bits = 1;
  };

  void add(const Variable& variable);
  void append_to(std::string& out) const;

 private:
  struct Scope {
    std::string name;
    std::string declarations;
    std::vector<std::unique_ptr<Scope>> children;

    Scope& child(std::string_view child_name);
    void append_to(std::string& out) const;
  };

  Scope root_;
};

} // namespace twinplane::platform
