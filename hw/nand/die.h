// One die (LUN): page registers, the multi-plane queue, the cell arrays, R/B# and the status register.
//
// Plain C++ without kernel events: every call carries its absolute time, effects on the array take
// place at once, and busy_until() says when R/B# rises. Two faces share the array: `bus` (timed) and
// `debug` (operations complete in zero time, whether or not the die is busy, and nothing of the bus
// face's registers or status is disturbed).
//
// R/B# (SR6) and the array (SR5) part company in cache operations: RDY rises when the cache register is
// free, while the array still reads the next page or programs the last one. A stream of cache
// operations is open from the first 31h or 15h to 3Fh, 10h or any other operation. FAIL tells of the last
// operation, FAILC of the one before it in the stream.
//
// Suspended programs and erases keep their remaining time. Meanwhile their blocks are out of bounds, a
// suspended program allows reads only, a suspended erase everything but another erase.
//
// Independent plane reads (NandConfig): while planes read, 00h-30h of a plane that does not is taken. R/B#
// and SR6 of 70h are low until the last plane is ready, 78h and data out go by the plane; anything else needs
// R/B# high.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "hw/core/observer.h"
#include "hw/core/onfi_tenure.h"
#include "hw/nand/cell_log.h"
#include "hw/nand/error_model.h"
#include "hw/nand/fault_model.h"
#include "hw/nand/nand_config.h"
#include "hw/nand/page_register.h"
#include "hw/nand/page_store.h"
#include "hw/nand/rules.h"
#include "hw/nand/statistics.h"
#include "hw/nand/wordline_buffer.h"
#include "hw/nand/wordline_pass.h"

namespace twinplane::hw {

enum class Face : std::uint8_t { bus, debug };
constexpr std::size_t kFaces = 2;

enum class ArrayKind : std::uint8_t { read, program, erase };

struct RowAddress {
  std::uint32_t lun = 0;
  PlaneAddress place;
};

/// What the dies of a package share.
struct PackageContext {
  const NandConfig& config;
  const PageOrderTable& page_order;
  RowLayout layout;
  RefusalSink& refusals;
  std::vector<NandObserver*> observers;
  std::vector<NandObserver*> edge_observers; // those of them that look at R/B#
  NandStatistics statistics;
  std::uint32_t request_tag = 0; // of the tenure being decoded
  BusTiming bus;                 // in force: of the configuration until feature 01h changes it
  TimePs power_cut_at = kNever;  // announced: no array time begins then or later
};

class Die {
 public:
  Die(PackageContext& context, std::uint32_t lun);

  // --- readiness and status ---
  TimePs busy_until() const { return busy_until_; }
  bool busy(TimePs at) const { return at < busy_until_; }
  /// Planes read independently at this time, and nothing else goes on.
  bool reads_by_plane(TimePs at) const { return plane_reads_ != nullptr && at < plane_reads_->until; }
  /// The plane's registers cannot be used: differs from busy() while planes read independently.
  bool plane_busy(std::uint32_t plane, TimePs at) const {
    return busy(at) && (!reads_by_plane(at) || at < plane_reads_->of[plane].end);
  }
  bool has_plane_reads() const { return plane_reads_ != nullptr; }
  /// The end of plane_busy(); only with has_plane_reads().
  TimePs plane_busy_until(std::uint32_t plane) const;
  /// When the array is idle (SR5 rises); later than R/B# only in cache operations.
  TimePs array_busy_until() const { return std::max(busy_until_, array_until_); }
  bool array_busy(TimePs at) const { return at < array_busy_until(); }
  /// Of what has been counted as array time, the part behind `at`; of a suspended operation what remains.
  DieStatistics still_to_do(TimePs at) const;
  /// Status register of the LUN (70h): FAIL is the OR of the planes.
  std::uint8_t status(Face face, TimePs at) const { return status(face, at, all_planes()); }
  /// Status register as some planes show it (78h: one), a bit mask.
  std::uint8_t status(Face face, TimePs at, std::uint32_t planes) const {
    return all_well(face, at) ? onfi::status::idle : unusual_status(face, at, planes);
  }
  /// The status register of every plane is that of an idle one, from `at` on.
  bool all_well(Face face, TimePs at) const {
    const FaceState& f = faces_[index(face)];
    return !array_busy(at) && !restricted_ && (f.failed_planes | f.failed_previous) == 0;
  }
  /// Null when an operation of this kind may be addressed to the plane at this time, else what forbids it.
  const Fault* judge_open(Face face, ArrayKind kind, std::uint32_t plane, TimePs at) const {
    if (face == Face::debug || (!array_busy(at) && !restricted_)) return nullptr;
    return judge_restricted(kind, plane, at);
  }
  /// Bus face: R/B# is low for `duration` from `at` on (features, parameter page, tDBSY).
  void occupy(TimePs at, TimePs duration);

  // --- operations; `at` is when R/B# falls: end of the confirm cycle + tWB ---
  /// Ends the previous result of the plane's register: a program begins to load it.
  void begin_program(Face face, std::uint32_t plane) { faces_[index(face)].registers[plane].clear(); }
  /// `sectors` and `oob` may be null: not moved.
  void data_in(Face face, std::uint32_t plane, std::uint32_t mask, const std::uint8_t* sectors,
               const std::uint64_t* oob) {
    PageRegister& r = faces_[index(face)].registers[plane];
    r.mask |= mask & store_.full_mask();
    r.copied &= ~mask;
    if (sectors != nullptr) store_.copy(r.payload.get(), sectors, mask);
    if (oob == nullptr) return;
    r.oob = *oob;
    r.oob_loaded = true;
  }
  /// The words of all subpages of the page that is being loaded.
  void words_in(Face face, std::uint32_t plane, const std::uint64_t* words) {
    faces_[index(face)].registers[plane].load_words(words);
  }
  /// Sectors of the page that is being loaded hold nothing: reads of them are to fail.
  void mark_lost(Face face, std::uint32_t plane, std::uint32_t sectors) {
    faces_[index(face)].registers[plane].lost |= sectors;
  }
  /// 85h a5 after 35h: the register becomes what a program has loaded. False when it holds no such page.
  bool begin_copyback(Face face, std::uint32_t plane);
  bool holds_copyback(Face face, std::uint32_t plane) const {
    return faces_[index(face)].registers[plane].copyback;
  }
  /// 85h a5 after 11h: the plane leaves the queue, its data stay loaded. False when it is not queued.
  bool reopen(Face face, std::uint32_t plane);
  /// 60h-60h: another plane follows at once.
  void join(Face face, ArrayKind kind, const PlaneAddress& address, TimePs at);
  /// 32h, 11h, D1h: another plane follows; busy for tDBSY.
  void queue(Face face, ArrayKind kind, const PlaneAddress& address, TimePs at);
  /// 30h, 10h, D0h, 31h after an address, 15h: starts the queued planes and this one together.
  struct Launch {
    ArrayKind kind = ArrayKind::read;
    bool slc = false;
    PlaneAddress address;
    TimePs at = 0;
    bool cache = false;      // 31h, 15h
    bool copyback = false;   // 35h
    std::uint32_t pages = 1; // that a pass programs in each plane
  };
  void launch(Face face, const Launch& command) { launch(faces_[index(face)], command); }
  /// 1Ah after the page of the queued planes and this one: they wait for the rest of their wordline
  /// (die_wordline.cpp).
  void load(Face face, const Launch& command);
  /// True while planes are queued for a multi-plane operation of this kind.
  bool queued(Face face, ArrayKind kind) const {
    const FaceState& f = faces_[index(face)];
    return f.queued != 0 && f.queue_kind == kind;
  }
  /// An operation of this kind may follow what is queued.
  bool continues(Face face, ArrayKind kind) const {
    const FaceState& f = faces_[index(face)];
    return f.queued == 0 || f.queue_kind == kind;
  }
  void drop_queue(Face face) { faces_[index(face)].queued = 0; }

  // --- cache reads (die_cache.cpp); launch() does those with an address ---
  /// The last operation was a read, so its next page can be read ahead.
  bool can_read_ahead(Face face) const {
    const FaceState& f = faces_[index(face)];
    return f.last_count != 0 && f.last_kind == ArrayKind::read;
  }
  /// ... from where it was: no plane of another group, which may never have been started, has been queued
  /// since.
  bool can_continue_read(Face face) const { return can_read_ahead(face) && faces_[index(face)].last_kept; }
  /// 31h without address: the page that was read ahead goes to the output, the next one is read.
  void read_ahead(Face face, TimePs at);
  /// A stream of cache reads is open: 3Fh may come.
  bool reading_ahead(Face face) const { return faces_[index(face)].stream == Stream::read; }
  /// 3Fh: the page that was read ahead goes to the output.
  void end_read_ahead(Face face, TimePs at);

  // --- suspend and resume, of the bus face (die_suspend.cpp) ---
  /// 84h, 61h: `address` is of a plane of the running operation. Finds nothing to suspend when that
  /// has ended, or will have ended before it can be suspended; the status register tells.
  void suspend(ArrayKind kind, const PlaneAddress& address, TimePs at);
  /// 13h, D2h.
  void resume(ArrayKind kind, TimePs at);
  bool suspended() const { return suspended_.active; }

  // --- data output ---
  void select_plane(Face face, std::uint32_t plane) {
    faces_[index(face)].plane = plane;
    faces_[index(face)].many_planes = false;
  }
  /// The last read was of several planes, and none was selected since: which one answers is undefined.
  bool plane_undefined(Face face) const { return faces_[index(face)].many_planes; }
  /// True when the plane's register holds the result of a read.
  bool readable(Face face, std::uint32_t plane) const {
    return faces_[index(face)].registers[plane].readable;
  }
  std::uint32_t selected_plane(Face face) const { return faces_[index(face)].plane; }
  /// The selected plane's register, whose sectors of `mask` go to `sectors` (may be null).
  const PageRegister& data_out(Face face, std::uint32_t mask, std::uint8_t* sectors) const;

  /// A word for each subpage of what a read has fetched; null: nothing.
  void words_out(const PageRegister* page, std::uint64_t* words) const;
  /// Wrong bits in sectors of what a read has fetched; only of registers with noise. `sectors`, which have
  /// been copied from the register (null: they have not), get them.
  RawErrors raw_errors(const PageRegister& page, std::uint32_t mask, std::uint8_t* sectors) const;

  /// A read was refused: the bus will see garbage, unless the LUN is busy with something else.
  void spoil_output(Face face, TimePs at);

  /// FFh, FAh: aborts what runs (its pages or blocks become corrupt) and is busy for tRST.
  void reset(Face face, TimePs at);
  /// The supply fails at this time, which has been announced in `power_cut_at`, and comes back: what runs or
  /// is suspended is cut off as by a reset, and nothing but the cells is left (die_power_cut.cpp).
  void cut_power(TimePs at);

  /// The cells, and what the die knows of their past (die_state.cpp). While no operation runs.
  void serialise(StateVisitor& state);

  /// A rule was broken: counter, message, and FAIL on `planes` (bit mask).
  void refuse(Face face, std::uint32_t planes, const Refusal& refusal) {
    refuse(faces_[index(face)], planes, refusal);
  }
  /// A new operation begins: forget how the last one ended, but for a further page of a stream.
  void begin_operation(Face face, ArrayKind kind) {
    FaceState& f = faces_[index(face)];
    if (f.stream != Stream::none && continue_stream(f, kind)) return;
    f.failed_planes = 0;
    f.failed_previous = 0;
  }
  /// A read begins beside those of other planes, whose results stay.
  void begin_plane_read(std::uint32_t plane) { faces_[index(Face::bus)].failed_planes &= ~(1u << plane); }
  /// WP# low: programs and erases are ignored, SR7 shows it.
  void protect(bool on) {
    write_protected_ = on;
    restrict_operations();
  }
  /// FAIL on all planes, for a refusal that was told elsewhere.
  void fail(Face face) { faces_[index(face)].failed_planes |= all_planes(); }
  /// Feature 89h of the LUN: 0, or a further sense.
  void set_read_level(std::uint32_t level) { read_level_ = level; }
  std::uint32_t read_level() const { return read_level_; }
  std::uint32_t all_planes() const { return (1u << registers_) - 1; }

  const PageStore& store() const { return store_; }
  const FaultModel& faults() const { return faults_; }

 private:
  enum class Stream : std::uint8_t { none, read, program };
  struct FaceState {
    bool timed = false;                  // of the bus
    std::vector<PageRegister> registers; // one per plane
    std::array<PlaneAddress, kMaxPlanesPerDie> queue{};
    std::uint32_t queued = 0;
    ArrayKind queue_kind = ArrayKind::read;
    std::uint32_t failed_planes = 0;   // bit mask: FAIL, since begin_operation()
    std::uint32_t failed_previous = 0; // FAILC
    std::uint32_t plane = 0;           // selected for data output
    bool many_planes = false;          // ... by nobody
    // cache operations
    Stream stream = Stream::none;
    ArrayKind last_kind = ArrayKind::read; // the last operation; its planes are still in `queue`
    std::uint8_t last_count = 0;           // its planes; 0 when there was none
    bool last_slc = false;
    bool last_kept = false;          // its planes are still in `queue`
    std::uint32_t ahead_planes = 0;  // bit mask: planes with a page in `ahead`
    std::vector<PageRegister> ahead; // page registers, read ahead; empty until the first cache read
  };
  /// The array operation that runs on the bus face, as observers are told of it, and all its planes.
  struct Running : ArrayOperation {
    ArrayKind kind = ArrayKind::read;
    std::array<PlaneAddress, kMaxPlanesPerDie> planes{}; // `planes_in_group` of them
  };
  struct Suspended {
    bool active = false;
    Running operation;
    TimePs remaining = 0;
    std::uint32_t failed_planes = 0; // its result, to be shown at its end
  };
  /// Independent plane reads: what each plane read last, and until when nothing but such reads goes on.
  struct PlaneReads {
    std::array<Running, kMaxPlanesPerDie> of;
    TimePs until = 0;
  };
  using Verdict = const Fault*; // null: allowed

  static std::size_t index(Face face) { return static_cast<std::size_t>(face); }
  void equip(PageRegister& r) const;

  // rules (die_rules.cpp)
  Verdict judge_restricted(ArrayKind kind, std::uint32_t plane, TimePs at) const;
  Verdict judge_suspended(const PlaneAddress& address) const;
  std::uint8_t unusual_status(Face face, TimePs at, std::uint32_t planes) const;

  // a launch (die_launch.cpp)
  Verdict judge_beside_reads(const FaceState& face, const Launch& command) const;
  Verdict judge_group(const FaceState& face, ArrayKind kind, std::uint32_t& planes) const;
  /// What a plane of a launch works on.
  struct Cells {
    const PlaneAddress& at;
    PageStore::Block& block;
    PageRegister& page;
  };
  Verdict judge_address(const FaceState& face, const Launch& command, const PlaneAddress& address) const;
  Verdict judge_cells(const Launch& command, const Cells& cells) const;
  Verdict judge_program(const Launch& command, const Cells& cells) const;
  bool in_relaxed_order(const PageStore::Block& block, std::uint32_t page) const;
  void launch(FaceState& face, const Launch& command);
  bool may_launch(FaceState& face, const Launch& command);
  TimePs execute(FaceState& face, const Launch& command, const Cells& cells);
  TimePs read_page(FaceState& face, const Launch& command, const Cells& cells);
  bool looks_for_mode(const Fault& fault, const Launch& command) const;
  TimePs read_in_other_mode(FaceState& face, const Launch& command, const Cells& cells);
  TimePs program_page(FaceState& face, const Launch& command, const Cells& cells);
  TimePs erase_block(FaceState& face, const Launch& command, const Cells& cells);
  TimePs wordline_time(const PlaneAddress& address);
  PageType program_cells(FaceState& face, const Launch& command, const Cells& cells);
  void restrict_operations() { restricted_ = write_protected_ || suspended_.active || pass_open(); }

  // one-pass programming (die_wordline.cpp)
  void make_pass();
  bool pass_open() const { return pass_ != nullptr && pass_->loaded != 0; }
  Verdict add_to_pass(FaceState& face, const Launch& command, std::uint32_t& planes);
  Verdict judge_step(const PlaneAddress& address, bool last) const;
  Verdict judge_wordline(const FaceState& face, const Launch& command, const PlaneAddress& last) const;
  void launch_pass(FaceState& face, Launch command);
  void program_wordline(FaceState& face, const Launch& command, const PlaneAddress& last);
  void spoil_wordline(FaceState& face, PageStore::Block& block, const PlaneAddress& first);
  void program_pass_page(FaceState& face, const Launch& command, const Cells& cells);
  void start_pass(const Launch& command, std::uint32_t planes);
  void close_pass();
  void count_multiplane(ArrayKind kind, std::uint32_t planes);
  void set_running(const Launch& command, std::uint32_t planes, TimePs start, TimePs duration);
  void start_busy(const Launch& command, std::uint32_t planes, TimePs duration);
  PageType page_type(const PlaneAddress& address, bool slc) const {
    return slc ? PageType{0} : context_.page_order.type(address.page);
  }

  // what observers are told (die_announce.cpp)
  void announce(TimePs busy_from) const;
  void announce_running() const;
  void announce_change(ArrayChange change, const Running& operation, TimePs at, TimePs end) const;
  static PlaneState plane_state(ArrayKind kind) {
    return kind == ArrayKind::read      ? PlaneState::reading
           : kind == ArrayKind::program ? PlaneState::programming
                                        : PlaneState::erasing;
  }
  void locate(ArrayOperation& operation, const Running& group, std::uint32_t i) const {
    const PlaneAddress& place = group.planes[i];
    operation.plane = place.plane;
    operation.block = place.block;
    operation.page = place.page;
    operation.page_type = group.kind == ArrayKind::erase ? PageType{0} : page_type(place, group.slc);
  }
  void announce_ready_busy(TimePs from, TimePs until) const;
  void abort(TimePs at);
  void abort(const Running& operation, TimePs at);
  void ruin_cells(const Running& operation);

  // independent plane reads (die_plane_reads.cpp)
  bool planes_read(std::uint32_t planes, TimePs at) const;
  void start_plane_reads(const Launch& command, std::uint32_t planes, TimePs duration);
  void announce_beside(TimePs before) const;
  void abort_plane_reads(TimePs at);

  // cache operations and suspension
  static bool continue_stream(FaceState& face, ArrayKind kind);
  Verdict enter_stream(FaceState& face, const Launch& command);
  void free_cache_register(const Launch& command);
  static void show_ahead(FaceState& face);
  PageRegister& ahead(FaceState& face, std::uint32_t plane);
  bool resumes(const PlaneAddress& address) const;
  static void power_on(FaceState& face);

  // copyback (die_cells.cpp)
  std::size_t page_index(const PlaneAddress& a) const {
    const Geometry& g = context_.config.geometry;
    return (std::size_t{a.plane} * g.blocks_per_plane + a.block) * g.pages_per_block + a.page;
  }
  void note_copy(const PlaneAddress& address, std::uint8_t copies);
  void forget_copies(const PlaneAddress& block);

  // bit errors (die_errors.cpp); only with `errors_`
  struct Errors {
    Errors(const PackageContext& context, std::uint32_t lun);
    ErrorModel model;
    CellLog log;
  };
  void note_change(const FaceState& face, const Launch& command, const PlaneAddress& address);
  void add_noise(const Launch& command, const PlaneAddress& address, PageRegister& target);

  // what the cells do (die_cells.cpp)
  void read_cells(const FaceState& face, const PageStore::Block& block, const PlaneAddress& address,
                  PageRegister& target);
  void spoil_cells(FaceState& face, ArrayKind kind, PageStore::Block& block, const PlaneAddress& address);
  void refuse(FaceState& face, std::uint32_t planes, Refusal refusal);
  void refuse_group(FaceState& face, std::uint32_t planes, const Fault& fault, const Launch& command);
  void refuse_plane(FaceState& face, const Fault& fault, const Launch& command, const PlaneAddress& address);

  PackageContext& context_;
  std::uint32_t lun_;
  std::uint32_t registers_; // planes
  PageStore store_;
  std::vector<WordlineBuffer> wordlines_; // one per plane; empty: all wordlines are buffered
  FaultModel faults_;
  std::unique_ptr<Errors> errors_;   // null: no bit flips
  std::vector<std::uint8_t> copies_; // by page: moves by copyback in a row; empty until the first one
  std::array<FaceState, kFaces> faces_;
  Running running_;
  Running before_; // cache operations: what the array does until `running_.start`
  Suspended suspended_;
  std::unique_ptr<PlaneReads> plane_reads_; // null: the part has no such feature
  std::unique_ptr<WordlinePass> pass_;      // null: native pages are programmed one by one
  bool write_protected_ = false;
  bool modes_told_ = true;  // since power-on a block has been erased: whoever uses the die knows its modes
  bool restricted_ = false; // write protected, something is suspended, or a pass is open
  std::uint32_t read_level_ = 0;
  TimePs busy_until_ = 0;
  TimePs array_until_ = 0; // end of the array operation that was launched last
};

} // namespace twinplane::hw
