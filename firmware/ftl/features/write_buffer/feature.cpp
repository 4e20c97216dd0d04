#include "firmware/ftl/features/write_buffer/buffered_writes.h"
#include "firmware/ftl/features/write_buffer/key.h"
#include "firmware/ftl/io/host_path.h"
#include "firmware/hal/dram_layout.h"

namespace twinplane::fw {

namespace {

/// No stage tells it anything: those of the host's requests ask the buffer itself.
class WriteBufferFeature final : public Feature {
 public:
  explicit WriteBufferFeature(const FtlConfig& config) : pages_(config.write_buffer_pages) {}

  std::uint32_t hooks() const override { return hook_set(); }
  const char* take_dram(BootMemory& memory, DramLayout& dram, std::uint32_t page) override {
    const std::uint32_t buffers = dram.take(std::uint64_t{pages_} * page);
    if (dram.exhausted()) return "dram.size: too small for ftl.write_buffer";
    slots_ = make_lru_write_buffer(memory, pages_, buffers, page);
    return nullptr;
  }
  void boot(BootMemory& memory, const Pipeline& pipeline) override {
    HostPath& host = pipeline.host;
    BufferedWrites* const writes = memory.make<BufferedWrites>(host.write_path, *slots_);
    if (writes != nullptr) host.use_buffer(*writes);
  }

 private:
  std::uint32_t pages_;
  WriteBuffer* slots_ = nullptr;
};

Feature* make_write_buffer(BootMemory& memory, const FtlConfig& config) {
  return memory.make<WriteBufferFeature>(config);
}

} // namespace

const FeatureRow& write_buffer_feature() {
  static constexpr FeatureRow kRow{write_buffer_key(), make_write_buffer};
  return kRow;
}

} // namespace twinplane::fw
