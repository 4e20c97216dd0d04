// Greedy: the closed block with the most invalid data; among equals the one that has been in that
// state longest. Constant time per event: per domain one list of blocks for every count of data that
// are not invalid. (Of full blocks that is the one with the fewest valid data.)
#include "firmware/ftl/victim/scan.h"

namespace twinplane::fw {

namespace {

constexpr std::uint16_t kNil = 0xFFFF;

struct Links {
  std::uint16_t previous;
  std::uint16_t next;
  std::uint32_t bucket; // count under which the block is listed
};

struct Bucket {
  std::uint16_t head = kNil;
  std::uint16_t tail = kNil;
};

class Greedy final : public VictimSelection {
 public:
  explicit Greedy(const VictimContext& c)
      : blocks_(c.blocks),
        per_domain_(c.config.geometry.blocks_per_plane),
        counts_(c.blocks.unit_pages() * c.blocks.data_per_page() + 1),
        links_(c.memory.zeroed<Links>(std::size_t{c.blocks.domains()} * per_domain_)),
        buckets_(c.memory.array<Bucket>(std::size_t{c.blocks.domains()} * counts_)),
        lowest_(c.memory.zeroed<std::uint32_t>(c.blocks.domains())) {}

  std::uint32_t select(std::uint32_t domain) override {
    std::uint32_t& low = lowest_[domain];
    while (bucket(domain, low).head == kNil) ++low; // reclaimable: some bucket below the last has a block
    return bucket(domain, low).head;
  }

  void closed(std::uint32_t domain, std::uint32_t block) override {
    append(domain, block, counts_ - 1 - blocks_.invalid_data(domain, block));
  }

  void invalidated(std::uint32_t domain, std::uint32_t block, std::uint32_t /*valid*/) override {
    remove(domain, block);
    append(domain, block, counts_ - 1 - blocks_.invalid_data(domain, block));
  }

  bool wants_updates() const override { return true; }
  bool by_valid_data() const override { return true; }
  void left(std::uint32_t domain, std::uint32_t block) override { remove(domain, block); }

  void serialise(StateVisitor& state) override {
    state.table(links_, std::size_t{blocks_.domains()} * per_domain_);
    state.table(buckets_, std::size_t{blocks_.domains()} * counts_);
    state.table(lowest_, blocks_.domains());
    for (std::uint32_t d = 0; state.loading() && d < blocks_.domains(); ++d)
      state.require(lists_hold(d), "it is damaged (the lists that victims are chosen from)");
  }

 private:
  /// Each closed block of the domain is on the list of what it keeps, once, and nothing else is on any.
  bool lists_hold(std::uint32_t domain) const {
    std::uint32_t closed = 0;
    for (std::uint32_t b = 0; b < per_domain_; ++b)
      closed += blocks_.is_member(domain, b) && blocks_.member(domain, b).state == BlockState::closed ? 1 : 0;
    std::uint32_t listed = 0;
    for (std::uint32_t kept = 0; kept < counts_; ++kept) {
      const Bucket& b = buckets_[domain * counts_ + kept];
      if (b.head != kNil && kept < lowest_[domain]) return false;
      std::uint16_t previous = kNil;
      for (std::uint16_t block = b.head; block != kNil; block = links_[domain * per_domain_ + block].next) {
        if (++listed > closed || !listed_rightly(domain, block, kept)) return false;
        if (links_[domain * per_domain_ + block].previous != previous) return false;
        previous = block;
      }
      if (b.tail != previous) return false;
    }
    return listed == closed && lowest_[domain] < counts_;
  }
  bool listed_rightly(std::uint32_t domain, std::uint32_t block, std::uint32_t kept) const {
    if (block >= per_domain_ || !blocks_.is_member(domain, block)) return false;
    const BlockInfo& info = blocks_.member(domain, block);
    return info.state == BlockState::closed && links_[domain * per_domain_ + block].bucket == kept &&
           counts_ - 1 - blocks_.invalid_data(domain, block) == kept;
  }

  Bucket& bucket(std::uint32_t domain, std::uint32_t kept) { return buckets_[domain * counts_ + kept]; }
  Links& link(std::uint32_t domain, std::uint32_t block) { return links_[domain * per_domain_ + block]; }

  void append(std::uint32_t domain, std::uint32_t block, std::uint32_t kept) {
    Bucket& b = bucket(domain, kept);
    const auto id = static_cast<std::uint16_t>(block);
    link(domain, block) = Links{b.tail, kNil, kept};
    if (b.tail == kNil) {
      b.head = id;
    } else {
      link(domain, b.tail).next = id;
    }
    b.tail = id;
    if (kept < lowest_[domain]) lowest_[domain] = kept;
  }

  void remove(std::uint32_t domain, std::uint32_t block) {
    const Links l = link(domain, block);
    Bucket& b = bucket(domain, l.bucket);
    (l.previous == kNil ? b.head : link(domain, l.previous).next) = l.next;
    (l.next == kNil ? b.tail : link(domain, l.next).previous) = l.previous;
  }

  const BlockTable& blocks_;
  std::uint32_t per_domain_;
  std::uint32_t counts_;
  Links* links_;
  Bucket* buckets_;
  std::uint32_t* lowest_; // per domain: no bucket below has a block
};

/// The largest share of invalid data, for a superblock may lack units of some dies. Looks at all, since superblocks are
/// few, and each is worth many moves.
class GreedyOfSuperblocks final : public ScanningVictim {
 public:
  using ScanningVictim::ScanningVictim;

  std::uint32_t select(std::uint32_t domain) override {
    std::uint32_t best = kNoBlock;
    Share most;
    for (std::uint32_t block = 0; block < units_.blocks(); ++block) {
      if (!units_.reclaimable(domain, block)) continue;
      const Share share{units_.invalid_data(domain, block), units_.size(domain, block)};
      if (share < most) continue;
      if (!(most < share) && units_.age(domain, block) <= units_.age(domain, best)) continue;
      best = block;
      most = share;
    }
    return best;
  }
  bool by_valid_data() const override { return true; }

 private:
  struct Share {
    std::uint64_t invalid = 0;
    std::uint64_t units = 1;
    bool operator<(const Share& other) const { return invalid * other.units < other.invalid * units; }
  };
};

} // namespace

VictimSelection* make_greedy_victim(const VictimContext& c) {
  if (c.superblocks != nullptr) return c.memory.make<GreedyOfSuperblocks>(c);
  return c.memory.make<Greedy>(c);
}

} // namespace twinplane::fw
