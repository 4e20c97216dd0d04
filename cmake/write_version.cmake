# Writes OUTPUT, the source of twinplane_version; leaves it alone when nothing changed.
# A tree without .git or a machine without git has the revision "unknown".
set(revision "unknown")
find_program(GIT git)
if(GIT AND EXISTS "${SOURCE_DIR}/.git")
  execute_process(COMMAND ${GIT} -C "${SOURCE_DIR}" describe --always --dirty --abbrev=12 --match=v[0-9]*
    OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed)
    set(revision "${described}")
  endif()
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT [[
#include "platform/config/version.h"

namespace twinplane::platform {
const char* version() { return "@VERSION@"; }
const char* git_revision() { return "@revision@"; }
} // namespace twinplane::platform
]])
