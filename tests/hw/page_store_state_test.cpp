// Are the cells of a die the same after they have been bytes, and are the bytes of equal cells equal?
#include "hw/nand/page_store.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "hw/nand/cell_log.h"
#include "hw/spec/state_visitor.h"
#include "tests/support/parameter_names.h"

namespace twinplane::hw::page_store_state_test {
namespace {

class Saver final : public StateVisitor {
 public:
  bool loading() const override { return false; }
  void section(const char* /*name*/) override {}
  void refuse(const char* why) override { ADD_FAILURE() << why; }
  void bytes(void* data, std::size_t size) override {
    const auto* from = static_cast<const std::uint8_t*>(data);
    image.insert(image.end(), from, from + size);
  }
  std::vector<std::uint8_t> image;
};

class Loader final : public StateVisitor {
 public:
  explicit Loader(const std::vector<std::uint8_t>& image) : image_(image) {}
  bool loading() const override { return true; }
  void section(const char* /*name*/) override {}
  void refuse(const char* why) override { ADD_FAILURE() << why; }
  void bytes(void* data, std::size_t size) override {
    ASSERT_LE(size, image_.size() - at_);
    std::memcpy(data, image_.data() + at_, size);
    at_ += size;
  }
  bool at_end() const { return at_ == image_.size(); }

 private:
  const std::vector<std::uint8_t>& image_;
  std::size_t at_ = 0;
};

struct Shape {
  DataMode mode;
  std::uint32_t partial_programs;
  bool subpage_words;
  std::uint64_t last_sequence; // of 2^48 and more: the store changes to whole tags
};
std::string name_of(const Shape& s) {
  return (s.mode == DataMode::none  ? "none"
          : s.mode == DataMode::tag ? "tag"
                                    : "full") +
         ("_" + std::to_string(s.partial_programs)) + (s.last_sequence > 2 ? "_whole_tags" : "");
}
void PrintTo(const Shape& parameter, std::ostream* out) {
  *out << test::parameter_names::text_of(parameter);
}

class PageStoreState : public testing::TestWithParam<Shape> {
 protected:
  PageStoreState() {
    geometry_.page_size = 16384;
    geometry_.subpages_per_page = 4;
    geometry_.blocks_per_plane = 4;
    geometry_.pages_per_block = 7; // half a byte of state is left over
  }

  PageStore store() const {
    return PageStore(geometry_, GetParam().mode, GetParam().partial_programs, GetParam().subpage_words);
  }
  PageRegister page(const PageStore& of) const {
    PageRegister r;
    r.payload = std::make_unique<std::uint8_t[]>(of.payload_size() + 1);
    r.further_count = of.further_words();
    if (r.further_count != 0) r.further = std::make_unique<std::uint64_t[]>(r.further_count);
    r.clear();
    return r;
  }
  void program(PageStore& in, PageStore::Block& block, std::uint32_t number, std::uint64_t sequence,
               std::uint32_t mask) const {
    PageRegister r = page(in);
    r.oob = sequence * 3;
    r.oob_loaded = true;
    for (std::uint32_t w = 0; w < r.further_count; ++w) r.further[w] = sequence + w;
    r.mask = mask & in.full_mask();
    const std::uint32_t stride = in.payload_size() / geometry_.sectors_per_page();
    for (std::uint32_t s = 0; stride != 0 && s < geometry_.sectors_per_page(); ++s) {
      const SectorTag tag{number * 4 + s, sequence};
      std::memcpy(r.payload.get() + std::size_t{s} * stride, &tag, sizeof tag);
    }
    in.program(block, number, 0, r);
  }
  /// One block full, one erased again and begun, one with a corrupt page, one whose erase was cut; others
  /// blank.
  void wear(PageStore& s) const {
    const std::uint32_t first = GetParam().partial_programs > 1 ? 0x3 : 0xF;
    for (std::uint32_t p = 0; p < 7; ++p) program(s, s.block(0, 0), p, 100 + p, first);
    if (GetParam().partial_programs > 1) program(s, s.block(0, 0), 2, 200, 0xC);
    for (std::uint32_t p = 0; p < 7; ++p) program(s, s.block(1, 3), p, 300 + p, 0xF);
    s.erase(s.block(1, 3));
    program(s, s.block(1, 3), 0, GetParam().last_sequence, 0xF);
    s.block(1, 3).mode = BlockMode::slc;
    program(s, s.block(0, 2), 0, 400, 0xF);
    s.mark_corrupt(s.block(0, 2), 0);
    s.erase(s.block(1, 1));
    s.block(1, 1).corrupt = true;
  }
  void expect_equal(const PageStore& a, const PageStore& b) const {
    EXPECT_EQ(a.allocated_bytes(), b.allocated_bytes());
    for (std::uint32_t plane = 0; plane < geometry_.planes_per_die; ++plane) {
      for (std::uint32_t n = 0; n < geometry_.blocks_per_plane; ++n) {
        SCOPED_TRACE(testing::Message() << "plane " << plane << " block " << n);
        expect_equal(a, a.block(plane, n), b, b.block(plane, n));
      }
    }
  }
  void expect_equal(const PageStore& a, const PageStore::Block& x, const PageStore& b,
                    const PageStore::Block& y) const {
    EXPECT_EQ(x.erase_count, y.erase_count);
    EXPECT_EQ(x.programmed, y.programmed);
    EXPECT_EQ(x.by_type, y.by_type);
    EXPECT_EQ(x.mode, y.mode);
    for (std::uint32_t p = 0; p < geometry_.pages_per_block; ++p) {
      SCOPED_TRACE(testing::Message() << "page " << p);
      EXPECT_EQ(a.program_count(x, p), b.program_count(y, p));
      EXPECT_EQ(a.programmed_sectors(x, p), b.programmed_sectors(y, p));
      PageRegister r = page(a), s = page(b);
      a.read(x, p, r);
      b.read(y, p, s);
      EXPECT_EQ(r.oob, s.oob);
      EXPECT_EQ(r.blank, s.blank);
      EXPECT_EQ(r.corrupt, s.corrupt);
      EXPECT_EQ(0, std::memcmp(r.payload.get(), s.payload.get(), a.payload_size()));
      for (std::uint32_t w = 0; w < r.further_count; ++w) EXPECT_EQ(r.further[w], s.further[w]);
    }
  }

  Geometry geometry_;
};

TEST_P(PageStoreState, ReadsAsBeforeAndGivesTheSameBytesAgain) {
  PageStore worn = store();
  wear(worn);
  Saver saved;
  worn.serialise(saved);

  PageStore restored = store();
  program(restored, restored.block(0, 1), 0, 9, 0xF); // what it held before goes
  Loader loader(saved.image);
  restored.serialise(loader);
  EXPECT_TRUE(loader.at_end());
  expect_equal(worn, restored);

  Saver again;
  restored.serialise(again);
  EXPECT_EQ(saved.image, again.image);
}

TEST_P(PageStoreState, GoesOnAsIfItHadNeverBeenBytes) {
  PageStore worn = store();
  wear(worn);
  Saver saved;
  worn.serialise(saved);
  PageStore restored = store();
  Loader loader(saved.image);
  restored.serialise(loader);

  for (PageStore* s : {&worn, &restored}) {
    program(*s, s->block(1, 3), 1, 500, 0xF);
    s->erase(s->block(0, 0));
    program(*s, s->block(0, 0), 0, std::uint64_t{1} << 50, 0xF);
    program(*s, s->block(1, 0), 0, 501, 0xF);
  }
  expect_equal(worn, restored);
}

INSTANTIATE_TEST_SUITE_P(, PageStoreState,
                         testing::Values(Shape{DataMode::none, 1, false, 2},
                                         Shape{DataMode::tag, 1, false, 2},
                                         Shape{DataMode::tag, 1, false, std::uint64_t{1} << 48},
                                         Shape{DataMode::tag, 4, true, 2}, Shape{DataMode::full, 4, true, 2}),
                         twinplane::test::parameter_name);

/// Leaves `dirt` in memory that the next one of these sizes is given.
[[gnu::noinline]] void leave_behind(std::uint8_t dirt, const std::vector<std::size_t>& sizes) {
  std::vector<void*> memory;
  for (const std::size_t size : sizes) {
    memory.push_back(std::malloc(size));
    auto* const bytes = static_cast<volatile std::uint8_t*>(memory.back());
    for (std::size_t i = 0; i < size; ++i) bytes[i] = dirt;
  }
  for (void* const each : memory) std::free(each);
}

TEST(CellLogState, IsTheSameBytesWhateverWasInItsMemory) {
  NandConfig part;
  const PageOrderTable order(part.geometry.cell, part.geometry.pages_per_block, part.page_table);
  const std::size_t pages = part.geometry.pages_per_block;
  std::vector<std::uint8_t> images[2];
  for (std::size_t i = 0; i < 2; ++i) {
    CellLog log(part, order);
    leave_behind(i == 0 ? 0x5A : 0xC3, {pages * 16, pages * part.geometry.sectors_per_page() * 8});
    CellLog::Program program;
    program.sectors = 1;
    log.program(program);
    Saver saver;
    log.serialise(saver, 0);
    images[i] = saver.image;
  }
  EXPECT_TRUE(images[0] == images[1]);
}

} // namespace
} // namespace twinplane::hw::page_store_state_test
