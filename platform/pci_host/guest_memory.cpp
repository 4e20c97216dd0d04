#include "platform/pci_host/guest_memory.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "platform/pci_host/guarded_copy.h"

namespace twinplane::platform {
namespace {

bool overlap(const MappedMemory::Window& a, const MappedMemory::Window& b) {
  return a.address < b.address + b.size && b.address < a.address + a.size;
}

bool same(const MappedMemory::Window& a, const MappedMemory::Window& b) {
  return a.address == b.address && a.size == b.size && a.offset == b.offset && a.writable == b.writable;
}

} // namespace

MappedMemory::~MappedMemory() {
  clear();
}

void MappedMemory::clear() {
  for (const Mapped& m : mapped_) ::munmap(m.memory, m.window.size);
  mapped_.clear();
}

int MappedMemory::check(const Window& window, const Descriptor& file, Mapped& mapped) {
  if (window.size == 0 || window.address + window.size < window.address) return EINVAL;
  if (window.offset + window.size < window.offset) return EINVAL;
  struct stat about {};
  if (::fstat(file.get(), &about) != 0) return errno;
  const bool sized = S_ISREG(about.st_mode); // behind the end of a file there is SIGBUS, not memory
  if (sized && window.offset + window.size > static_cast<std::uint64_t>(about.st_size)) return EINVAL;
  mapped.window = window;
  mapped.device = about.st_dev;
  mapped.inode = about.st_ino;
  return 0;
}

int MappedMemory::map(const Window& window, const Descriptor& file) {
  Mapped mapped;
  if (const int error = check(window, file, mapped); error != 0) return error;
  for (const Mapped& m : mapped_) {
    if (overlap(m.window, window)) return EEXIST;
  }
  if (mapped_.size() == kMostWindows) return ENOSPC;
  const int access = PROT_READ | (window.writable ? PROT_WRITE : 0);
  void* const memory =
      ::mmap(nullptr, window.size, access, MAP_SHARED, file.get(), static_cast<off_t>(window.offset));
  if (memory == MAP_FAILED) return errno;
  mapped.memory = static_cast<std::uint8_t*>(memory);
  mapped_.push_back(mapped);
  return 0;
}

int MappedMemory::unmap(std::uint64_t address, std::uint64_t size) {
  const auto found = std::find_if(mapped_.begin(), mapped_.end(), [&](const Mapped& m) {
    return m.window.address == address && m.window.size == size;
  });
  if (found == mapped_.end()) return ENOENT;
  ::munmap(found->memory, found->window.size);
  mapped_.erase(found);
  return 0;
}

int MappedMemory::replace(const std::vector<Shared>& windows) {
  std::vector<Mapped> before;
  before.swap(mapped_);
  int first_error = 0;
  for (const Shared& wanted : windows) {
    Mapped like;
    int error = check(wanted.window, wanted.file, like);
    const auto kept = std::find_if(before.begin(), before.end(), [&](const Mapped& m) {
      return same(m.window, like.window) && m.device == like.device && m.inode == like.inode;
    });
    const bool again = error == 0 && kept != before.end();
    if (again) {
      mapped_.push_back(*kept);
      before.erase(kept);
    } else if (error == 0) {
      error = map(wanted.window, wanted.file);
    }
    if (first_error == 0) first_error = error;
  }
  for (const Mapped& m : before) ::munmap(m.memory, m.window.size);
  return first_error;
}

MappedMemory::Mapped* MappedMemory::find(std::uint64_t address, std::uint64_t length, std::uint64_t& there) {
  for (Mapped& m : mapped_) {
    if (address < m.window.address || address - m.window.address >= m.window.size) continue;
    there = std::min(length, m.window.size - (address - m.window.address));
    return &m;
  }
  return nullptr;
}

bool MappedMemory::copy(std::uint64_t address, void* to, const void* from, std::uint64_t length) {
  if (guarded_copy(to, from, length)) return true;
  if (!told_) {
    std::fprintf(
        stderr,
        "twinplane: the guest's memory of %llu bytes at 0x%llx is gone: its file has been cut short\n",
        static_cast<unsigned long long>(length), static_cast<unsigned long long>(address));
  }
  told_ = true;
  return false;
}

bool MappedMemory::read(std::uint64_t address, void* data, std::uint64_t length) {
  auto* to = static_cast<std::uint8_t*>(data);
  while (length != 0) {
    std::uint64_t part = 0;
    const Mapped* const m = find(address, length, part);
    if (m == nullptr) return false;
    if (!copy(address, to, m->memory + (address - m->window.address), part)) return false;
    to += part;
    address += part;
    length -= part;
  }
  return true;
}

bool MappedMemory::write(std::uint64_t address, const void* data, std::uint64_t length) {
  const auto* from = static_cast<const std::uint8_t*>(data);
  while (length != 0) {
    std::uint64_t part = 0;
    const Mapped* const m = find(address, length, part);
    if (m == nullptr || !m->window.writable) return false;
    if (!copy(address, m->memory + (address - m->window.address), from, part)) return false;
    from += part;
    address += part;
    length -= part;
  }
  return true;
}

bool MappedMemory::writable(std::uint64_t address, std::uint64_t length) {
  while (length != 0) {
    std::uint64_t part = 0;
    const Mapped* const m = find(address, length, part);
    if (m == nullptr || !m->window.writable) return false;
    address += part;
    length -= part;
  }
  return true;
}

} // namespace twinplane::platform
