// A file in the format of GTKWave and Surfer, FST, with the names of enumerated values inside.
//
// The format is written by GTKWave's own fstapi (MIT), which comes with Verilator; a program built where that
// is absent refuses (docs/decisions.md). The library does not tell of a full disk while it writes: the file
// is looked at when it is closed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "hw/spec/sim_time.h"
#include "platform/observe/waves/vcd_text.h"
#include "platform/observe/waves/wave_codes.h"

namespace twinplane::platform {

class FstFile {
 public:
  struct Variable {
    std::string_view name; // dotted
    std::uint32_t number = 0;
    std::uint32_t bits = 1; // 0: a string
  };

  /// Creates the file and declares all; the drives' tables give the names of values. Throws InputError.
  FstFile(const std::filesystem::path& path, const std::vector<Variable>& variables,
          const std::vector<WaveDrive>& drives);
  ~FstFile();
  FstFile(const FstFile&) = delete;
  FstFile& operator=(const FstFile&) = delete;

  /// Times do not decrease. `number` is the variable's; `value` may be kUnknown or kHighZ.
  void value(TimePs at, std::uint32_t number, WaveValue value);
  void text(TimePs at, std::uint32_t number, std::string_view text);
  /// Returns what went wrong, or nothing.
  std::string close(TimePs end);

 private:
  struct Declared {
    std::uint32_t handle = 0;
    std::uint32_t bits = 1;
  };

  void go_to(TimePs at);
  void discard() const;

  std::filesystem::path path_;
  void* context_ = nullptr; // fstapi's
  std::size_t count_;
  std::vector<Declared> variables_; // by number
  TimePs now_ = kNever;
};

} // namespace twinplane::platform
