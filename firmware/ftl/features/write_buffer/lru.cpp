// Least recently used: the page untouched longest is written back first, and its slot reused first.
#include "firmware/ftl/features/write_buffer/write_buffer.h"

namespace twinplane::fw {

namespace {

constexpr std::uint16_t kNil = 0xFFFF;

/// Doubly linked lists of slot numbers; a slot is in at most one list of a set.
struct Links {
  std::uint16_t previous = kNil;
  std::uint16_t next = kNil;
};

class List {
 public:
  void append(Links* links, std::uint16_t slot) {
    links[slot] = Links{tail_, kNil};
    (tail_ == kNil ? head_ : links[tail_].next) = slot;
    tail_ = slot;
    ++size_;
  }
  void remove(Links* links, std::uint16_t slot) {
    const Links l = links[slot];
    (l.previous == kNil ? head_ : links[l.previous].next) = l.next;
    (l.next == kNil ? tail_ : links[l.next].previous) = l.previous;
    --size_;
  }
  std::uint16_t front() const { return head_; }
  std::uint32_t size() const { return size_; }

 private:
  std::uint16_t head_ = kNil;
  std::uint16_t tail_ = kNil;
  std::uint32_t size_ = 0;
};

class Lru final : public WriteBuffer {
 public:
  Lru(BootMemory& memory, std::uint32_t pages, std::uint32_t buffers, std::uint32_t stride) {
    std::uint32_t buckets = 16;
    while (buckets < 2 * pages) buckets *= 2;
    bucket_mask_ = buckets - 1;
    slots_ = memory.array<BufferSlot>(pages);
    by_use_ = memory.array<Links>(pages);
    by_age_ = memory.array<Links>(pages);
    chain_ = memory.zeroed<std::uint16_t>(pages);
    buckets_ = memory.zeroed<std::uint16_t>(buckets);
    if (memory.exhausted()) return;
    for (std::uint32_t b = 0; b < buckets; ++b) buckets_[b] = kNil;
    for (std::uint32_t i = 0; i < pages; ++i) {
      slots_[i].index = static_cast<std::uint16_t>(i);
      slots_[i].buffer = buffers + i * stride;
      list(SlotState::free).append(by_use_, slots_[i].index);
    }
  }

  BufferSlot* newest(std::uint32_t lpn) override { return search(bucket(lpn), lpn); }
  BufferSlot* older(const BufferSlot& slot) override { return search(chain_[slot.index], slot.lpn); }
  BufferSlot& at(std::uint16_t index) override { return slots_[index]; }

  BufferSlot* reusable() override {
    const std::uint16_t free = list(SlotState::free).front();
    return pointer(free != kNil ? free : list(SlotState::clean).front());
  }

  void assign(BufferSlot& slot, std::uint32_t lpn, std::uint32_t sequence) override {
    if (slot.listed) hide(slot);
    set_state(slot, SlotState::clean);
    slot.lpn = lpn;
    slot.mask = 0;
    slot.sequence = sequence;
    slot.listed = true;
    slot.closed = false;
    std::uint16_t& head = bucket(lpn);
    chain_[slot.index] = head;
    head = slot.index;
  }

  void touch(BufferSlot& slot) override {
    list(slot.state).remove(by_use_, slot.index);
    list(slot.state).append(by_use_, slot.index);
  }

  BufferSlot* least_valuable_dirty() override { return pointer(list(SlotState::dirty).front()); }

  void set_state(BufferSlot& slot, SlotState state) override {
    const bool was_pending = pending(slot.state);
    list(slot.state).remove(by_use_, slot.index);
    slot.state = state;
    list(state).append(by_use_, slot.index);
    if (pending(state) == was_pending) return;
    if (was_pending) {
      age_.remove(by_age_, slot.index);
    } else {
      slot.dirty_since = ++dirty_mark_;
      age_.append(by_age_, slot.index);
    }
  }

  void hide(BufferSlot& slot) override {
    std::uint16_t* link = &bucket(slot.lpn);
    while (*link != slot.index) link = &chain_[*link];
    *link = chain_[slot.index];
    slot.listed = false;
  }

  std::uint32_t count(SlotState state) const override {
    return lists_[static_cast<std::uint32_t>(state)].size();
  }
  std::uint32_t dirty_mark() const override { return dirty_mark_; }

  bool written_up_to(std::uint32_t mark) const override {
    if (age_.front() == kNil) return true;
    return static_cast<std::int32_t>(slots_[age_.front()].dirty_since - mark) > 0;
  }

 private:
  static bool pending(SlotState s) { return s >= SlotState::dirty; }
  List& list(SlotState s) { return lists_[static_cast<std::uint32_t>(s)]; }
  std::uint16_t& bucket(std::uint32_t lpn) { return buckets_[(lpn * 0x9E3779B1u) >> 8 & bucket_mask_]; }
  BufferSlot* pointer(std::uint16_t slot) { return slot == kNil ? nullptr : &slots_[slot]; }

  BufferSlot* search(std::uint16_t slot, std::uint32_t lpn) {
    while (slot != kNil && slots_[slot].lpn != lpn) slot = chain_[slot];
    return pointer(slot);
  }

  BufferSlot* slots_ = nullptr;
  Links* by_use_ = nullptr; // order of use inside the list of the slot's state
  Links* by_age_ = nullptr; // order in which the versions not yet on flash became dirty
  std::uint16_t* chain_ = nullptr;
  std::uint16_t* buckets_ = nullptr;
  std::uint32_t bucket_mask_ = 0;
  List lists_[kSlotStates];
  List age_;
  std::uint32_t dirty_mark_ = 0;
};

} // namespace

WriteBuffer* make_lru_write_buffer(BootMemory& memory, std::uint32_t pages, std::uint32_t buffers,
                                   std::uint32_t stride) {
  return memory.make<Lru>(memory, pages, buffers, stride);
}

} // namespace twinplane::fw
