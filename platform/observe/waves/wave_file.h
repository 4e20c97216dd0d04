// One file of waves, waves.vcd or waves.fst, with waves.gtkw and translate files beside it, of one drive or
// of several drives of one simulation. Drives join before start(), each under the name of its sc_module; what
// they announce is put in order of time, whatever is ahead.
//
//   WaveFile file({folder, {}, ms(1), kernel_now});
//   WaveRecorder left(geometry, {"", WaveLevel::phases, DataMode::tag, "board.left"}, file);
//   WaveRecorder right(geometry, {"", WaveLevel::phases, DataMode::tag, "board.right"}, file);
//   file.start();                        // before sc_start()
//   ...
//   file.finish(end of simulated time);  // after it
//
// A WaveRecorder that is given a folder has a file of its own and needs none of this.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "platform/observe/waves/file_lock.h"
#include "platform/observe/waves/wave_codes.h"
#include "platform/observe/waves/wave_writer.h"

namespace twinplane::platform {

class WaveFile {
 public:
  struct Options {
    std::filesystem::path folder; // must exist
    WaveWindow window;
    TimePs slack = ms(1); // how far out of order calls may come where `now` is not set
    /// If set: no call begins before the time it tells (the kernel's). Several drives need it.
    std::function<TimePs()> now;
    std::function<void()> on_failure; // called once when the disk is full, inside the model: stop the run
    WaveFormat format = WaveFormat::vcd;
  };

  explicit WaveFile(const Options& options);

  /// Where a drive declares its signals and announces their changes.
  WaveWriter& writer() { return writer_; }
  const WaveWriter& writer() const { return writer_; }
  const WaveWindow& window() const { return options_.window; }

  /// Before start(): the drive whose module this is takes part. Throws InputError when another one bears the
  /// name, when the file has been started, or for a second drive without `now`.
  void join(const std::string& module);
  /// What it has declared. `names`: dotted, with bit ranges.
  void declared(const std::string& module, const std::vector<std::string>& names,
                std::vector<TranslationTable> tables);

  /// Writes declarations and the viewer's files; announcements do it if it has not been done. Throws
  /// InputError when a file cannot be written or another recorder is writing it.
  void start();
  /// Something has been announced that begins at `start`: writes what is old enough, now and then.
  void note_start(TimePs start) {
    if (start > latest_start_) latest_start_ = start;
    if (writer_.pending() >= flush_at_) flush();
  }
  /// Ends the file at the end of simulated time. Throws InputError when the disk was full (the file
  /// ends early, but is readable) or when the window lies after `end`. The second call does nothing.
  void finish(TimePs end);
  /// False once the disk is full: nothing more is recorded, the run may stop.
  bool ok() const { return writer_.ok(); }
  std::uint64_t late_changes() const { return writer_.late_changes(); }

 private:
  void name_apart(TranslationTable& table) const;
  void flush();

  Options options_;
  WaveWriter writer_;
  std::unique_ptr<FileLock> lock_;
  std::vector<WaveDrive> drives_;
  bool started_ = false, finished_ = false;
  TimePs latest_start_ = 0;
  std::size_t flush_at_;
};

} // namespace twinplane::platform
