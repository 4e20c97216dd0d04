// Greedy: the closed block with the most invalid pages; among equals the one that has been in that
// state longest. Constant time per event: per domain one list of blocks for every count of pages that
// are not invalid. (Of full blocks that is the one with the fewest valid pages.)
#include "firmware/ftl/block_table.h"
#include "firmware/ftl/victim/victim.h"

namespace twinplane::fw {

namespace {

constexpr std::uint16_t kNil = 0xFFFF;

struct Links {
  std::uint16_t previous;
  std::uint16_t next;
  std::uint16_t bucket; // count under which the block is listed
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
        counts_(c.blocks.unit_pages() + 1),
        links_(c.memory.zeroed<Links>(std::size_t{c.blocks.domains()} * per_domain_)),
        buckets_(c.memory.array<Bucket>(std::size_t{c.blocks.domains()} * counts_)),
        lowest_(c.memory.zeroed<std::uint16_t>(c.blocks.domains())) {}

  std::uint32_t select(std::uint32_t domain) override {
    std::uint16_t& low = lowest_[domain];
    while (bucket(domain, low).head == kNil) ++low; // reclaimable: some bucket below the last has a block
    return bucket(domain, low).head;
  }

  void closed(std::uint32_t domain, std::uint32_t block) override {
    append(domain, block, counts_ - 1 - blocks_.member(domain, block).invalid());
  }

  void invalidated(std::uint32_t domain, std::uint32_t block, std::uint32_t /*valid*/) override {
    remove(domain, block);
    append(domain, block, counts_ - 1 - blocks_.member(domain, block).invalid());
  }

  bool wants_updates() const override { return true; }
  void left(std::uint32_t domain, std::uint32_t block) override { remove(domain, block); }

  void serialise(StateVisitor& state) override {
    state.table(links_, std::size_t{blocks_.domains()} * per_domain_);
    state.table(buckets_, std::size_t{blocks_.domains()} * counts_);
    state.table(lowest_, blocks_.domains());
  }

 private:
  Bucket& bucket(std::uint32_t domain, std::uint32_t kept) { return buckets_[domain * counts_ + kept]; }
  Links& link(std::uint32_t domain, std::uint32_t block) { return links_[domain * per_domain_ + block]; }

  void append(std::uint32_t domain, std::uint32_t block, std::uint32_t kept) {
    Bucket& b = bucket(domain, kept);
    const auto id = static_cast<std::uint16_t>(block);
    link(domain, block) = Links{b.tail, kNil, static_cast<std::uint16_t>(kept)};
    if (b.tail == kNil) {
      b.head = id;
    } else {
      link(domain, b.tail).next = id;
    }
    b.tail = id;
    if (kept < lowest_[domain]) lowest_[domain] = static_cast<std::uint16_t>(kept);
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
  std::uint16_t* lowest_; // per domain: no bucket below has a block
};

} // namespace

VictimSelection* make_greedy_victim(const VictimContext& c) {
  return c.memory.make<Greedy>(c);
}

} // namespace twinplane::fw
