// Files that people bring from other programs: told by what they hold, answered with what this program takes.
#pragma once

#include <string>
#include <string_view>

namespace twinplane::platform {

/// What the text is and what to do instead, such as "this is a fio job file: ..."; "" if it is none that is
/// known. Looks at the first lines.
std::string foreign_file(std::string_view text);

} // namespace twinplane::platform
