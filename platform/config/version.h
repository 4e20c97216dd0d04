// Which Twinplane this is. The source is written at build time (cmake/TwinplaneVersion.cmake).
#pragma once

namespace twinplane::platform {

/// "1.2.3", the project's version in CMakeLists.txt.
const char* version();

/// Abbreviated commit of the build, "-dirty" appended when the tree had changes; "unknown" without git.
const char* git_revision();

} // namespace twinplane::platform
