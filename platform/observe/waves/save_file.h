// What GTKWave needs beside the waves: translate filter files and a save file. All paths are relative to
// the folder that holds them, so the folder can be moved, sent and opened elsewhere.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "platform/observe/waves/wave_codes.h"
#include "platform/observe/waves/wave_writer.h"

namespace twinplane::platform {

void write_translations(const std::filesystem::path& folder, const std::vector<TranslationTable>& tables);

/// waves.gtkw for `file` in the same folder, its signals grouped by drive, bus, pins and die; the first
/// groups are open, the rest folded. The viewer opens on `window`, or on the begin of one without an end.
void write_save_file(const std::filesystem::path& folder, const char* file,
                     const std::vector<WaveDrive>& drives, const WaveWindow& window);

} // namespace twinplane::platform
