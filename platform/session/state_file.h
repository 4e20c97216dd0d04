// A file of what goes through a StateVisitor, compressed and checked: a saved drive, or a guest's session.
//
//   "twinplane state 2\n", the words and the number being those of its kind
//   a zstd stream of chunks: bytes (32 bits), CRC-32 of the bytes, the bytes; one of no bytes is the end
//   in the chunks: the configuration as text with its length (64 bits) before it, then the sections, each
//   with its name, terminated by a zero, before it
//
// A kind in pieces has a zstd stream for each chunk, with its length (32 bits) before it. A chunk ends where
// its writer says that it may (boundary()), and is on the disk then.
//
// Numbers are as in memory: a file is for machines of one kind. Whatever is wrong with a file ends in an
// InputError that names it: not such a file, another version, truncated, damaged.
#pragma once

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "hw/spec/state_visitor.h"
#include "platform/report/output_file.h"
#include "platform/report/zstd_frames.h"

namespace twinplane::platform {

struct StateFileKind {
  const char* magic;   // first line, up to the version
  const char* version; // of what is in the chunks
  const char* thing;   // in messages
  const char* made_by;
  bool pieces = false; // what has been written is of use, whatever comes then
};
extern const StateFileKind kSavedDrive;

class StateSaver final : public StateVisitor {
 public:
  /// The file appears under its name with complete(); until then it has the suffix ".part".
  StateSaver(const std::string& path, const std::string& config, const StateFileKind& kind = kSavedDrive);

  bool loading() const override { return false; }
  void section(const char* name) override;
  void bytes(void* data, std::size_t size) override;
  [[noreturn]] void refuse(const char* why) override;
  /// A piece may end here. `now`: it does.
  void boundary(bool now = false);
  void complete();

 private:
  void write_chunk();

  std::string path_;
  const StateFileKind& kind_;
  OutputFile file_;
  std::string packed_;
  ZstdWriter compressor_;
  std::vector<char> chunk_;
};

class StateLoader final : public StateVisitor {
 public:
  /// `option` names the file in messages.
  explicit StateLoader(const std::string& path, const char* option = "--load-state",
                       const StateFileKind& kind = kSavedDrive);

  /// Of the drive that was saved.
  const std::string& config() const { return config_; }

  bool loading() const override { return true; }
  void section(const char* name) override;
  void bytes(void* data, std::size_t size) override;
  [[noreturn]] void refuse(const char* why) override;
  /// Of a kind in pieces: false when it ends here without an end, as one does whose writer was killed.
  bool more();
  /// All has been read that the file has.
  void complete();
  /// ... which is nothing that anybody here wants, but whole.
  void complete_unread();
  /// The name of the section that follows.
  const std::string& next_section();

 private:
  bool open_piece();
  bool read_chunk();
  void read(char* to, std::size_t size);

  std::string path_;
  const char* option_;
  const StateFileKind& kind_;
  std::ifstream file_;
  std::unique_ptr<ZstdReader> stream_;
  std::string packed_; // a piece
  std::string config_;
  std::string next_section_; // its name, when that has been read and the section not begun
  std::vector<char> chunk_;
  std::size_t at_ = 0; // in the chunk
};

} // namespace twinplane::platform
