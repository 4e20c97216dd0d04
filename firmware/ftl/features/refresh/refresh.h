// Refresh: what the cells hold is written once more, elsewhere, before too many of its bits are wrong.
//
// A block is due when a read of one of its pages had to correct too many bits or needed a further read level, and when
// it has been read too often (read reclaim). It is collected before others, whatever is valid in it, as soon as it is
// full and its plane has room. Pages that the host does not read are looked at by the patrol, which goes by all pages in
// turn, a die after the other, once in `refresh.patrol_ms`, and reads those of full blocks that are valid. It reads
// as many at a time as are due by then, one of each die at most, and rests for seven times as long as that has taken: so a
// die gives it an eighth of its time at most, a pass may take longer, and in between nothing of it is under way. That
// matters: whether a drive can make space any more is judged when nothing is.
//
// How often a block has been read is forgotten with the supply, and so is what is due: the patrol, or the host, finds
// it again. A page whose data are lost already makes no block due: every read of it fails, wherever it is.
#pragma once

#include <cstdint>

#include "firmware/ftl/bit_rows.h"
#include "firmware/ftl/feature_set.h"
#include "firmware/ftl/transaction.h"

namespace twinplane::fw {

class Refresh final : public Feature, public OpOwner {
 public:
  static constexpr std::uint32_t kMostPatrolReads = 32; // at a time

  explicit Refresh(const FtlConfig& config);
  [[nodiscard]] std::uint32_t hooks() const override {
    return hook_set(Hook::read, Hook::moved, Hook::victim);
  }
  void boot(BootMemory& memory, const Pipeline& pipeline) override;

  void host_read(std::uint32_t lpn, Ppn page, const FlashCompletion& c) override;
  void block_erased(Ppn page) override;
  [[nodiscard]] std::uint32_t victim(std::uint32_t site) const override;
  [[nodiscard]] ProgramCause cause_of_victim() const override { return ProgramCause::refresh; }

  bool step(bool admits) override;
  [[nodiscard]] bool idle() const override { return patrol_reads_ == 0; }
  void quiesce() override { resting_ = true; }
  void resume() override { resting_ = false; }
  void serialise_tables(StateVisitor& visitor) override;

 private:
  static const OpTraits kPatrol;

  /// The next page of a plane that the patrol looks at.
  struct Place {
    std::uint32_t block;
    std::uint32_t page;
  };

  /// What a look of the patrol has gone by: each page has its share of the time of a pass, whether it is read or not.
  struct Passed {
    std::uint32_t pages = 0;
    bool reads = false;
  };

  void patrol(std::uint64_t now_ps);
  void begin_reads(std::uint64_t now_ps);
  Passed read_next();
  [[nodiscard]] std::uint32_t find_page(std::uint32_t plane, Ppn& page);
  [[nodiscard]] std::uint32_t sectors_of(Ppn page) const;
  void patrol_done(Transaction& t, const FlashCompletion& c);
  void judge(Ppn page, const FlashCompletion& c);
  void make_due(std::uint32_t site, std::uint32_t block, std::uint32_t plane);
  [[nodiscard]] std::size_t index(Ppn page) const;

  FtlState* state_ = nullptr;
  Collector* collector_ = nullptr;
  HostPath* host_ = nullptr;
  std::uint64_t most_reads_;       // of a block, 0: any number
  std::uint64_t most_corrected_;   // bits of a page, 0: any number
  std::uint64_t patrol_ps_;        // of all pages, 0: there is no patrol
  std::uint64_t gap_ps_ = 0;       // between two pages of it
  std::uint32_t* reads_ = nullptr; // by block, since its last erase
  BitRows due_;                    // by site: units
  std::uint32_t due_count_ = 0;    // of all sites
  Place* places_ = nullptr;        // of the patrol, by plane
  std::uint32_t turn_ = 0;         // of the planes
  std::uint32_t patrol_reads_ = 0; // under way
  std::uint64_t next_ps_ = 0;      // when the next page is due, 0: the patrol has not begun
  std::uint64_t rested_ps_ = 0;    // until then it rests
  Alarm alarm_;                    // for that
  std::uint64_t alarm_ps_ = 0;
  std::uint64_t begun_ps_ = 0;         // when what is under way was
  std::uint32_t most_at_once_ = 0;     // of its reads: no more than there are dies
  bool resting_ = true;                // until a host is there
  std::uint64_t* patrolled_ = nullptr; // counters of the report
  std::uint64_t* passes_ = nullptr;
  std::uint64_t* refreshed_ = nullptr;
};

} // namespace twinplane::fw
