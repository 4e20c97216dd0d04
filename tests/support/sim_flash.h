// NAND in plain memory that judges firmware: every rule of the flash contract is checked here on its
// own account, independent of the firmware's tables and of the SystemC model, and a broken rule aborts
// the test program with the rule's name.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <vector>

#include "firmware/ftl/map/unit_map.h"
#include "firmware/ftl/map/unit_word.h"
#include "firmware/ftl/random.h"
#include "hw/spec/data_mode.h"
#include "hw/spec/flash_descriptor.h"
#include "hw/spec/geometry.h"
#include "hw/spec/page_order.h"

namespace twinplane::test {

struct SimFlashRules {
  bool bac = true; // multi-plane commands need equal block addresses
  bool allow_blank_reads = false;
  ProgramOrder order =
      ProgramOrder::strict; // or relaxed: PA-SSD's three constraints, page by page; or ascending
  PageTable page_table = PageTable::diagonal;
  std::uint32_t copybacks = 0;        // of a page in a row
  std::uint32_t partial_programs = 1; // of a page in SLC mode between erases (NOP)
  std::uint32_t fold = 1;             // native pages are programmed so many at a time, those of a wordline
  bool queued_programs = false;       // a program may have been given to the die before the one ahead failed
};

class SimFlash {
 public:
  /// Of a command: its descriptors are joined by `more`.
  static std::uint32_t planes_of(const FlashDescriptor* command);
  SimFlash(const Geometry& geometry, DataMode mode, const SimFlashRules& rules);

  /// Runs one command group (descriptors of one die on one channel, all but the last with `more`)
  /// and fills one completion each. Payloads are read from and written to `dram`.
  void run(std::uint32_t channel, const FlashDescriptor* group, std::uint32_t count, std::uint8_t* dram,
           FlashCompletion* completions);

  /// Single operation with an explicit payload (may be null), and the DRAM that the descriptor's words are
  /// in.
  FlashCompletion run_functional(std::uint32_t channel, const FlashDescriptor& d, std::uint8_t* payload,
                                 std::uint8_t* dram = nullptr);

  /// Device-wide die of a descriptor.
  std::uint32_t die_of(std::uint32_t channel, const FlashDescriptor& d) const;

  using Words = std::array<std::uint64_t, fw::kMaxUnits>;

  struct Page {
    bool programmed = false;
    bool spoilt = false;    // its program has failed, or its data have been lost ...
    bool failed = false;    // ... the former
    std::uint32_t bad = 0;  // sectors that cannot be read, of a page whose others can
    std::uint32_t lost = 0; // of these, that were programmed as lost ones
    std::uint64_t oob = 0;
    Words words = no_words();   // of subpages
    std::uint32_t sectors = 0;  // programmed since the erase
    std::uint32_t programs = 0; // that they took
    std::uint32_t copies = 0;   // by copyback in a row
  };
  const Page& page(const Ppa& a) const { return pages_[page_index(a)]; }
  /// The mode of the first program since the erase.
  bool slc_mode(const Ppa& a) const { return modes_[block_index(a)] == Mode::slc; }
  std::uint32_t programmed_pages(std::uint32_t die, std::uint32_t plane, std::uint32_t block) const;
  std::uint64_t programs() const { return programs_; }
  /// Most programs that a page has taken between two erases.
  std::uint32_t most_programs() const { return most_programs_; }
  std::uint64_t erases() const { return erases_; }
  std::uint64_t copybacks() const { return copybacks_; }
  /// Pages that have been moved by copyback so many times in a row.
  std::uint32_t most_copies() const { return most_copies_; }

  /// `count` programs from the n-th from now on (1 = the next) report FAIL and leave the page unreadable.
  void fail_program(std::uint64_t n, std::uint64_t count = 1) {
    first_failing_ = programs_ + n;
    behind_failing_ = first_failing_ + count;
  }

  /// The page cannot be read any more.
  void spoil(const Ppa& a);
  /// These sectors of it cannot.
  void spoil_sectors(const Ppa& a, std::uint32_t sectors);
  /// Those whose data were among what has been spoilt, by their tags; nothing else is known of cells.
  const std::set<std::uint64_t>& spoilt_lbas() const { return spoilt_lbas_; }
  /// Of these, those of pages that do not even tell their word.
  const std::set<std::uint64_t>& wordless_lbas() const { return wordless_lbas_; }
  /// The words of subpages with such data in them.
  const std::set<std::uint64_t>& spoilt_words() const { return spoilt_words_; }
  /// A power cut in the middle of this command (`running`: planes, as bits, that it has not completed in).
  /// Pages being programmed cannot be read, nor the lower pages of their wordlines; blocks being erased have
  /// to be erased again before they are programmed.
  void interrupt(std::uint32_t channel, const FlashDescriptor* group, std::uint32_t count, std::uint8_t* dram,
                 std::uint32_t running);
  /// Reads of erased pages: an error of the firmware, unless it looks for what is written.
  void allow_blank_reads(bool allowed) { rules_.allow_blank_reads = allowed; }
  /// What a sector of a programmed page holds.
  SectorTag tag(const Ppa& a, std::uint32_t sector) const;
  /// Each read spoils its page, or some of its sectors, with a chance of `permille` in a thousand. With
  /// `keeps_words` it spoils the data alone, of some sectors or all.
  void fail_reads(std::uint32_t permille, std::uint64_t seed, bool keeps_words = false) {
    spoiling_permille_ = permille;
    keeps_words_ = keeps_words;
    read_random_ = fw::Random(seed);
  }

  /// Each program fails with a chance of `permille` in a thousand.
  void fail_programs(std::uint32_t permille, std::uint64_t seed) {
    failing_permille_ = permille;
    random_ = fw::Random(seed);
  }
  /// The same of each erase, which then leaves garbage.
  void fail_erases(std::uint32_t permille, std::uint64_t seed) {
    failing_erases_permille_ = permille;
    erase_random_ = fw::Random(seed);
  }

  /// The maker's mark: a bad block, which may only be read.
  void mark(const Ppa& block) { marked_[block_index(block)] = true; }
  bool marked(const Ppa& block) const { return marked_[block_index(block)]; }

 private:
  static Words no_words() {
    Words w;
    w.fill(fw::kNoWord);
    return w;
  }
  Ppa place(std::uint32_t channel, const FlashDescriptor& d) const;
  std::size_t block_index(const Ppa& a) const;
  std::size_t page_index(const Ppa& a) const { return block_index(a) * geometry_.pages_per_block + a.page; }
  void check_group(const std::vector<Ppa>& places, const FlashDescriptor* group, std::uint32_t count) const;
  void check_pass(const std::vector<Ppa>& places, const FlashDescriptor* group, std::uint32_t count) const;
  void fail_pass(const std::vector<Ppa>& places, std::uint32_t count, FlashCompletion* completions);
  FlashCompletion execute(std::uint32_t channel, const Ppa& a, const FlashDescriptor& d,
                          std::uint8_t* payload);
  void move_words(const Ppa& a, const FlashDescriptor& d, std::uint8_t* dram);
  void read(const Ppa& a, const FlashDescriptor& d, std::uint8_t* payload, FlashCompletion& c);
  void program(const Ppa& a, const FlashDescriptor& d, const std::uint8_t* payload, FlashCompletion& c);
  void copy(std::uint32_t channel, const Ppa& a, const FlashDescriptor& d, FlashCompletion& c);
  void check_again(const Ppa& a, const FlashDescriptor& d) const;
  bool in_other_mode(const Ppa& a, const FlashDescriptor& d) const;
  void read_in_other_mode(const Ppa& a, const FlashDescriptor& d, FlashCompletion& c) const;
  void check_mode(const Ppa& a, const FlashDescriptor& d) const;
  void check_order(const Ppa& a, bool slc) const;
  [[nodiscard]] bool erase(const Ppa& a);
  bool read_mark(const Ppa& a, FlashCompletion& c) const;
  void ruin(const Ppa& a);
  void note_spoilt(const Ppa& a, std::uint32_t sectors, bool wordless);
  void store_lost(const Ppa& a, std::uint32_t sectors);
  [[noreturn]] static void broken(const char* rule, const Ppa& a);

  Geometry geometry_;
  RowLayout layout_;
  SimFlashRules rules_;
  std::uint32_t payload_;
  std::vector<Page> pages_;
  std::vector<std::uint8_t> data_;
  PageOrderTable table_;
  std::vector<std::uint32_t> written_; // programs of each block since its erase
  enum class Mode : std::uint8_t { erased, native, slc };
  std::vector<Mode> modes_;  // of each block
  std::vector<bool> marked_; // the same
  std::uint32_t most_programs_ = 0;
  std::set<std::uint64_t> spoilt_lbas_;
  std::set<std::uint64_t> wordless_lbas_;
  std::set<std::uint64_t> spoilt_words_;
  bool keeps_words_ = false;
  std::uint64_t programs_ = 0;
  std::uint64_t erases_ = 0;
  std::uint64_t copybacks_ = 0;
  std::uint32_t most_copies_ = 0;
  std::uint64_t first_failing_ = 0;
  std::uint64_t behind_failing_ = 0;
  std::uint32_t failing_permille_ = 0;
  std::uint32_t failing_erases_permille_ = 0;
  std::uint32_t spoiling_permille_ = 0;
  fw::Random random_{1};
  fw::Random erase_random_{1};
  fw::Random read_random_{1};
};

} // namespace twinplane::test
