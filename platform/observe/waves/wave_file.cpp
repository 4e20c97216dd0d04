#include "platform/observe/waves/wave_file.h"

#include <algorithm>
#include <utility>

#include "platform/config/error.h"
#include "platform/config/units.h"
#include "platform/observe/waves/save_file.h"

namespace twinplane::platform {
namespace {

constexpr std::size_t kSmallestFlush = 8192; // changes

bool same_texts(const TranslationTable& a, const TranslationTable& b) {
  return std::equal(
      a.lines.begin(), a.lines.end(), b.lines.begin(), b.lines.end(),
      [](const Translation& x, const Translation& y) { return x.value == y.value && x.text == y.text; });
}

} // namespace

WaveFile::WaveFile(const Options& options)
    : options_(options),
      writer_(options.folder / wave_file(options.format), options.window, options.format),
      flush_at_(kSmallestFlush) {}

void WaveFile::join(const std::string& module) {
  const std::string file = (options_.folder / wave_file(options_.format)).string();
  if (started_) {
    throw InputError("\"" + module + "\" comes too late for \"" + file +
                     "\": drives join a file of waves before it is started");
  }
  const auto same = [&module](const WaveDrive& d) { return d.module == module; };
  if (std::any_of(drives_.begin(), drives_.end(), same)) {
    throw InputError("two drives named \"" + module + "\" in \"" + file +
                     "\": expected the hierarchical names of their modules, which differ");
  }
  if (!drives_.empty() && !options_.now) {
    throw InputError("several drives in \"" + file +
                     "\": expected the kernel's time (WaveFile::Options::now), which puts them in order");
  }
  drives_.push_back({module, {}, {}});
}

void WaveFile::declared(const std::string& module, const std::vector<std::string>& names,
                        std::vector<TranslationTable> tables) {
  const auto same = [&module](const WaveDrive& d) { return d.module == module; };
  WaveDrive& drive = *std::find_if(drives_.begin(), drives_.end(), same);
  drive.names = names;
  for (TranslationTable& table : tables) name_apart(table);
  drive.tables = std::move(tables);
}

/// Drives of other cells call their page types otherwise: their tables need files of their own.
void WaveFile::name_apart(TranslationTable& table) const {
  const std::string stem = table.file.substr(0, table.file.rfind('.'));
  const auto taken = [this, &table] {
    return std::any_of(drives_.begin(), drives_.end(), [&table](const WaveDrive& d) {
      return std::any_of(d.tables.begin(), d.tables.end(), [&table](const TranslationTable& t) {
        return t.file == table.file && !same_texts(t, table);
      });
    });
  };
  for (std::uint32_t n = 2; taken(); ++n) table.file = stem + "_" + std::to_string(n) + ".txt";
}

void WaveFile::start() {
  const std::filesystem::path file = options_.folder / wave_file(options_.format);
  lock_ = std::make_unique<FileLock>(file);
  try {
    writer_.start(drives_);
  } catch (...) {
    lock_.reset();
    std::error_code ignored;
    if (options_.format == WaveFormat::fst) std::filesystem::remove(file, ignored); // the lock has made it
    throw;
  }
  if (options_.format == WaveFormat::fst) { // its library makes the file anew
    lock_.reset();
    lock_ = std::make_unique<FileLock>(file);
  }
  started_ = true;
  for (const WaveDrive& drive : drives_) write_translations(options_.folder, drive.tables);
  write_save_file(options_.folder, wave_file(options_.format), drives_, options_.window);
}

// Writes in big batches; what is younger than `until` may still get older neighbours.
void WaveFile::flush() {
  if (!started_) start();
  const TimePs until =
      options_.now ? options_.now() : latest_start_ - std::min(latest_start_, options_.slack);
  writer_.advance(until);
  flush_at_ = std::max(kSmallestFlush, 2 * writer_.pending());
  if (!writer_.ok() && options_.on_failure) std::exchange(options_.on_failure, nullptr)();
}

void WaveFile::finish(TimePs end) {
  if (std::exchange(finished_, true)) return;
  if (!started_) start();
  writer_.close(end);
  if (!ok()) throw InputError(writer_.error());
  if (end >= options_.window.begin) return;
  throw InputError("wave window begins at " + format_quantity(Dimension::time, options_.window.begin) +
                   ", but the run ended at " + format_quantity(Dimension::time, end));
}

} // namespace twinplane::platform
