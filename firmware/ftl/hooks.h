// Hook points: what the pipeline tells features of, and asks them, without knowing any (docs/extending.md).
//
// A feature overrides the hooks that it wants and names them when it boots. make_features() (feature_set.h) makes
// the features of a drive, and Hooks calls each of them, in the order of its rows, where a mask says that it wants that.
// A hook that no feature of the drive wants costs one test.
//
// What is answered only when it outlasts a power cut asks Durability, which one feature at most provides.
#pragma once

#include <cstddef>
#include <cstdint>

#include "firmware/ftl/bits.h"
#include "firmware/ftl/block_table.h"
#include "firmware/ftl/transaction.h"
#include "hw/spec/flash_descriptor.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::fw {

class BootMemory;
class Collector;
class DieQueues;
class DramLayout;
class FoundMetadata;
class HostPath;
class Hooks;
struct FtlState;
struct RecoveryPart;
struct RecoveryStages;
struct Request;

/// Who ends a transaction that a feature has held.
class Completions {
 public:
  virtual void deliver(Transaction& t, const FlashCompletion& c) = 0;

 protected:
  ~Completions() = default;
};

/// The stages that features call down to.
struct Pipeline {
  FtlState& state;
  DieQueues& board;
  Collector& collector;
  HostPath& host;
  Completions& completions;
};

enum class Hook : std::uint8_t {
  programmed, // programmed, programmed_untimed, end_held
  moved,      // may_copy_back, moved, block_erased
  unmapped,   // unmapped
  unreadable, // unreadable
  read,       // host_read
  may_erase,  // may_erase
  request,    // begin, progress
  victim,     // victim
  blocks      // owns and all of recovery
};
constexpr std::uint32_t kHooks = 9;

template <class... H>
constexpr std::uint32_t hook_set(H... hooks) {
  return ((1u << static_cast<std::uint32_t>(hooks)) | ... | 0u);
}

/// What a feature takes from the drive.
struct FeatureNeeds {
  std::uint64_t blocks = 0;       // that are set aside, of the whole drive
  std::uint32_t most_waiting = 0; // programs that it may hold at a time
  bool own_operations = false;    // it begins one operation of its own per site at a time
};

class Feature {
 public:
  // --- composition ---
  /// Before the capacity is sized, while all blocks are free. Returns an error text, or nullptr.
  virtual const char* reserve(BootMemory& /*memory*/, FtlState& /*state*/) { return nullptr; }
  [[nodiscard]] virtual FeatureNeeds needs() const { return {}; }
  /// Takes buffers of its own in device DRAM, of so many bytes for each page. Returns an error text, or nullptr.
  virtual const char* take_dram(BootMemory& /*memory*/, DramLayout& /*dram*/, std::uint32_t /*page*/) {
    return nullptr;
  }
  /// The hooks that it wants (hook_set()); asked behind reserve().
  [[nodiscard]] virtual std::uint32_t hooks() const = 0;
  /// Behind all stages of the pipeline.
  virtual void boot(BootMemory& /*memory*/, const Pipeline& /*pipeline*/) {}

  // --- programs ---
  /// t has been programmed, or has failed. True: it is held, until end_held() delivers it.
  [[nodiscard]] virtual bool programmed(Transaction& /*t*/, const FlashCompletion& /*c*/) { return false; }
  /// A page has been programmed in no time.
  virtual void programmed_untimed(Ppn /*page*/) {}
  /// Delivers what need not be held any more. False: there was nothing.
  virtual bool end_held() { return false; }

  // --- pages and blocks ---
  /// The page's next move may be one by copyback; and one has been.
  [[nodiscard]] virtual bool may_copy_back(Ppn /*page*/) const { return false; }
  virtual void moved(Ppn /*from*/, Ppn /*to*/) {}
  virtual void block_erased(Ppn /*page*/) {}
  /// A page has been read for the host, of this LPN.
  virtual void host_read(std::uint32_t /*lpn*/, Ppn /*page*/, const FlashCompletion& /*c*/) {}
  /// The LPN is unmapped; `newest` (or kNoPpn) held its newest version, or some of it.
  virtual void unmapped(std::uint32_t /*lpn*/, Ppn /*newest*/) {}
  /// The block of the page holds the newest version of what has been unmapped, or may be.
  virtual void holds_unmapped(Ppn /*page*/) {}
  /// Sectors of the LPN are lost.
  virtual void unreadable(std::uint32_t /*lpn*/) {}
  /// A closed unit of the site that is to be collected before others, whatever is valid in it; kNoBlock: there is none.
  [[nodiscard]] virtual std::uint32_t victim(std::uint32_t /*site*/) const { return kNoBlock; }
  /// What the programs of its moves are counted as.
  [[nodiscard]] virtual ProgramCause cause_of_victim() const { return ProgramCause::gc; }
  /// The unit may be erased. False: what it waits for is being seen to.
  [[nodiscard]] virtual bool may_erase(std::uint32_t /*site*/, std::uint32_t /*block*/) { return true; }

  // --- requests that the feature executes ---
  virtual void begin(Request& /*r*/) {}
  /// In 65536ths.
  [[nodiscard]] virtual std::uint16_t progress() const { return 0; }

  // --- turns of the firmware ---
  /// While it is awake (Hooks::wake). `admits`: new work may be begun, for the drive is neither recovering nor out of
  /// supply. True when others may go on.
  virtual bool step(bool /*admits*/) { return false; }
  /// Nothing of it is under way.
  [[nodiscard]] virtual bool idle() const { return true; }
  /// No more of the host comes until resume().
  virtual void quiesce() {}
  virtual void resume() {}
  /// No data of the host count any more: what it has copied of them is erased (or no longer).
  virtual void purge(bool /*begins*/) {}
  /// Nothing may be under way. Tables of pages and blocks come first, those of stages behind all others.
  virtual void serialise_tables(StateVisitor& /*visitor*/) {}
  virtual void serialise(StateVisitor& /*visitor*/) {}

  // --- pages that untimed programs or an earlier life have left without protection ---
  virtual void protect() {}
  [[nodiscard]] virtual bool all_protected() const { return true; }

  // --- recovery, in this order (recovery/recovery.h) ---
  /// The unit is the feature's own: no write of the host or of collection goes there.
  [[nodiscard]] virtual bool owns(std::uint32_t /*site*/, std::uint32_t /*block*/) const { return false; }
  /// The page, of a block that it owns, holds that word.
  virtual void scanned(Ppn /*page*/, std::uint64_t /*oob*/) {}
  /// The block has gone bad in an earlier life.
  virtual void found_bad(std::uint32_t /*site*/, std::uint32_t /*block*/) {}
  struct Version {
    std::uint32_t lpn;
    std::uint32_t stamp;
    Ppn page;
  };
  /// The next version that it can deliver in place of a page that cannot be read, from `at` on, which is moved behind
  /// it. False: there is none.
  [[nodiscard]] virtual bool next_repair(std::size_t& /*at*/, Version& /*version*/) const { return false; }
  /// So many pages of the block are written, and so many of its wordlines complete. For all blocks, in order.
  virtual void found_block(std::uint32_t /*plane*/, std::uint32_t /*block*/, std::uint32_t /*pages*/,
                           std::uint32_t /*wordlines*/) {}
  /// The written pages of the block have been taken, or those that are not: they will not be written.
  virtual void reopened(std::uint32_t /*plane*/, std::uint32_t /*block*/, bool /*written*/) {}
  /// Recovery has opened a unit in which no writes go on. True: the feature uses it up.
  [[nodiscard]] virtual bool adopt(std::uint32_t /*site*/, std::uint32_t /*block*/) { return false; }
  /// The map is known, with the stamp of each LPN's page.
  virtual void rebuilt(const std::uint32_t* /*stamp_of*/) {}
  /// The next LPN that only the feature holds, and that is to be written again; kNoLpn: there is none.
  [[nodiscard]] virtual std::uint32_t next_rescued(std::size_t& /*at*/) const { return kNoLpn; }

 protected:
  ~Feature() = default;
};

/// What makes durable what out-of-band words do not tell, in epochs. As it is, nothing is written and nothing waits.
class Durability {
 public:
  /// Trims are written; the block table is; and the map.
  [[nodiscard]] virtual bool keeps_trims() const { return false; }
  [[nodiscard]] virtual bool keeps_tables() const { return false; }
  [[nodiscard]] virtual bool keeps_map() const { return false; }

  /// There is room to write whatever a trim may ask for. False: it is being made.
  [[nodiscard]] virtual bool ready() { return true; }
  /// A version of the LPN that the host knows to be written has gone before it came to the flash.
  virtual void dropped(std::uint32_t /*lpn*/) {}
  /// Blocks have gone bad, the drive is read-only, or what the front end counts must not be lost.
  virtual void table_changed() {}

  /// What has happened to the unit's pages need not be written before it is erased; or: it does, and is being.
  [[nodiscard]] virtual bool has_told(std::uint32_t /*site*/, std::uint32_t /*block*/) const { return false; }
  [[nodiscard]] virtual bool holds(std::uint32_t /*site*/, std::uint32_t /*block*/) { return false; }

  /// All that has happened, all that a flush of the host promises, or all tables are to be written. Returns what
  /// durable_up_to() tells the end by.
  [[nodiscard]] virtual std::uint32_t begin_commit() { return 0; }
  [[nodiscard]] virtual std::uint32_t begin_flush_of_host() { return 0; }
  [[nodiscard]] virtual std::uint32_t begin_checkpoint(bool /*shut_down*/) { return 0; }
  [[nodiscard]] virtual bool durable_up_to(std::uint32_t /*epoch*/) const { return true; }
  /// Nothing that has happened to the LPN has to be written.
  [[nodiscard]] virtual bool durable(std::uint32_t /*lpn*/) const { return true; }
  /// The transaction waits for that, and is given back by take_durable() (nullptr: none is ready).
  virtual void wait(Transaction& /*t*/) {}
  virtual Transaction* take_durable() { return nullptr; }

  /// Writes as far as it can. True when something has become durable, or a trim need not wait any more.
  [[nodiscard]] virtual bool write() { return false; }
  /// There may be something to write; nothing is being written, or is to be.
  [[nodiscard]] virtual bool may_write() const { return false; }
  [[nodiscard]] virtual bool all_written() const { return true; }
  /// What is to be written finds no block, or too many writes have no page yet that it would have to tell of.
  [[nodiscard]] virtual bool waits_for_space() const { return false; }
  /// The drive is out of space: blocks go back to it, for good. False: there are none.
  [[nodiscard]] virtual bool give_back() { return false; }
  /// The longest that a checkpoint may take; 0: none is written.
  [[nodiscard]] virtual std::uint64_t longest_checkpoint_ps() const { return 0; }
  /// A host is here, again perhaps.
  virtual void opened() {}

  // --- recovery ---
  /// Reads what has been written in an earlier life. nullptr: nothing is, or the memory is exhausted.
  virtual FoundMetadata* make_recovery(BootMemory& /*memory*/, const RecoveryPart& /*part*/,
                                       const RecoveryStages& /*stages*/) {
    return nullptr;
  }
  /// Of the word of a page: which copy of what is written it is of, + 1; 0: it is another page's.
  [[nodiscard]] virtual std::uint32_t copy_of_word(std::uint64_t /*oob*/) const { return 0; }

 protected:
  ~Durability() = default;
};

/// Of a drive without such a feature.
class NothingToWrite final : public Durability {};

class Hooks {
 public:
  static constexpr std::uint32_t kMost = 16; // features of a drive

  explicit Hooks(FtlState& state) : state_(state) {}
  Hooks(const Hooks&) = delete;
  Hooks& operator=(const Hooks&) = delete;
  /// Behind the others.
  void add(Feature& feature) { features_[count_++] = &feature; }
  /// Asks all features which hooks they want.
  void ask();
  /// What they take from the drive together.
  [[nodiscard]] FeatureNeeds needs() const;
  template <class Each>
  void for_each(const Each& each) const {
    for (std::uint32_t i = 0; i < count_; ++i) each(*features_[i]);
  }
  [[nodiscard]] bool wants(Hook hook) const { return wanted_[static_cast<std::uint32_t>(hook)] != 0; }

  // --- turns: a feature that is awake is called by pump() ---
  void wake(const Feature& feature) { awake_ |= bit_of(feature); }
  void sleep(const Feature& feature) { awake_ &= ~bit_of(feature); }
  [[nodiscard]] bool any_awake() const { return awake_ != 0; }
  bool step(bool admits);
  [[nodiscard]] bool idle() const;
  void quiesce();
  void resume();
  void purge(bool begins);
  void serialise_tables(StateVisitor& visitor);
  void serialise(StateVisitor& visitor);

  // --- programs ---
  [[nodiscard]] bool programmed(Transaction& t, const FlashCompletion& c);
  void programmed_untimed(Ppn page) {
    if (wants(Hook::programmed)) call(Hook::programmed, [&](Feature& f) { f.programmed_untimed(page); });
  }
  void end_held();

  // --- pages and blocks ---
  [[nodiscard]] bool may_copy_back(Ppn page) const {
    bool may = false;
    if (wants(Hook::moved)) call(Hook::moved, [&](const Feature& f) { may = may || f.may_copy_back(page); });
    return may;
  }
  void moved(Ppn from, Ppn to) {
    if (wants(Hook::moved)) call(Hook::moved, [&](Feature& f) { f.moved(from, to); });
  }
  void block_erased(Ppn page) {
    if (wants(Hook::moved)) call(Hook::moved, [&](Feature& f) { f.block_erased(page); });
  }
  void host_read(std::uint32_t lpn, Ppn page, const FlashCompletion& c) {
    if (wants(Hook::read)) call(Hook::read, [&](Feature& f) { f.host_read(lpn, page, c); });
  }
  /// Of the features that ask for one the first one's.
  [[nodiscard]] std::uint32_t victim(std::uint32_t site) const;
  [[nodiscard]] ProgramCause cause_of_victim(std::uint32_t site) const;
  void unmapped(std::uint32_t lpn, Ppn newest);
  /// The LPN's program has failed, so its newest version is `before`; if it has been trimmed meanwhile, that page has
  /// to wait as well.
  void program_failed(Ppn before);
  /// The same of the program of units.
  void units_failed(const Transaction& t);
  void unreadable(std::uint32_t lpn);
  [[nodiscard]] bool may_erase(std::uint32_t site, std::uint32_t block);
  /// All blocks of the unit have been erased: it is free again, or lost as a whole, which is told.
  [[nodiscard]] BlockState unit_erased(std::uint32_t site, std::uint32_t block);

  // --- requests ---
  void begin(Request& r);
  [[nodiscard]] std::uint16_t progress() const;

  // --- protection, and recovery ---
  void protect();
  [[nodiscard]] bool all_protected() const;
  [[nodiscard]] Feature* owner(std::uint32_t site, std::uint32_t block) const;
  [[nodiscard]] bool adopt(std::uint32_t site, std::uint32_t block);
  [[nodiscard]] std::uint32_t next_rescued(std::size_t& at) const;

 private:
  template <class Each>
  void call(Hook hook, const Each& each) const {
    for (std::uint32_t left = wanted_[static_cast<std::uint32_t>(hook)]; left != 0; left &= left - 1)
      each(*features_[lowest_bit(left)]);
  }
  std::uint32_t bit_of(const Feature& feature) const;
  void hold(Ppn newest);

  FtlState& state_;
  Feature* features_[kMost] = {};
  std::uint32_t count_ = 0;
  std::uint32_t awake_ = 0;           // of the features
  std::uint32_t wanted_[kHooks] = {}; // by hook, of the features
};

} // namespace twinplane::fw
