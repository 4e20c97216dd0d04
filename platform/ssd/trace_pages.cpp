#include "platform/ssd/trace_pages.h"

#include "platform/host/address_map.h"

namespace twinplane::platform {
namespace {

class FirstTouch {
 public:
  FirstTouch(std::uint64_t sectors, std::uint32_t sectors_per_page)
      : per_page_(sectors_per_page), decided_(sectors), wanted_(sectors / sectors_per_page) {}

  /// `sectors` from `lba` on, inside the drive.
  void take(IoOp op, std::uint64_t lba, std::uint64_t sectors) {
    switch (op) {
      case IoOp::read:
        for (std::uint64_t s = lba; s < lba + sectors; ++s) {
          if (!decided_[s]) wanted_[s / per_page_] = true;
        }
        break;
      case IoOp::write:
        decide(lba, lba + sectors);
        break;
      case IoOp::trim: // only whole pages lose their content
        decide((lba + per_page_ - 1) / per_page_ * per_page_, (lba + sectors) / per_page_ * per_page_);
        break;
      case IoOp::flush:
        break;
    }
  }
  std::vector<bool> wanted() && { return std::move(wanted_); }

 private:
  void decide(std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t s = from; s < to; ++s) decided_[s] = true;
  }

  std::uint64_t per_page_;
  std::vector<bool> decided_; // by sector: what was there before the run cannot be read any more
  std::vector<bool> wanted_;  // by page
};

/// The records of all rounds; of rounds that are alike the first stands for all.
class AllRounds {
 public:
  AllRounds(const HostKeys& host, const AddressMap& map, IoSource& source)
      : host_(host), map_(map), source_(source) {}

  bool next(IoRecord& record) {
    if (host_.max_requests != 0 && read_ == host_.max_requests) return false;
    while (!source_.next(record)) {
      if (!wants_round()) return false;
      source_.next_round();
      in_round_ = 0;
    }
    ++read_;
    ++in_round_;
    if (record.op == IoOp::write) written_ += map_.range(record).sectors * map_.sector_size();
    return true;
  }

 private:
  bool wants_round() {
    ++round_;
    if (in_round_ == 0 || host_.repeat_rounds || !source_.rounds_differ()) return false;
    if (host_.drive_writes == 0) return round_ < host_.rounds;
    const double capacity = static_cast<double>(map_.capacity_bytes());
    return written_ != 0 && static_cast<double>(written_) < host_.drive_writes * capacity;
  }

  const HostKeys& host_;
  const AddressMap& map_;
  IoSource& source_;
  std::uint64_t round_ = 0, read_ = 0, in_round_ = 0, written_ = 0;
};

} // namespace

std::vector<bool> pages_read_first(const Config& config, std::uint64_t exported_sectors, IoSource& source) {
  const AddressMap map(exported_sectors, config.geometry.sector_size, config.host.remap == Remap::modulo);
  FirstTouch touch(exported_sectors, config.geometry.sectors_per_page());
  AllRounds records(config.host, map, source);
  IoRecord record;
  while (records.next(record)) {
    if (record.op == IoOp::flush) continue;
    if (!map.fits(record)) break; // the replay ends there, with an error
    const SectorRange range = map.range(record);
    std::uint64_t lba = range.lba;
    for (std::uint64_t left = range.sectors; left != 0;) {
      const std::uint64_t n = map.piece(lba, left, left);
      touch.take(record.op, lba, n);
      lba = map.after(lba, n);
      left -= n;
    }
  }
  source.rewind();
  return std::move(touch).wanted();
}

} // namespace twinplane::platform
