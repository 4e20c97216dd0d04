#include "platform/model/trace_pages.h"

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

} // namespace

std::vector<bool> pages_read_first(const Config& config, std::uint64_t exported_sectors, IoSource& source) {
  const AddressMap map(exported_sectors, config.geometry.sector_size, config.host.remap == Remap::modulo);
  FirstTouch touch(exported_sectors, config.geometry.sectors_per_page());
  const std::uint64_t limit = config.host.max_requests;
  IoRecord record;
  for (std::uint64_t i = 0; (limit == 0 || i < limit) && source.next(record); ++i) {
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
