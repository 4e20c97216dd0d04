#include "platform/config/dram_needs.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

#include "firmware/boot/firmware.h"
#include "hw/spec/registers.h"
#include "platform/config/convert.h"
#include "platform/config/derived.h"

namespace twinplane::platform {
namespace {

/// A core whose registers hold nothing and whose blocks are all good, with as much memory as 32-bit offsets
/// reach, and any amount for tables. Memory costs something where it is touched.
class EmptyBoard final : public fw::Hal {
 public:
  explicit EmptyBoard(std::uint32_t slots) : slots_(slots) {
    constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* const memory = mmap(nullptr, kDram, PROT_READ | PROT_WRITE, kFlags, -1, 0);
    if (memory != MAP_FAILED) dram_ = static_cast<std::uint8_t*>(memory);
  }
  ~EmptyBoard() {
    if (dram_ != nullptr) munmap(dram_, kDram);
  }
  EmptyBoard(const EmptyBoard&) = delete;
  EmptyBoard& operator=(const EmptyBoard&) = delete;

  std::uint32_t mmio_read(std::uint32_t address) override {
    return address == reg::kHostBase + reg::host::max_slots ? slots_ : 0;
  }
  void mmio_write(std::uint32_t, std::uint32_t) override {}
  std::uint8_t* dram() override { return dram_; }
  std::uint32_t dram_size() const override { return dram_ == nullptr ? 0 : kDram; }
  void* boot_alloc(std::size_t bytes) override {
    taken_ += (bytes + DramNeeds::kAlignment - 1) / DramNeeds::kAlignment * DramNeeds::kAlignment;
    tables_.emplace_back(std::calloc(std::max<std::size_t>(bytes, 1), 1));
    return tables_.back().get();
  }
  void charge(std::uint32_t) override {}
  std::uint64_t now_ps() const override { return 0; }
  void wait_for_interrupt() override { panic("no interrupt ever comes"); }
  FlashCompletion flash_functional(std::uint32_t, const FlashDescriptor&, std::uint8_t*) override {
    FlashCompletion erased;
    erased.result = flash_result::blank;
    erased.oob = ~std::uint64_t{0};
    return erased;
  }
  [[noreturn]] void panic(const char* what) override { throw what; }

  std::uint64_t taken() const { return taken_; }

 private:
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  static constexpr std::uint32_t kDram = 0xFFFF'F000u;

  std::uint32_t slots_;
  std::uint8_t* dram_ = nullptr;
  std::vector<std::unique_ptr<void, Free>> tables_;
  std::uint64_t taken_ = 0;
};

std::string mebibytes(std::uint64_t bytes) {
  const std::uint64_t tenths = (bytes * 10 + (1u << 20) - 1) >> 20;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + "MiB";
}

} // namespace

namespace {

std::optional<DramNeeds> needs_of(const Config& config, bool used_cells) {
  EmptyBoard board(config.host.slots);
  const auto firmware = std::make_unique<fw::Firmware>();
  fw::FirmwareConfig c = to_firmware_config(config);
  c.ftl.used_cells = used_cells;
  c.ftl.marked_blocks = false; // there is no flash to look at
  try {
    if (firmware->boot(board, c).text != nullptr) return {};
  } catch (const char*) {
    return {};
  }
  DramNeeds needs{firmware->dram_use()};
  needs.tables = board.taken() - needs.map;
  const fw::FtlStatistics& statistics = firmware->ftl().statistics();
  needs.trims_kept = statistics.metadata_kept;
  needs.bad_blocks_kept = statistics.bad_blocks_kept;
  needs.map_kept = statistics.map_kept;
  needs.exported_bytes = firmware->ftl().exported_sectors() * config.geometry.sector_size;
  return needs;
}

} // namespace

/// A drive that comes back after a power cut needs more tables to find its others with.
std::optional<DramNeeds> dram_needs(const Config& config) {
  const std::optional<DramNeeds> with_recovery = needs_of(config, true);
  return with_recovery ? with_recovery : needs_of(config, false);
}

std::uint64_t exported_bytes(const Config& config) {
  const std::optional<DramNeeds> needs = dram_needs(config);
  return needs ? needs->exported_bytes : derive(config).exported_bytes;
}

std::uint64_t dram_bytes(const Config& config, const std::optional<DramNeeds>& needs) {
  if (config.dram.size != 0) return config.dram.size;
  constexpr std::uint64_t kMiB = 1u << 20;
  return needs ? (needs->total() + kMiB - 1) / kMiB * kMiB : 64 * kMiB;
}

std::string text_of(const DramNeeds& needs) {
  return mebibytes(needs.total()) + " (map " + mebibytes(needs.map) + ", other tables " +
         mebibytes(needs.tables) + ", rings " + mebibytes(needs.rings) + ", write buffer " +
         mebibytes(needs.write_buffer) + ", buffers of pages on their way " + mebibytes(needs.page_buffers) +
         ")";
}

} // namespace twinplane::platform
