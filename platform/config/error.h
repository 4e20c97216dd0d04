// Errors that a user caused and can mend. main prints what() and exits with status 1.
#pragma once

#include <stdexcept>
#include <string>

namespace twinplane::platform {

class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

} // namespace twinplane::platform
