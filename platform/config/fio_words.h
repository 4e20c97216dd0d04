// Words and values that fio's users write first and that this program says otherwise.
#pragma once

#include <string>
#include <string_view>

#include "platform/config/literal.h"

namespace twinplane::platform {

/// What to write instead of a key of fio that is none here ("workload.rwmixwrite"); "" for any other.
std::string instead_of_fio_key(std::string_view key, const Literal& value);

/// What to write instead of a value in fio's manner that a key of [workload] refuses; "" for any other.
std::string instead_of_fio_value(std::string_view key, const Literal& value);

} // namespace twinplane::platform
