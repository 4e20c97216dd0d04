#include "hw/host_if/data_mover.h"

#include <algorithm>

namespace twinplane::hw {

DataMover::DataMover(const DmaConfig& config, HostAccess& host, DmaNotes& notes)
    : mode_(config.data_mode),
      sector_size_(config.sector_size),
      sector_payload_(payload_bytes(config.data_mode, config.sector_size)),
      host_(host),
      prp_(host, notes) {}

void DataMover::set_memory(std::uint8_t* dram, std::uint32_t bytes) {
  dram_ = dram;
  dram_bytes_ = bytes;
}

template <typename Access>
inline std::uint16_t DataMover::walk(const Span& span, std::uint32_t& position, Slot& slot,
                                     PrpWalker::Use& use, Access access) {
  std::uint32_t page_end = position; // of the page that holds `position`, in the command's data
  std::uint64_t page = 0;            // its address, less where it begins in the command's data
  std::uint32_t left = span.payload;
  while (position != span.end) {
    if (position >= page_end) {
      if (slot.state != SlotState::active) break;
      const HostSegment segment = prp_.resolve(slot, position, use);
      if (segment.status != nvme::status::success) return segment.status;
      page = segment.address - position;
      page_end = position + segment.bytes;
    }
    const std::uint32_t here = std::min(left, page_end - position);
    const HostAnswer answer = here == 0 ? HostAnswer::ok : access(page + position, here);
    if (answer != HostAnswer::ok) return PrpWalker::status_of(answer);
    position += here;
    left -= here;
    if (left != 0) continue;
    position += span.unit - span.payload;
    left = span.payload;
  }
  return nvme::status::success;
}

DataMover::Moved DataMover::move(const DmaDescriptor& run, std::uint32_t before, std::uint32_t count,
                                 Slot& slot, PrpWalker::Use& use) {
  static constexpr std::uint8_t kZeros[PrpWalker::kPageSize] = {};
  const std::uint64_t nominal = bytes_of(run);
  const std::uint64_t buffered = buffered_bytes(run);
  const std::uint64_t start = start_of(run) + before * nominal;
  const std::uint64_t buffer = run.buffer + before * buffered;
  std::uint32_t fitting = count;
  while (fitting != 0 && !fits(run, before + fitting, slot)) --fitting;
  if (fitting == 0) return Moved{0, kMisfit};

  Span span{static_cast<std::uint32_t>(start + fitting * nominal), static_cast<std::uint32_t>(nominal),
            sector_size_, sector_payload_};
  if (raw(run)) span.unit = span.payload = span.piece;
  auto position = static_cast<std::uint32_t>(start);
  HostAccess& host = host_;
  use.begin = position;
  use.piece = span.piece;
  std::uint8_t* data = dram_ + buffer;
  Moved moved{fitting};
  if (to_device(static_cast<DmaOp>(run.op))) {
    if (staged_.size() < fitting * buffered) staged_.resize(fitting * buffered);
    data = staged_.data();
    moved.status = walk(span, position, slot, use, [&](std::uint64_t address, std::uint32_t bytes) {
      data += bytes;
      return host.read(address, data - bytes, bytes, use.call);
    });
  } else if (buffered != 0) {
    moved.status = walk(span, position, slot, use, [&](std::uint64_t address, std::uint32_t bytes) {
      data += bytes;
      return host.write(address, data - bytes, bytes, use.call);
    });
  } else {
    moved.status = walk(span, position, slot, use, [&](std::uint64_t address, std::uint32_t bytes) {
      return host.write(address, kZeros, bytes, use.call);
    });
  }
  if (position != span.end) moved.pieces = (position - static_cast<std::uint32_t>(start)) / span.piece;
  if (to_device(static_cast<DmaOp>(run.op)) && buffered != 0) // without data there is nothing staged
    HostAccess::copy(dram_ + buffer, staged_.data(), static_cast<std::uint32_t>(moved.pieces * buffered));
  if (position == span.end && fitting != count) moved.status = kMisfit;
  return moved;
}

} // namespace twinplane::hw
