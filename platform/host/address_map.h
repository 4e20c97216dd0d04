// From a trace's byte ranges to the drive's sectors.
#pragma once

#include <cstdint>

#include "platform/trace/io_record.h"

namespace twinplane::platform {

struct SectorRange {
  std::uint64_t lba = 0;
  std::uint64_t sectors = 0;
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
  /// Aligned outward to sectors; starts inside the drive, may end beyond it (wraps: see next_piece()).
  SectorRange range(const IoRecord& record) const {
    const std::uint64_t first = record.offset / sector_size_;
    const std::uint64_t last = record.offset + record.length; // exclusive byte
    SectorRange r;
    r.lba = first < capacity_ ? first : first % capacity_;
    r.sectors = record.length == 0 ? 0 : (last + sector_size_ - 1) / sector_size_ - first;
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
  std::uint64_t capacity_ = 1;
  std::uint32_t sector_size_ = 512;
  bool modulo_ = true;
};

} // namespace twinplane::platform
