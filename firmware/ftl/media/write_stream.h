// Write streams: whose data go to which blocks, and how those are filled.
//
// A stream fills units in turn, a page at a time: blocks, or the twin blocks of a die (block_table.h). Of each domain,
// which is a region's part of a site, it has one unit open at most; that unit and the next page in it are its frontier
// there. The region says which pages of a block are used (PageMode), and so how many a unit has. The data of the host
// are a stream, those that collection moves another one, or the same; each level of an SLC-mode cache is one. Hot data of
// the host may be one more (ftl.host_streams), and what collection moves out of their units stays with them.
//
// Space rule of a host and a collector, and why a site cannot deadlock. Let S = pages that the collector can still
// reach in a domain: what is left in its frontier plus all free units; u = pages per unit. A host write is refused
// when it would leave S < need, where need = valid pages of the domain's running victim, those that a power cut makes
// valid again as it undoes a trim (BlockTable::most_moved), and the few that power cuts may tear
// (torn_reserve_pages); or u when none runs. Only the host keeps to it: moves go on below it.
//  * A victim has at most u - 1 valid pages and S >= u when it is chosen, so its moves always find pages. Each move
//    lowers S and need by one, so the rule stays true; invalidations lower need only.
//  * The erase then adds u pages: S >= u again. Each round gains at least one page.
//  * Hence a host that may take n pages now may take n whatever happens: they are granted in advance. Only where space
//    is lost, because a program or an erase has failed, or where need grows, because a victim is chosen that cuts may
//    tear pages of, the rule must be asked again (BlockAllocation::revoke).
//  * Where pages are programmed by whole wordlines, in one pass, moves and the host's writes take whole wordlines, and pages
//    are counted so; a victim has fewer valid wordlines than a unit has.
//  * Rounds go on while a closed unit has an invalid page. When none has, at most two units' worth of pages (frontier
//    and reserve) are not valid, and conventional_reserve_pages() keeps the exported capacity below that for at least
//    one site that the write may go to.
//  * A host with a frontier of its own opens whole units only. Where the rule leaves it less, and no closed unit has an
//    invalid page because they are all in the collector's, it goes on there (host_takes_over()). Where it cannot, and what
//    the collector's unit has left is too little for the rule, that unit is closed before its end, for then it is a victim
//    (give_up_collectors()).
//  * Hot data have a frontier of their own, which opens whole units only. It may keep a unit's worth of pages from being
//    reclaimed, and what the host's other frontier or the collector has left is of no use to it: host_streams_reserve_pages()
//    says why two units more are enough. Where space has been lost and they are not, hot data go where all others do
//    (end_hot_stream()). Moves of hot data go there as the host's do, or where the collector goes on: it has kept a page for
//    each of them.
#pragma once

#include <cstdint>

#include "firmware/ftl/block_table.h"
#include "firmware/ftl/transaction.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::fw {

/// A unit that is being filled page by page.
struct OpenUnit {
  std::uint32_t block = 0;
  std::uint32_t next = 0;    // pages handed out; as many as a unit has: none is open
  std::uint32_t granted = 0; // the host may take the pages before this one whatever happens but revoke()
};

struct PageSlot {
  std::uint32_t block = 0;
  std::uint32_t page = 0;
  bool slc = false;      // of a block in SLC mode, in a drive that has others as well
  std::uint8_t pass = 1; // pages of the block that are programmed together: 1, or those of a wordline
};

constexpr const char* kNoFrontier = "it is damaged (a block that is not open is to be written)";

/// The frontiers of a stream, one of each domain.
class WriteStream {
 public:
  /// Nothing is open. Check BootMemory::exhausted() behind it.
  void boot(BootMemory& memory, BlockTable& blocks);

  /// Null before boot() and where memory was exhausted.
  OpenUnit* units() const { return units_; }
  const OpenUnit& at(std::uint32_t domain) const { return units_[domain]; }
  OpenUnit& at(std::uint32_t domain) { return units_[domain]; }
  /// Pages of the open unit that have not been handed out.
  std::uint32_t left(std::uint32_t domain) const {
    return blocks_->domain_pages(domain) - units_[domain].next;
  }
  bool is_open(std::uint32_t domain) const { return left(domain) != 0; }
  /// The next page of the open unit, which is one block.
  PageSlot next_page(std::uint32_t domain) const {
    const std::uint32_t region = blocks_->region_of_domain(domain);
    return {units_[domain].block, blocks_->region_page(region, units_[domain].next),
            blocks_->mode(region) == PageMode::slc, static_cast<std::uint8_t>(blocks_->pass_pages(region))};
  }
  /// Pages that the wordline lacks in which the frontier stands, where wordlines are programmed in one pass; 0: it has
  /// begun none.
  std::uint32_t left_of_pass(std::uint32_t domain) const {
    return left(domain) % blocks_->pass_pages(blocks_->region_of_domain(domain));
  }
  /// Opens the next free unit of the domain. False: it has none.
  [[nodiscard]] bool open_next(std::uint32_t domain);
  /// The next page was handed out; the block table has been told.
  void take(std::uint32_t domain);
  /// Closes the open unit if part of it is written.
  void close(std::uint32_t domain);
  /// Closes the open unit, of which some is written.
  void close_unit(std::uint32_t domain);

  void serialise(StateVisitor& state);

 private:
  bool can_be(std::uint32_t domain) const;

  BlockTable* blocks_ = nullptr;
  OpenUnit* units_ = nullptr; // by domain
};

/// The streams of the host and of moves in the same domains, with the space rule between them.
class StreamPair {
 public:
  void boot(BootMemory& memory, BlockTable& blocks, const FtlConfig& config);

  WriteStream host; // of all its pages, or of those that are not hot
  WriteStream& of(Stream stream, PageHint hint = kAnyPage) {
    return const_cast<WriteStream&>(static_cast<const StreamPair&>(*this).of(stream, hint));
  }
  const WriteStream& of(Stream stream, PageHint hint = kAnyPage) const {
    if (stream != Stream::host) return *collector_;
    return is_hot(hint) ? hot_ : host;
  }
  /// Pages of that hint have a stream of their own.
  bool is_hot(PageHint hint) const { return parts_hot_ && hint == kHotPage; }
  /// Moves come out of a unit of hot data, whose stream has room.
  [[nodiscard]] bool moves_hot(std::uint32_t domain) const;
  /// The stream of moves out of the unit that is being emptied.
  const WriteStream& of_moves(std::uint32_t domain) const { return moves_hot(domain) ? hot_ : *collector_; }
  WriteStream& of_moves(std::uint32_t domain) { return moves_hot(domain) ? hot_ : *collector_; }
  /// The stream, or that of hot data, which goes on in that block.
  WriteStream& holding(Stream stream, std::uint32_t domain, std::uint32_t block) {
    const bool hot = hot_.units() != nullptr && hot_.is_open(domain) && hot_.at(domain).block == block;
    return hot ? hot_ : of(stream);
  }
  bool is_hot(const WriteStream& stream) const { return &stream == &hot_; }
  /// Opens the next free unit of the domain for a stream. False: it has none.
  [[nodiscard]] bool open(WriteStream& stream, std::uint32_t domain);
  /// The unit of the domain is being emptied; kNoBlock: none is any more.
  void collects(std::uint32_t domain, std::uint32_t block) {
    if (emptied_ != nullptr) emptied_[domain] = block;
  }
  /// From now on hot data go where the others do. False: they did already.
  [[nodiscard]] bool end_hot_stream();
  /// The host's other data and moves share one stream.
  bool shared() const { return collector_ == &host; }

  /// Pages that collection can reach in the domain.
  std::uint32_t reach(std::uint32_t domain) const {
    return blocks_->domain(domain).free_blocks * blocks_->domain_pages(domain) + collector_->left(domain);
  }
  /// ... beyond those that it must find. `reclaiming`: the site's victim, of whatever region, or kNoBlock.
  std::uint32_t spare(std::uint32_t domain, std::uint32_t reclaiming) const;
  /// Nothing is collected any more.
  void keep_nothing() { keeps_ = false; }
  bool keeps() const { return keeps_; }
  /// The host goes on in a unit that the collector cannot reach.
  bool host_has_own(std::uint32_t domain, PageHint hint = kAnyPage) const {
    return is_hot(hint) ? hot_.is_open(domain) : !shared() && host.is_open(domain);
  }
  /// Of so many pages those that the host's frontier can take by whole passes.
  std::uint32_t in_passes(std::uint32_t domain, std::uint32_t pages) const {
    const std::uint32_t pass = blocks_->pass_pages(blocks_->region_of_domain(domain));
    if (pass == 1) return pages;
    const std::uint32_t left = host.left_of_pass(domain);
    return pages < left ? 0 : left + (pages - left) / pass * pass;
  }
  /// How many pages the rule leaves to the host in the unit that it goes on in, or opens next.
  std::uint32_t host_may_take(std::uint32_t domain, std::uint32_t reclaiming,
                              PageHint hint = kAnyPage) const {
    const std::uint32_t pages = blocks_->domain_pages(domain);
    if (host_has_own(domain, hint)) return pages;
    const std::uint32_t spare = this->spare(domain, reclaiming);
    if (is_hot(hint)) return spare >= pages ? pages : 0;
    return shared() || spare >= pages ? in_passes(domain, spare) : 0;
  }
  /// As host_may_take(), but makes the collector's unit the host's where there is no other way on, or closes it.
  [[nodiscard]] std::uint32_t grant(std::uint32_t domain, std::uint32_t reclaiming,
                                    PageHint hint = kAnyPage) {
    const std::uint32_t most = host_may_take(domain, reclaiming, hint);
    if (most != 0 || is_hot(hint) || !only_collector_goes_on(domain, reclaiming)) return most;
    if (host_takes_over(domain)) return host_may_take(domain, reclaiming);
    give_up_collectors(domain);
    return 0;
  }
  /// Programs that power cuts may waste within one collection of the region; pages of a unit.
  std::uint32_t torn(std::uint32_t region) const { return margins_[region].torn; }

  /// Recovery has found a unit open with so many pages written. The collector goes on where most are left: so it
  /// reaches at least what it has reached before. False: two are open already.
  [[nodiscard]] bool resume(std::uint32_t domain, std::uint32_t block, std::uint32_t pages);
  /// Closes what is partly written at the site.
  void close(std::uint32_t site);

  void serialise(StateVisitor& state);

 private:
  [[nodiscard]] bool only_collector_goes_on(std::uint32_t domain, std::uint32_t reclaiming) const;
  [[nodiscard]] bool host_takes_over(std::uint32_t domain);
  void give_up_collectors(std::uint32_t domain);

  BlockTable* blocks_ = nullptr;
  WriteStream* collector_ = nullptr; // its own, or the host's
  WriteStream own_;
  WriteStream hot_;                  // without units where the host has one stream
  BitRows hot_units_;                // by domain: opened for that
  std::uint32_t* emptied_ = nullptr; // by domain
  bool parts_hot_ = false;
  /// Pages of a unit, by region.
  struct Margin {
    std::uint32_t torn = 0;    // torn()
    std::uint32_t padding = 0; // that may hold nothing
  };
  Margin margins_[kMaxRegions];
  bool keeps_ = true;         // pages for collection
  bool closes_early_ = false; // no page waits for others of its unit
};

constexpr std::uint32_t conventional_reserve_pages(std::uint32_t pages_per_block) {
  return 2 * pages_per_block + 1;
}

/// ... and beside it where hot data have a frontier of their own. With u pages per unit: while no closed unit has an
/// invalid page, pages that are not valid are those of free units and at most u - 1 of each of the three open ones. So
/// where there are 4 u - 2 of them two units are free, and a hot page finds one beyond that of the collector.
constexpr std::uint32_t host_streams_reserve_pages(const FtlConfig& config) {
  return config.host_streams == 1 ? 0 : 2 * config.geometry.pages_per_block;
}

/// Where wordlines are completed before anything is answered (lower_pages/): the most pages behind one that
/// complete its wordline. So many of each block may hold nothing.
std::uint32_t padding_pages(const FtlConfig& config, const PageOrderTable& order);
/// The same without the table, or a page or two more: k bits per cell are k^2 - 1 pages with the diagonal one, 6 with
/// even_odd.
std::uint32_t longest_padding(const FtlConfig& config);

/// ... and of a unit of so many blocks. Where a page behind one completes its wordline, and planes take pages in turn,
/// all planes go on to that page; what moves leave empty at the end of a collection they leave once, but for units of the
/// map: those of each plane are packed by themselves.
std::uint32_t unit_padding(const FtlConfig& config, std::uint32_t of_block, std::uint32_t twins);

/// Pages of every plane that the host leaves to a collection under way beside what its victim needs. A power
/// cut wastes the page that a move is being programmed into, and what was to be moved needs another one;
/// where no hold-up energy completes such programs, so many cuts within one collection are provided for.
/// Where they are not enough the victim is emptied to other dies (UnrelocatablePages). Each cut wastes
/// the padding of two frontiers as well, and the end of the collection needs some.
constexpr std::uint32_t torn_reserve_pages(const FtlConfig& config, std::uint32_t padding) {
  constexpr std::uint32_t kCuts = 4;
  return config.hold_up_pages == 0 ? kCuts * (1 + 2 * padding) + padding : 0;
}

/// ... which all the time are left out of what a region can hold, where there is padding.
constexpr std::uint32_t padded_reserve_pages(const FtlConfig& config, std::uint32_t padding) {
  return padding == 0 ? 0 : torn_reserve_pages(config, padding);
}

} // namespace twinplane::fw
