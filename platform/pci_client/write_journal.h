// What a load has written, in a file that outlives it when it is killed: a write is noted before the drive
// may know of it, and again when the drive has answered. So of each sector it is known what the drive has to
// give back: the content of its last write that was answered, or of the one that was under way.
//
// The n-th write of a sector has a content of its own; the drive tells which one it has kept, and that is
// noted, too (settle()).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace twinplane::platform {

class WriteJournal {
 public:
  /// Goes on with the file, or begins it. Throws InputError when it is none, or of a drive of another size.
  WriteJournal(const std::string& path, std::uint64_t sectors);
  ~WriteJournal();
  WriteJournal(const WriteJournal&) = delete;
  WriteJournal& operator=(const WriteJournal&) = delete;

  void begin(std::uint64_t lba, std::uint64_t sectors) { note(lba, sectors, Kind::begun); }
  void end(std::uint64_t lba, std::uint64_t sectors) { note(lba, sectors, Kind::answered); }
  void settle(std::uint64_t lba, std::uint32_t version) { note(lba, version, Kind::settled); }

  struct Sector {
    std::uint32_t version = 0; // of the last write that was answered; 0: none
    bool under_way = false;    // the next one was not
    bool known() const { return version != 0 || under_way; }
  };
  const Sector& sector(std::uint64_t lba) const { return sectors_[lba]; }
  std::uint64_t sectors() const { return sectors_.size(); }

 private:
  enum class Kind : std::uint32_t { begun, answered, settled };
  struct Entry {
    std::uint64_t lba = 0;
    std::uint32_t count = 0; // sectors, or the version
    Kind kind = Kind::begun;
  };
  static_assert(sizeof(Entry) == 16, "the layout of a file");

  void note(std::uint64_t lba, std::uint64_t count, Kind kind);
  bool apply(const Entry& entry);
  void read_back();

  std::string path_;
  int file_ = -1;
  std::vector<Sector> sectors_;
};

} // namespace twinplane::platform
