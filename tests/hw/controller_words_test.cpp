// Do out-of-band words of subpages come from DRAM and go there where a descriptor says so, on the bus and
// through the functional access, and is an offset refused that is none?
#include <gtest/gtest.h>

#include <array>

#include "tests/hw/controller_bench.h"

namespace twinplane::test::controller_words_test {
namespace {

using Words = std::array<std::uint64_t, 4>;

constexpr std::uint64_t kNone = ~std::uint64_t{0};
constexpr std::uint32_t kWords = 32768; // in DRAM

Geometry subpages(std::uint32_t planes) {
  Geometry g = small_geometry(1, planes);
  g.sector_size = 1024;
  g.subpages_per_page = 4;
  return g;
}

hw::NandConfig part_with_words() {
  hw::NandConfig c;
  c.partial_programs = 4;
  c.subpage_words = true;
  return c;
}

class ControllerWords : public ::testing::Test {
 protected:
  ControllerWords() : bench("bench", subpages(2), data_only_bus(), slow_array(), {}, part_with_words()) {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    bench.boot();
  }

  FlashDescriptor words_of(FlashOp op, const Ppa& at, std::uint32_t sectors, std::uint8_t flags = 0) const {
    FlashDescriptor d = bench.descriptor(op, at, flags | flash_flag::oob_words);
    d.sector_mask = sectors;
    d.oob = kWords + at.plane * sizeof(Words);
    return d;
  }
  void set(std::uint32_t plane, const Words& words) {
    std::memcpy(bench.dram.data() + kWords + plane * sizeof words, words.data(), sizeof words);
  }
  Words get(std::uint32_t plane) {
    Words words;
    std::memcpy(words.data(), bench.dram.data() + kWords + plane * sizeof words, sizeof words);
    return words;
  }
  void run() {
    bench.ring();
    sc_core::sc_start();
  }
  void expect_rejected(const FlashDescriptor& d, std::uint64_t count) {
    bench.put(d);
    bench.ring();
    sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS)); // a rejection moves nothing in the kernel
    ASSERT_EQ(bench.done.size(), 1u);
    EXPECT_EQ(bench.done[0].completion.result, count == 0 ? flash_result::blank : flash_result::fail);
    EXPECT_EQ(bench.controller->statistics().rejected_descriptors, count);
  }

  ControllerBench bench;
};

TEST_F(ControllerWords, GoWithEachPlaneOfACommand) {
  for (std::uint32_t part = 0; part < 2; ++part) {
    for (std::uint32_t plane = 0; plane < 2; ++plane) {
      const std::uint64_t word = 100 * plane + 10 * part;
      set(plane, part == 0 ? Words{word, word + 1, kNone, kNone} : Words{kNone, kNone, word, word + 1});
      bench.put(words_of(FlashOp::program, {0, plane, 3, 0}, part == 0 ? 3 : 12,
                         plane == 0 ? flash_flag::more : std::uint8_t{0}));
    }
    run();
  }
  for (std::uint32_t plane = 0; plane < 2; ++plane) {
    set(plane, {});
    bench.put(words_of(FlashOp::read, {0, plane, 3, 0}, 15, plane == 0 ? flash_flag::more : std::uint8_t{0}));
  }
  run();
  ASSERT_EQ(bench.done.size(), 6u);
  for (std::uint64_t plane = 0; plane < 2; ++plane) {
    EXPECT_EQ(get(static_cast<std::uint32_t>(plane)),
              (Words{100 * plane, 100 * plane + 1, 100 * plane + 10, 100 * plane + 11}));
    EXPECT_EQ(bench.done[4 + plane].completion.result, 0);
    EXPECT_EQ(bench.done[4 + plane].completion.oob, 100 * plane) << "the first one, too";
  }
  EXPECT_EQ(bench.violations(), 0u);
}

TEST_F(ControllerWords, ComeAllOnesFromAnErasedPage) {
  set(0, {1, 2, 3, 4});
  bench.put(words_of(FlashOp::read, {0, 0, 5, 0}, 15));
  run();
  ASSERT_EQ(bench.done.size(), 1u);
  EXPECT_EQ(bench.done[0].completion.result, flash_result::blank);
  EXPECT_EQ(get(0), (Words{kNone, kNone, kNone, kNone}));
}

TEST_F(ControllerWords, TakeNoTimeOfTheirOwn) {
  FlashDescriptor plain = bench.descriptor(FlashOp::program, {0, 0, 0, 0});
  plain.sector_mask = 15;
  bench.put(plain);
  run();
  set(0, {1, 2, 3, 4});
  bench.put(words_of(FlashOp::program, {0, 0, 0, 1}, 15));
  run();
  ASSERT_EQ(bench.done.size(), 2u);
  EXPECT_EQ(bench.done[0].completion.bus_ps, bench.done[1].completion.bus_ps);
  EXPECT_EQ(bench.done[0].completion.array_ps, bench.done[1].completion.array_ps);
}

TEST_F(ControllerWords, MayLieAnywhereForFunctionalAccesses) {
  Words words{5, 6, kNone, 8};
  hw::FunctionalFlash f;
  f.descriptor = words_of(FlashOp::program, {0, 0, 0, 0}, 15);
  f.words = words.data();
  tlm::tlm_generic_payload p;
  p.set_address(reg::flash::functional);
  p.set_extension(&f);
  bench.regs->transport_dbg(p);
  EXPECT_EQ(f.completion.result, 0);
  f.descriptor.op = static_cast<std::uint8_t>(FlashOp::read);
  words.fill(0);
  bench.regs->transport_dbg(p);
  p.clear_extension(&f);
  EXPECT_EQ(words, (Words{5, 6, kNone, 8}));
}

TEST_F(ControllerWords, AreRefusedBeyondTheDram) {
  FlashDescriptor d = words_of(FlashOp::read, {0, 0, 0, 0}, 15);
  d.oob = (1u << 20) - sizeof(Words) + 8;
  expect_rejected(d, 1);
}

TEST_F(ControllerWords, AreRefusedAtAnOddPlace) {
  FlashDescriptor d = words_of(FlashOp::program, {0, 0, 0, 0}, 15);
  d.oob += 4;
  expect_rejected(d, 1);
}

TEST_F(ControllerWords, MayBeTheLastBytesOfTheDram) {
  FlashDescriptor d = words_of(FlashOp::read, {0, 0, 0, 0}, 15);
  d.oob = (1u << 20) - sizeof(Words);
  expect_rejected(d, 0);
}

} // namespace
} // namespace twinplane::test::controller_words_test
