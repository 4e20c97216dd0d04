// From a trace's byte ranges to the drive's sectors.
#pragma once

#include <cstdint>

#include "platform/trace/io_record.h"

namespace twinplane::platform {

struct SectorRange {
  std::uint64_t lba = 0;
  std::uint64_t sectors = 0;
};

/// What alignment to the drive's sectors has changed.
struct Unaligned {
  std::uint64_t widened = 0; // reads and writes
  std::uint64_t widened_bytes = 0;
  std::uint64_t shrunk_trims = 0; // with those of no whole sector, which do nothing
  std::uint64_t shrunk_bytes = 0;
  std::uint64_t empty_trims = 0;

  /// A record whose whole sectors have so many bytes, which are not as many as it has itself.
  void count(const IoRecord& record, std::uint64_t bytes) {
    if (record.op == IoOp::trim) {
      ++shrunk_trims;
      shrunk_bytes += record.length - bytes;
      empty_trims += bytes == 0 ? 1 : 0;
    } else if (record.op != IoOp::flush) {
      ++widened;
      widened_bytes += bytes - record.length;
    }
  }
};

class AddressMap {
 public:
  AddressMap() = default;
  /// `modulo`: offsets beyond the drive wrap around; else they do not fit().
  AddressMap(std::uint64_t capacity_sectors, std::uint32_t sector_size, bool modulo)
      : capacity_(capacity_sectors), sector_size_(sector_size), modulo_(modulo) {}

  bool fits(const IoRecord& record) const {
    return modulo_ || (record.offset <= capacity_ * sector_size_ &&
                       record.length <= capacity_ * sector_size_ - record.offset);
  }
  /// Not where the record says: some of it lies beyond the drive and wraps.
  bool folds(const IoRecord& record) const {
    return record.length > capacity_ * sector_size_ ||
           record.offset > capacity_ * sector_size_ - record.length;
  }
  /// Reads and writes are aligned outward to sectors, trims inward: what the host has not discarded must stay.
  /// Starts inside the drive, may end beyond it (wraps: see piece()).
  SectorRange range(const IoRecord& record) const {
    const bool trim = record.op == IoOp::trim;
    const std::uint64_t end = record.offset + record.length; // exclusive byte
    const std::uint64_t first = trim ? sectors_up_to(record.offset) : record.offset / sector_size_;
    const std::uint64_t last = trim ? end / sector_size_ : sectors_up_to(end);
    SectorRange r;
    r.lba = first < capacity_ ? first : first % capacity_;
    r.sectors = record.length == 0 || last < first ? 0 : last - first;
    return r;
  }
  /// Length of the next piece of at most `limit` sectors that starts at `lba`.
  std::uint64_t piece(std::uint64_t lba, std::uint64_t left, std::uint64_t limit) const {
    const std::uint64_t to_end = capacity_ - lba;
    const std::uint64_t n = left < limit ? left : limit;
    return n < to_end ? n : to_end;
  }
  std::uint64_t after(std::uint64_t lba, std::uint64_t sectors) const {
    return lba + sectors == capacity_ ? 0 : lba + sectors;
  }
  std::uint64_t capacity_bytes() const { return capacity_ * sector_size_; }
  std::uint32_t sector_size() const { return sector_size_; }

 private:
  /// With the one that the byte ends in.
  std::uint64_t sectors_up_to(std::uint64_t byte) const { return (byte + sector_size_ - 1) / sector_size_; }

  std::uint64_t capacity_ = 1;
  std::uint32_t sector_size_ = 512;
  bool modulo_ = true;
};

} // namespace twinplane::platform
