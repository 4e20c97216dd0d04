// A guest's physical memory, as the device behind a PCI function reaches it by DMA.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "platform/pci_host/descriptor.h"

namespace twinplane::platform {

class GuestMemory {
 public:
  /// False: not all of [address, address + length) is memory that may be read (written); nothing, or a part
  /// of it, has been moved then.
  virtual bool read(std::uint64_t address, void* data, std::uint64_t length) = 0;
  virtual bool write(std::uint64_t address, const void* data, std::uint64_t length) = 0;
  virtual bool writable(std::uint64_t address, std::uint64_t length) = 0;

 protected:
  ~GuestMemory() = default;
};

/// Windows into files that the guest's owner shares. Whatever windows are asked for, an access outside of
/// them is refused and nothing else happens; so is one to what a file no longer has because its owner has cut
/// it short, and the first such is told on standard error.
class MappedMemory final : public GuestMemory {
 public:
  static constexpr std::size_t kMostWindows = 1024;

  struct Window {
    std::uint64_t address = 0;
    std::uint64_t size = 0;
    std::uint64_t offset = 0; // in the file
    bool writable = true;
  };

  MappedMemory() = default;
  ~MappedMemory();
  MappedMemory(const MappedMemory&) = delete;
  MappedMemory& operator=(const MappedMemory&) = delete;

  /// Adds a window. Returns 0, or the errno that tells what is wrong: EINVAL a window of nothing, beyond the
  /// address space or beyond its file; EEXIST it overlaps another; ENOSPC too many; whatever mmap() says.
  int map(const Window& window, const Descriptor& file);
  /// Takes a window away: it must be one that was added. Returns 0 or ENOENT.
  int unmap(std::uint64_t address, std::uint64_t size);
  void clear();

  struct Shared {
    Window window;
    Descriptor file;
  };
  /// These and no others. What is the same as before is left alone. Returns 0 or the first error; windows in
  /// error are left out.
  int replace(const std::vector<Shared>& windows);

  std::size_t windows() const { return mapped_.size(); }

  bool read(std::uint64_t address, void* data, std::uint64_t length) override;
  bool write(std::uint64_t address, const void* data, std::uint64_t length) override;
  bool writable(std::uint64_t address, std::uint64_t length) override;

 private:
  struct Mapped {
    Window window;
    dev_t device = 0;
    ino_t inode = 0;
    std::uint8_t* memory = nullptr;
  };
  static int check(const Window& window, const Descriptor& file, Mapped& mapped);
  /// The window with this address; `there` is how many of `length` bytes it has. Null: none.
  Mapped* find(std::uint64_t address, std::uint64_t length, std::uint64_t& there);

  bool copy(std::uint64_t address, void* to, const void* from, std::uint64_t length);

  std::vector<Mapped> mapped_;
  bool told_ = false; // of a file that was cut short
};

} // namespace twinplane::platform
