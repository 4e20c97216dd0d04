#include <algorithm>
#include <charconv>
#include <cstring>

#include "platform/observe/waves/wave_codes.h"

namespace twinplane::platform {
namespace {

char* append(char* out, const char* text) {
  const std::size_t length = std::strlen(text);
  return std::copy(text, text + length, out);
}
char* append(char* out, WaveValue number) {
  return std::to_chars(out, out + 10, number).ptr;
}

const char* type_name(CellType cell, WaveValue type, WaveValue mode) {
  if (mode == 1) return "SLC";
  return type < static_cast<WaveValue>(cell) ? page_type_name(cell, static_cast<PageType>(type)) : "?";
}

} // namespace

std::size_t operation_text(char* out, CellType cell, const WaveTexts::Values& values) {
  const auto [state, page_type, block, page, mode, pages] = values;
  const bool pass = state == static_cast<WaveValue>(hw::PlaneState::programming) && pages > 1;
  char* end = out;
  switch (state) {
    case static_cast<WaveValue>(hw::PlaneState::reading):
    case static_cast<WaveValue>(hw::PlaneState::programming):
      end = append(end, state == static_cast<WaveValue>(hw::PlaneState::reading) ? "R:" : "P:");
      if (pass) end = append(append(end, type_name(cell, page_type + 1 - pages, mode)), "-");
      end = append(end, type_name(cell, page_type, mode));
      end = append(append(append(end, ":"), block), ".");
      if (pass) end = append(append(end, page + 1 - pages), "-");
      end = append(end, page);
      break;
    case static_cast<WaveValue>(hw::PlaneState::erasing):
      end = append(append(end, "E:"), block);
      break;
    case static_cast<WaveValue>(hw::PlaneState::resetting):
      end = append(end, "RST");
      break;
    case kSuspendedState:
      end = append(append(end, "S:"), block);
      break;
    default:
      break;
  }
  return static_cast<std::size_t>(end - out);
}

} // namespace twinplane::platform
