#include "platform/pci_client/write_journal.h"

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>

#include "platform/config/error.h"

namespace twinplane::platform {

namespace {
constexpr char kName[16] = "twinplane wrote";
struct Head {
  char name[16] = {};
  std::uint64_t sectors = 0;
};
} // namespace

WriteJournal::WriteJournal(const std::string& path, std::uint64_t sectors) : path_(path), sectors_(sectors) {
  file_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) throw InputError("--journal " + path + ": " + std::strerror(errno));
  read_back();
}

WriteJournal::~WriteJournal() {
  if (file_ >= 0) close(file_);
}

/// What a kill has cut off in the middle of an entry is written over.
void WriteJournal::read_back() {
  Head head;
  const ssize_t got = read(file_, &head, sizeof head);
  if (got == 0) {
    std::memcpy(head.name, kName, sizeof kName);
    head.sectors = sectors_.size();
    if (write(file_, &head, sizeof head) != sizeof head)
      throw InputError("--journal " + path_ + ": " + std::strerror(errno));
    return;
  }
  if (got != sizeof head || std::memcmp(head.name, kName, sizeof kName) != 0)
    throw InputError("--journal " + path_ + ": not a journal of twinplane load");
  if (head.sectors != sectors_.size()) {
    throw InputError("--journal " + path_ + ": of a drive of " + std::to_string(head.sectors) +
                     " sectors, this one has " + std::to_string(sectors_.size()));
  }
  off_t end = sizeof head;
  for (Entry entry; read(file_, &entry, sizeof entry) == sizeof entry; end += sizeof entry) {
    if (!apply(entry)) throw InputError("--journal " + path_ + ": damaged at byte " + std::to_string(end));
  }
  if (lseek(file_, end, SEEK_SET) != end)
    throw InputError("--journal " + path_ + ": " + std::strerror(errno));
}

bool WriteJournal::apply(const Entry& entry) {
  const std::uint64_t count = entry.kind == Kind::settled ? 1 : entry.count;
  if (entry.kind > Kind::settled || entry.lba > sectors_.size() || count > sectors_.size() - entry.lba)
    return false;
  for (std::uint64_t i = 0; i < count; ++i) {
    Sector& sector = sectors_[entry.lba + i];
    if (entry.kind == Kind::begun) {
      sector.under_way = true;
    } else {
      sector.version = entry.kind == Kind::settled ? entry.count : sector.version + 1;
      sector.under_way = false;
    }
  }
  return true;
}

void WriteJournal::note(std::uint64_t lba, std::uint64_t count, Kind kind) {
  const Entry entry{lba, static_cast<std::uint32_t>(count), kind};
  if (!apply(entry)) throw InputError("--journal: a request beyond the drive");
  if (write(file_, &entry, sizeof entry) != sizeof entry)
    throw InputError("--journal " + path_ + ": " + std::strerror(errno));
}

} // namespace twinplane::platform
