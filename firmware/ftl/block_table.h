// State of every block and every physical page: life cycle, valid pages, erase counts.
//
//   free -> open -> closed -> victim -> erasing -> free
//   closed -> open                           where it is opened again (see below)
//   free -> metadata -> erasing
//   free, open, closed, metadata, erasing -> bad
//
// A closed block is full, unless the block allocation leaves blocks partly written: then it may open a
// closed one again, and free space is counted in pages instead of blocks (count_space_in_pages()).
//
// transition() is the only place where a block changes state; everything that depends on the state
// (free counts, free bitmaps, victim policy) is kept up to date there. Planes are device-wide plane
// indices (die * planes_per_die + plane), blocks are numbered within their plane.
//
// Reclamation works on units. Conventionally a unit is one block and victims are chosen within a plane.
// Twin block management (TBM) joins the blocks of equal number in all planes of a die to one unit, a
// TBU, and victims are chosen within a die. The plane or the die is called the site of reclamation. A TBU's
// record is an entry of the letter's TBT: FPC = unit_pages() - written, IPC = written - valid, EC = erases.
//
// Each block of a plane is on the list of one region (regions/region.h), which says which of its pages are
// used; it changes lists only while it is free. The set of units to choose a victim from, a domain, is a
// region's part of a site: its index is site * regions + region, and so that of the site where there is one
// region.
#pragma once

#include <cstdint>

#include "firmware/ftl/bit_rows.h"
#include "firmware/ftl/boot_memory.h"
#include "firmware/ftl/config.h"
#include "firmware/ftl/regions/region.h"
#include "firmware/ftl/victim/victim.h"
#include "hw/spec/page_order.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::fw {

enum class BlockState : std::uint8_t { free, open, closed, victim, erasing, bad, metadata };

constexpr std::uint32_t kNoBlock = 0xFFFFFFFFu;

/// Moves of a plane in flight: they keep the die fed while host reads go first. As many as a wordline has pages, at
/// least.
constexpr std::uint32_t kMovesInFlight = 4;

/// A block, or the twin blocks of a unit together (then pending_reads and slc_mode stay 0).
struct BlockInfo {
  std::uint16_t valid;         // pages the map points to
  std::uint16_t written;       // pages handed out since the last erase
  std::uint16_t pending_reads; // reads queued or in flight; an erase waits for 0
  BlockState state;
  std::uint8_t slc_mode : 1;     // used in SLC mode until its next erase
  std::uint8_t grown_bad : 1;    // a program has failed: bad instead of free after its next erase
  std::uint8_t region : 2;       // whose list it is on
  std::uint8_t system_owned : 1; // ... but for a while: it holds pages of the firmware's own
  std::uint32_t erases;
  std::uint32_t closed_at; // page clock when the block was closed

  /// Written pages that the map does not point to.
  std::uint32_t invalid() const { return static_cast<std::uint32_t>(written) - valid; }
};

/// A plane, or a domain: then its blocks are units.
struct PlaneInfo {
  std::uint32_t free_blocks;
  std::uint32_t search;      // of planes: where the next first-fit search starts
  std::uint32_t reclaimable; // of domains: invalid data in closed blocks
  std::uint32_t space;       // what can still be written, in pages or in blocks (BlockTable)
  std::uint32_t free_pages;  // of dies as domains: in free and open units
  // of the domains of several regions:
  std::uint32_t blocks; // on the region's list, bad ones left out
  std::uint32_t valid;  // pages
  std::uint32_t own;    // of the blocks, those that hold pages of the firmware's own
  bool stalled;         // of planes: a collection finds no pages and waits for the host
  std::uint8_t asked;   // of planes of several regions: + 1, the one of a victim that a feature has asked for

  /// Blocks of a region that serve it.
  std::uint32_t serving() const { return blocks - own; }
};

/// What a block table is made for.
struct BlockTableShape {
  std::uint32_t twins = 1; // blocks per unit, 1 or planes_per_die
  RegionModes regions;
  std::uint32_t data_shift = 0; // log2 of the map's units per page, where any page may hold any units
};

class BlockTable {
 public:
  /// `config` as it was given, with the dies' own geometry. All blocks are on the last region's list.
  void boot(Hal& hal, BootMemory& memory, const FtlConfig& config, const BlockTableShape& shape);
  void attach(VictimSelection& victim) { victim_ = &victim; }

  const Geometry& geometry() const { return geometry_; }
  const RowLayout& layout() const { return layout_; }
  std::uint32_t pages_per_block() const { return geometry_.pages_per_block; }
  std::uint32_t blocks_per_plane() const { return geometry_.blocks_per_plane; }

  const BlockInfo& block(std::uint32_t plane, std::uint32_t block) const { return blocks_[at(plane, block)]; }
  const PlaneInfo& plane(std::uint32_t plane) const { return planes_[plane]; }

  // units, sites and domains
  std::uint32_t twins() const { return twins_; }
  std::uint32_t unit_pages() const { return geometry_.pages_per_block * twins_; }
  std::uint32_t sites() const { return geometry_.planes() / twins_; }
  std::uint32_t site_of(std::uint32_t plane) const { return site_of_plane_[plane]; }
  std::uint32_t first_plane_of(std::uint32_t site) const { return site * twins_; }
  std::uint32_t die_of_site(std::uint32_t site) const {
    return twins_ == 1 ? site / geometry_.planes_per_die : site;
  }
  const BlockInfo& unit(std::uint32_t site, std::uint32_t block) const { return units_[at(site, block)]; }

  // Data are counted in pages; where any page may hold any units of the map, in these. A page is valid while it has one.
  std::uint32_t data_per_page() const { return 1u << data_shift_; }
  std::uint32_t data(std::uint32_t domain, std::uint32_t block) const {
    const std::uint32_t index = at(site_of_domain(domain), block);
    return data_ == nullptr ? units_[index].valid : data_[index];
  }
  /// Data that reclaiming the unit gains for certain. Pages never written do not count.
  std::uint32_t invalid_data(std::uint32_t domain, std::uint32_t block) const {
    return (std::uint32_t{member(domain, block).written} << data_shift_) - data(domain, block);
  }
  /// The map points to one more of the block's units, or to one less; also in drives that count pages.
  void gain_data(std::uint32_t plane, std::uint32_t block) {
    if (data_ != nullptr) change_data(plane, block, 1);
  }
  void lose_data(std::uint32_t plane, std::uint32_t block) {
    if (data_ != nullptr) change_data(plane, block, ~0u);
  }
  std::uint32_t pending_reads(std::uint32_t site, std::uint32_t block) const;

  std::uint32_t domains() const { return sites() << region_shift_; }
  std::uint32_t domain_of(std::uint32_t site, std::uint32_t region) const {
    return (site << region_shift_) + region;
  }
  std::uint32_t site_of_domain(std::uint32_t domain) const { return domain >> region_shift_; }
  std::uint32_t region_of_domain(std::uint32_t domain) const { return domain & ((1u << region_shift_) - 1); }
  const PlaneInfo& domain(std::uint32_t domain) const { return domains_[domain]; }
  /// Pages that are used of a unit of the domain.
  std::uint32_t domain_pages(std::uint32_t domain) const {
    return region_pages_[region_of_domain(domain)] * twins_;
  }
  /// A unit by the domain that it may be a member of.
  const BlockInfo& member(std::uint32_t domain, std::uint32_t block) const {
    return units_[at(site_of_domain(domain), block)];
  }
  bool is_member(std::uint32_t domain, std::uint32_t block) const {
    return member(domain, block).region == region_of_domain(domain);
  }

  // regions
  std::uint32_t regions() const { return regions_.count; }
  PageMode mode(std::uint32_t region) const { return regions_.mode[region]; }
  /// Pages of a block of the region that are programmed together: those of a wordline, in one pass, or 1.
  std::uint32_t pass_pages(std::uint32_t region) const {
    return mode(region) == PageMode::all ? pass_pages_ : 1;
  }
  /// Pages of a block that the region uses, and the number of the n-th of them.
  std::uint32_t region_pages(std::uint32_t region) const { return region_pages_[region]; }
  /// Of these, as many as may hold nothing (padding_pages()), and those that hold data for sure.
  std::uint32_t padding(std::uint32_t region) const { return region_padding_[region]; }
  /// Of a unit's pages those that moves may leave empty.
  std::uint32_t unit_padding(std::uint32_t region) const { return region_unit_padding_[region]; }
  std::uint32_t guaranteed_pages_per_block(std::uint32_t region) const {
    return region_pages_[region] - region_padding_[region];
  }
  std::uint32_t region_page(std::uint32_t region, std::uint32_t n) const {
    return mode(region) == PageMode::fast ? order_->page(n, 0) : n;
  }
  /// Puts a free block on another region's list, with what recovery has found to be valid in it.
  void change_region(std::uint32_t plane, std::uint32_t block, std::uint32_t to);
  /// Of the regions of a plane the space of the one that has least; of the one alone that is collected without being short.
  std::uint32_t least_space(std::uint32_t plane) const {
    if (const std::uint32_t asked = planes_[plane].asked; asked != 0)
      return lists_[(plane << region_shift_) + asked - 1].space;
    std::uint32_t least = lists_[plane << region_shift_].space;
    for (std::uint32_t r = 1; r < regions_.count; ++r) {
      const std::uint32_t space = lists_[(plane << region_shift_) + r].space;
      if (space < least) least = space;
    }
    return least;
  }
  void set_stalled(std::uint32_t plane, bool stalled) { planes_[plane].stalled = stalled; }
  /// A feature has asked for the victim, or the plane has none any more.
  void set_asked(std::uint32_t plane, std::uint32_t block) {
    if (regions_.count != 1)
      planes_[plane].asked =
          block == kNoBlock ? 0 : static_cast<std::uint8_t>(this->block(plane, block).region + 1);
  }
  /// Opens a free unit, in its region's page mode.
  void open_unit(std::uint32_t site, std::uint32_t block);

  std::uint32_t plane_of(Ppn ppn) const {
    return die_of(ppn) * geometry_.planes_per_die +
           (static_cast<std::uint32_t>(ppn) >> shift_.plane & mask_.plane);
  }
  std::uint32_t die_of(Ppn ppn) const {
    return static_cast<std::uint32_t>(std::uint64_t{static_cast<std::uint32_t>(ppn)} >> shift_.die);
  }
  std::uint32_t block_of(Ppn ppn) const {
    return static_cast<std::uint32_t>(ppn) >> shift_.block & mask_.block;
  }
  std::uint32_t page_of(Ppn ppn) const { return static_cast<std::uint32_t>(ppn) & mask_.page; }
  /// Whether there is such a page, of a number from outside.
  bool has(Ppn page) const;
  /// ONFI row address without the LUN bits.
  std::uint32_t row_in_lun(Ppn ppn) const { return static_cast<std::uint32_t>(in_die(ppn)) & mask_.row; }
  /// The die's block that stands behind a number: the same, unless a bad block of a unit was replaced. Each
  /// block of a plane stands behind one number, and number_of() is the inverse of this.
  std::uint32_t block_in_die(std::uint32_t plane, std::uint32_t block) const {
    return in_die_ == nullptr ? block : in_die_[at(plane, block)];
  }
  std::uint32_t number_of(std::uint32_t plane, std::uint32_t block_in_die) const {
    return number_ == nullptr ? block_in_die : number_[at(plane, block_in_die)];
  }
  /// A page under the number that its block has in the die, which is what outlasts a life of the drive; and
  /// the other way round.
  Ppn in_die(Ppn ppn) const { return in_die_ == nullptr ? ppn : with_block(ppn, in_die_); }
  Ppn numbered(Ppn in_die) const { return number_ == nullptr ? in_die : with_block(in_die, number_); }
  Ppn ppn(std::uint32_t plane, std::uint32_t block, std::uint32_t page) const {
    return static_cast<Ppn>(plane_base_[plane] | block << shift_.block | page);
  }

  /// Changes the state; an arrow that is not in the picture above is a broken invariant (panic).
  void transition(std::uint32_t plane, std::uint32_t block, BlockState to);
  /// The same for all blocks of a unit.
  void transition_unit(std::uint32_t site, std::uint32_t block, BlockState to);

  /// From now on PlaneInfo::space counts single pages, those of partly written blocks included; called
  /// while all blocks are free. Else it counts free blocks.
  void count_space_in_pages();
  bool counts_space_in_pages() const { return space_in_pages_; }
  /// The same amount of space, given in blocks.
  std::uint32_t space_of_blocks(std::uint32_t blocks) const {
    return space_in_pages_ ? blocks * geometry_.pages_per_block : blocks;
  }
  /// `pages` unwritten pages of one type in a partly written block will not be used before its erase.
  void give_up_pages(std::uint32_t plane, PageType type, std::uint32_t pages) {
    free_pages_[type] -= pages;
    planes_[plane].space -= pages;
  }

  /// Closes an open unit before its last page: what it has left will not be written before its erase. For
  /// pages that are handed out in the order of use.
  void close_early(std::uint32_t site, std::uint32_t block);

  /// First free unit of the domain at or after the position where its search goes on, kNoBlock when there is none.
  std::uint32_t find_free(std::uint32_t domain) const {
    const std::uint32_t list = domain * twins_; // of the first of twins
    if (lists_[list].free_blocks == 0) return kNoBlock;
    const std::uint32_t found = free_.next(list, lists_[list].search);
    return found != geometry_.blocks_per_plane ? found : free_.next(list, 0);
  }

  /// ... and closes an open block all of whose pages in that mode have been taken. The table does so itself
  /// where they are all.
  void close_if_full(std::uint32_t plane, std::uint32_t block) {
    const BlockInfo& b = blocks_[at(plane, block)];
    if (b.state == BlockState::open && b.written == region_pages(b.region))
      transition(plane, block, BlockState::closed);
  }

  /// Accounts for one page of an open block being handed out; closes the block with its last page.
  void take_page(std::uint32_t plane, std::uint32_t block, std::uint32_t page) {
    count_page(at(plane, block), plane, block, order_->type(page));
    if (twins_ != 1) take_twin_page(plane / twins_, block);
  }
  /// The same in a block in SLC mode, all of whose pages are of the first type.
  void take_slc_page(std::uint32_t plane, std::uint32_t block) {
    count_page(at(plane, block), plane, block, 0);
  }
  /// The same for a page that becomes valid: the map points to it.
  void take_valid_page(std::uint32_t plane, std::uint32_t block, std::uint32_t page);
  /// A page of a block that is not closed becomes valid: recovery has found what the map points to.
  void make_valid(std::uint32_t plane, std::uint32_t block, std::uint32_t page) {
    link_page(at(plane, block), plane, block, page);
  }
  /// A page that was invalid is valid, whatever the block's state: the map points to it once more, or it has
  /// been programmed with another part of it.
  void valid_again(std::uint32_t plane, std::uint32_t block, std::uint32_t page);

  /// Decides how an open, still empty block is used until its next erase.
  void use_in_slc_mode(std::uint32_t plane, std::uint32_t block) { read_in_slc_mode(plane, block, true); }
  /// The cells of a free block were written in an earlier life, in SLC mode or not: how they are read.
  void read_in_slc_mode(std::uint32_t plane, std::uint32_t block, bool slc) {
    BlockInfo& b = blocks_[at(plane, block)];
    slc_blocks_ -= b.slc_mode;
    b.slc_mode = slc ? 1 : 0;
    slc_blocks_ += b.slc_mode;
  }
  /// A program of the block has failed: it is used up, moved and retired like any other, and then
  /// not used again. Or its erase has failed: then at once.
  void mark_grown_bad(Ppn ppn) {
    good_blocks_ -= is_spare(plane_of(ppn), block_of(ppn)) ? 1 : 0;
    blocks_[at(plane_of(ppn), block_of(ppn))].grown_bad = 1;
  }
  /// What becomes of a unit whose blocks have been erased. Its bad blocks are replaced, where the die lets
  /// planes work together on unequal block numbers and its plane has a spare one; else the unit is lost, and
  /// its good blocks are spares of their planes. But a unit in SLC mode of a drive whose other units are not
  /// keeps its blocks to itself: after a power cut their numbers alone tell how they are read.
  BlockState after_erase(std::uint32_t site, std::uint32_t block);
  /// The maker has marked a block. All blocks are free yet, and retire_marked() follows.
  void note_mark(std::uint32_t plane, std::uint32_t block) { blocks_[at(plane, block)].grown_bad = 1; }
  /// The planes of a unit whose block the maker has marked, as bits.
  std::uint32_t marked_planes(std::uint32_t site, std::uint32_t block) const {
    std::uint32_t marked = 0;
    for (std::uint32_t p = 0; p < twins_; ++p)
      marked |= static_cast<std::uint32_t>(blocks_[at(first_plane_of(site) + p, block)].grown_bad) << p;
    return marked;
  }
  /// The maker has marked a block of the unit as bad, as bits by plane. All blocks are free yet.
  void retire_marked(std::uint32_t site, std::uint32_t block, std::uint32_t planes);
  /// The unit, whose blocks are erased, is lost: see after_erase().
  void lose_unit(std::uint32_t site, std::uint32_t block) {
    leave_spares(site, block);
    transition_unit(site, block, BlockState::bad);
  }
  /// A good block of a unit that is lost: it is erased, and replaces the next bad one of its plane.
  bool is_spare(std::uint32_t plane, std::uint32_t block) const {
    const BlockInfo& b = blocks_[at(plane, block)];
    return in_die_ != nullptr && b.state == BlockState::bad && b.grown_bad == 0;
  }
  /// The first spare block of the plane, kNoBlock when there is none.
  std::uint32_t find_spare(std::uint32_t plane) const;
  /// Exchanges the die's blocks behind two numbers of a plane, and with them which of them is bad.
  void exchange_blocks(std::uint32_t plane, std::uint32_t a, std::uint32_t b);
  /// The blocks of the unit have been erased so often in earlier lives.
  void recall(std::uint32_t site, std::uint32_t block, std::uint32_t erases);
  /// Bad blocks of units are replaced: their numbers are not always the die's.
  bool replaces_blocks() const { return in_die_ != nullptr; }
  /// Blocks of the dies that are not bad, spare ones included.
  std::uint64_t good_blocks() const { return good_blocks_; }
  std::uint64_t erases() const { return erases_; }
  /// No block has been erased more often, and so no unit: its blocks are erased together.
  std::uint32_t most_erases() const { return most_erases_; }

  /// Those of the block in SLC mode, in this life: of drives with a region in that mode.
  std::uint32_t slc_erases(std::uint32_t plane, std::uint32_t block) const {
    return slc_erases_ == nullptr ? 0 : slc_erases_[at(plane, block)];
  }

  bool slc_mode(Ppn ppn) const {
    return slc_blocks_ != 0 && blocks_[at(plane_of(ppn), block_of(ppn))].slc_mode != 0;
  }
  /// The page is one of a drive whose other blocks are not in SLC mode.
  bool in_slc_cache(Ppn ppn) const { return slc_mode(ppn) && !slc_drive_; }

  bool valid(Ppn ppn) const { return valid_.test(at(plane_of(ppn), block_of(ppn)), page_of(ppn)); }
  void invalidate(Ppn ppn);

  /// The page has become invalid, and as yet a power cut makes it valid again: of a trim, and of a write that
  /// has failed, no page tells.
  void may_return(Ppn ppn) {
    std::uint32_t& data = returning_[unit_at(ppn)];
    if (data != unit_pages() << data_shift_) ++data;
  }
  /// No page of the unit does any more.
  void returns_no_more(std::uint32_t site, std::uint32_t block) { returning_[at(site, block)] = 0; }
  /// As many pages as all that may be valid in the unit, now or after a power cut, may take elsewhere.
  std::uint32_t most_moved(std::uint32_t site, std::uint32_t block) const {
    const std::uint32_t written = units_[at(site, block)].written;
    const std::uint32_t most = data_ == nullptr ? units_[at(site, block)].valid : data_[at(site, block)];
    const std::uint32_t pages = pages_for(most + returning_[at(site, block)]);
    return pages < written ? pages : written;
  }
  /// First valid page at or after `page`, pages_per_block when there is none.
  std::uint32_t next_valid(std::uint32_t plane, std::uint32_t block, std::uint32_t page) const {
    return valid_.next(at(plane, block), page);
  }

  void add_reader(Ppn ppn) { ++blocks_[at(plane_of(ppn), block_of(ppn))].pending_reads; }
  /// Returns the block's record after the reader has left.
  const BlockInfo& drop_reader(Ppn ppn) {
    BlockInfo& b = blocks_[at(plane_of(ppn), block_of(ppn))];
    --b.pending_reads;
    return b;
  }

  /// Free pages of the device, kMaxPageTypes entries.
  const std::uint64_t* free_pages_by_type() const { return free_pages_; }
  std::uint64_t free_blocks() const { return free_blocks_; }
  std::uint64_t valid_pages() const { return valid_pages_; }
  std::uint32_t clock() const { return clock_; } // pages handed out, modulo 2^32
  const PageOrderTable& order() const { return *order_; }

  void serialise(StateVisitor& state);

 private:
  std::uint32_t at(std::uint32_t plane, std::uint32_t block) const {
    return plane * geometry_.blocks_per_plane + block;
  }
  std::uint32_t unit_at(Ppn ppn) const { return at(site_of(plane_of(ppn)), block_of(ppn)); }
  /// Moves under way may have lost all of their units but one.
  std::uint32_t pages_for(std::uint32_t data) const {
    if (data_ == nullptr) return data;
    const std::uint32_t pages = ((data + data_per_page() - 1) >> data_shift_) + kMovesInFlight * twins_;
    return pages < data ? pages : data;
  }
  void change_data(std::uint32_t plane, std::uint32_t block, std::uint32_t by) {
    const std::uint32_t site = site_of_plane_[plane];
    const BlockInfo& u = units_[at(site, block)];
    data_[at(site, block)] += by;
    if (u.state != BlockState::closed) return;
    const std::uint32_t domain = domain_of(site, u.region);
    domains_[domain].reclaimable -= by;
    if (victim_->wants_updates()) victim_->invalidated(domain, block, data_[at(site, block)]);
  }
  bool can_be(const BlockInfo& b, std::uint32_t pages) const;
  bool can_be(const PlaneInfo& p) const;
  bool bits_hold() const;
  void enter_free(std::uint32_t plane, std::uint32_t block);
  void leave_free(std::uint32_t plane, std::uint32_t block);
  bool replace_bad(std::uint32_t site, std::uint32_t block);
  void leave_spares(std::uint32_t site, std::uint32_t block);
  bool keeps_blocks(std::uint32_t site, std::uint32_t block) const {
    return blocks_[at(first_plane_of(site), block)].slc_mode != 0 && !slc_drive_;
  }
  Ppn with_block(Ppn ppn, const std::uint16_t* blocks) const {
    const std::uint32_t block = blocks[at(plane_of(ppn), block_of(ppn))];
    return static_cast<Ppn>((static_cast<std::uint32_t>(ppn) & ~(mask_.block << shift_.block)) |
                            block << shift_.block);
  }
  void worn(std::uint32_t erases) {
    if (erases > most_erases_) most_erases_ = erases;
  }
  void set_system_owned(std::uint32_t plane, std::uint32_t block, BlockState to);
  void unit_changed(std::uint32_t site, std::uint32_t block, BlockState from);
  /// A page has become valid: the sums of its unit or of its region.
  void account_valid(std::uint32_t plane, std::uint32_t block) {
    if (twins_ != 1) {
      ++units_[at(plane / twins_, block)].valid;
    } else {
      ++domains_[list_of(plane, blocks_[at(plane, block)])].valid;
    }
  }
  void account_invalid(std::uint32_t plane, std::uint32_t block);
  std::uint32_t list_of(std::uint32_t plane, const BlockInfo& b) const {
    return (plane << region_shift_) + b.region;
  }
  void link_page(std::uint32_t index, std::uint32_t plane, std::uint32_t block, std::uint32_t page);
  void count_page(std::uint32_t index, std::uint32_t plane, std::uint32_t block, PageType type);
  void take_twin_page(std::uint32_t site, std::uint32_t block);

  /// The fields of a page number, worked out once.
  struct Fields {
    std::uint32_t page = 0, plane = 0, block = 0, die = 0, row = 0;
  };

  Hal* hal_ = nullptr;
  VictimSelection* victim_ = nullptr;
  const PageOrderTable* order_ = nullptr;
  Geometry geometry_;
  RowLayout layout_;
  Fields shift_;
  Fields mask_;
  BlockInfo* blocks_ = nullptr;
  PlaneInfo* planes_ = nullptr;
  BlockInfo* units_ = nullptr;         // the blocks, or the TBT: one record per die and block number
  std::uint32_t* returning_ = nullptr; // per unit: data that a power cut may make valid again
  std::uint32_t* data_ = nullptr;      // per unit: valid ones; null where pages are counted
  PlaneInfo* domains_ = nullptr;       // the planes, or one record per die, or one per plane and region
  PlaneInfo* lists_ = nullptr;         // of free blocks: the planes, or one per plane and region
  std::uint32_t twins_ = 1;
  RegionModes regions_;
  std::uint32_t region_pages_[kMaxRegions] = {};
  std::uint32_t region_padding_[kMaxRegions] = {};
  std::uint32_t region_unit_padding_[kMaxRegions] = {};
  std::uint32_t region_shift_ = 0; // log2 of the regions, rounded up
  std::uint32_t pass_pages_ = 1;
  std::uint32_t data_shift_ = 0;
  bool summed_ = false;                 // units or domains have records besides those of blocks and planes
  std::uint32_t* slc_erases_ = nullptr; // per block; null where no region is in SLC mode
  // units whose blocks may have unequal numbers in the die; else null
  std::uint16_t* in_die_ = nullptr; // per plane and block: the die's number
  std::uint16_t* number_ = nullptr; // the other way round
  std::uint32_t* site_of_plane_ = nullptr;
  std::uint32_t* plane_base_ = nullptr; // die and plane bits of each plane's page numbers
  BitRows free_;                        // per list of free blocks, one bit per block of the plane
  BitRows valid_;                       // per block, one bit per page
  std::uint64_t free_pages_[kMaxPageTypes] = {};
  std::uint64_t free_blocks_ = 0;
  std::uint64_t valid_pages_ = 0;
  std::uint64_t good_blocks_ = 0;
  std::uint64_t erases_ = 0;
  std::uint32_t most_erases_ = 0;
  std::uint32_t clock_ = 0;
  std::uint32_t slc_blocks_ = 0; // blocks in use in SLC mode
  bool slc_drive_ = false;       // all are, always
  bool space_in_pages_ = false;
};

inline void BlockTable::take_valid_page(std::uint32_t plane, std::uint32_t block, std::uint32_t page) {
  const std::uint32_t index = at(plane, block);
  link_page(index, plane, block, page);
  count_page(index, plane, block, order_->type(page));
  if (twins_ != 1) take_twin_page(plane / twins_, block);
}

inline void BlockTable::link_page(std::uint32_t index, std::uint32_t plane, std::uint32_t block,
                                  std::uint32_t page) {
  valid_.set(index, page);
  ++blocks_[index].valid;
  ++valid_pages_;
  if (summed_) account_valid(plane, block);
}

/// A page of block `index` = at(plane, block) is written.
inline void BlockTable::count_page(std::uint32_t index, std::uint32_t plane, std::uint32_t block,
                                   PageType type) {
  BlockInfo& b = blocks_[index];
  ++b.written;
  ++clock_;
  --free_pages_[type];
  if (space_in_pages_) --planes_[plane].space;
  if (b.written == geometry_.pages_per_block) transition(plane, block, BlockState::closed);
}

inline void BlockTable::invalidate(Ppn ppn) {
  const std::uint32_t plane = plane_of(ppn);
  const std::uint32_t block = block_of(ppn);
  const std::uint32_t page = page_of(ppn);
  valid_.clear(at(plane, block), page);
  BlockInfo& b = blocks_[at(plane, block)];
  --b.valid;
  --valid_pages_;
  if (summed_) {
    account_invalid(plane, block);
    return;
  }
  if (b.state != BlockState::closed || data_ != nullptr) return;
  ++planes_[plane].reclaimable;
  if (victim_->wants_updates()) victim_->invalidated(plane, block, b.valid);
}

} // namespace twinplane::fw
