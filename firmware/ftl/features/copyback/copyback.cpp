// How the collector moves a page inside its plane: through the controller, whose decoder corrects it, or by
// copyback, which leaves the data in the die.
//
// A page may be moved by copyback so many times in a row (`limit`); then it goes through the controller once.
// Its errors add up meanwhile, so a limit bounds them. 0: never by copyback; kAnyCopybacks: always.
//
// Whose data a page holds is in its out-of-band word, which the collector reads first, with no data; so it
// learns, too, that a page cannot be read as it is, and moves that one through the controller.
#include "firmware/ftl/boot_memory.h"
#include "firmware/ftl/config.h"
#include "firmware/ftl/hooks.h"
#include "firmware/ftl/state.h"
#include "hw/spec/reliability.h"

namespace twinplane::fw {

namespace {

class Copyback final : public Feature {
 public:
  explicit Copyback(std::uint32_t limit) : limit_(limit) {}
  std::uint32_t hooks() const override { return hook_set(Hook::moved, Hook::blocks); }
  void boot(BootMemory& memory, const Pipeline& pipeline) override {
    blocks_ = &pipeline.state.blocks;
    if (limit_ != kAnyCopybacks) counts_ = memory.zeroed<std::uint8_t>(pages());
  }

  bool may_copy_back(Ppn page) const override { return counts_ == nullptr || counts_[index(page)] < limit_; }
  void moved(Ppn from, Ppn to) override {
    if (counts_ != nullptr) counts_[index(to)] = static_cast<std::uint8_t>(counts_[index(from)] + 1);
  }
  /// What is written there comes from the controller, unless moved() says so.
  void block_erased(Ppn page) override { set(page, 0); }
  /// How often its pages have been is not known: each goes through the controller next.
  void reopened(std::uint32_t plane, std::uint32_t block, bool written) override {
    if (written) set(blocks_->ppn(plane, block, 0), static_cast<std::uint8_t>(limit_));
  }

  void serialise_tables(StateVisitor& visitor) override { visitor.table(counts_, pages()); }

 private:
  std::size_t pages() const { return static_cast<std::size_t>(blocks_->geometry().pages()); }
  std::size_t index(Ppn page) const {
    const std::size_t block =
        std::size_t{blocks_->plane_of(page)} * blocks_->blocks_per_plane() + blocks_->block_of(page);
    return block * blocks_->pages_per_block() + blocks_->page_of(page);
  }
  /// All pages of the block of `page`.
  void set(Ppn page, std::uint8_t count) {
    if (counts_ == nullptr) return;
    std::uint8_t* const first = counts_ + (index(page) - blocks_->page_of(page));
    for (std::uint32_t p = 0; p < blocks_->pages_per_block(); ++p) first[p] = count;
  }

  std::uint32_t limit_;
  const BlockTable* blocks_ = nullptr;
  std::uint8_t* counts_ = nullptr; // by page; null where nothing has to be counted
};

} // namespace

Feature* make_copyback(BootMemory& memory, const FtlConfig& config) {
  return memory.make<Copyback>(config.copybacks);
}

} // namespace twinplane::fw
