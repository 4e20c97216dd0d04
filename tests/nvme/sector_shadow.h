// What each sector of a drive may hold, when writes overlap, fail, or are cut off by a reset.
//
// Each write has a version of its own, and a sector tells its version and address. A sector may hold any
// version that was not superseded by a write that began after that version had been acknowledged. What a
// command that ended without a clear outcome wrote may or may not be there; the first read that nothing
// overlaps decides it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hw/spec/sim_time.h"

namespace twinplane::test {

class SectorShadow {
 public:
  explicit SectorShadow(std::uint32_t sector_bytes) : bytes_(sector_bytes) {}

  /// A version that no sector has held yet.
  std::uint32_t next_version() { return ++last_version_; }
  /// The bytes of a sector; version 0 is zeros.
  void fill(std::uint8_t* sector, std::uint32_t version, std::uint64_t lba) const;

  /// A command begins to write `version`; afterwards the sector reads as what fill() makes of `content`: the
  /// version, 0, or not at all (kSpoilt).
  void begin(std::uint64_t lba, std::uint32_t version, std::uint32_t content);
  static constexpr std::uint32_t kSpoilt = 0xFFFF'FFFF;
  /// All sectors are zeros; nothing is outstanding.
  void all_zeros(TimePs now);
  /// A read sent at `sent` may, or must, have met a spoilt sector.
  bool may_be_spoilt(std::uint64_t lba, TimePs sent) const;
  bool must_be_spoilt(std::uint64_t lba, TimePs sent) const;
  /// It was sent at `sent` and has succeeded at `now`.
  void succeeded(std::uint64_t lba, std::uint32_t version, TimePs sent, TimePs now);
  /// It has ended: the sector may have been written or not.
  void unclear(std::uint64_t lba, std::uint32_t version, TimePs now);
  /// It has ended: the sector must not have been written.
  void untouched(std::uint64_t lba, std::uint32_t version);

  /// A read sent at `sent` has brought these bytes at `now`; what is wrong with them, empty when nothing is.
  std::string check(std::uint64_t lba, const std::uint8_t* sector, TimePs sent, TimePs now);
  /// No read that has been sent before `time` will be checked any more: what was superseded before is forgotten. By
  /// time and not by number, for one reset may leave any number of writes unclear.
  void forget_before(TimePs time);
  /// The only content the sector can have from `sent` on, as a version for fill(); false when there are
  /// several.
  bool certain(std::uint64_t lba, TimePs sent, std::uint32_t& version) const;
  std::uint64_t checked() const { return checked_; }

 private:
  struct Candidate {
    std::uint32_t version = 0;
    std::uint32_t content = 0; // version for fill()
    bool pending = false;
    TimePs ended = 0;
  };
  struct Past {
    std::uint32_t content = 0;
    TimePs until = 0;
  };
  struct Sector {
    std::vector<Candidate> candidates{Candidate{}};
    std::vector<Past> past; // superseded; reads sent before may still bring it
  };

  bool only_content(std::uint64_t lba, TimePs sent, std::uint32_t& version) const;
  std::string describe(const std::uint8_t* sector, std::uint64_t lba) const;
  bool holds(const std::uint8_t* sector, std::uint32_t content, std::uint64_t lba) const;
  std::uint64_t first_word(std::uint32_t version, std::uint64_t lba) const;

  std::uint32_t bytes_;
  std::uint32_t last_version_ = 0;
  std::uint64_t checked_ = 0;
  std::map<std::uint64_t, Sector> sectors_;
};

} // namespace twinplane::test
