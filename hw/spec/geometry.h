// Shape of the flash array and the two address formats that everything shares.
//
// Words (docs/vocabulary.md): channel -> chip (package, one CE#) -> die (LUN) -> plane -> block -> page.
// All sizes are in bytes, all counts are per parent. `die` without qualification is the device-wide
// linear index (channel * chips_per_channel + chip) * dies_per_chip + lun.
#pragma once

#include <cstdint>

namespace twinplane {

/// Bits per cell; the value is also the number of pages that share one wordline.
enum class CellType : std::uint8_t { slc = 1, mlc = 2, tlc = 3, qlc = 4 };

/// Page types of a wordline, in the order in which they are programmed.
/// SLC uses lsb only, MLC lsb and msb (index 1 is named csb only for TLC and QLC: see page_order.h).
constexpr std::uint32_t kMaxPageTypes = 4;

constexpr std::uint32_t kMaxChannels = 64;
constexpr std::uint32_t kMaxPlanesPerDie = 8;
/// One-pass programming: all pages of a wordline of each plane.
constexpr std::uint32_t kMaxPagesPerCommand = kMaxPlanesPerDie * kMaxPageTypes;
constexpr std::uint32_t kMaxPagesPerBlock = 4096;
constexpr std::uint32_t kMaxSectorsPerPage = 32;
/// Programs of a page between erases (NOP): the model of a die counts them in three bits.
constexpr std::uint32_t kMaxPartialPrograms = 7;

struct Geometry {
  std::uint32_t channels = 1;
  std::uint32_t chips_per_channel = 1;
  std::uint32_t dies_per_chip = 1;
  std::uint32_t planes_per_die = 2;
  std::uint32_t blocks_per_plane = 64;
  std::uint32_t pages_per_block = 64;
  std::uint32_t page_size = 4096;   // data bytes per page
  std::uint32_t spare_size = 128;   // out-of-band bytes per page
  std::uint32_t sector_size = 4096; // smallest host unit; divides page_size
  std::uint32_t subpages_per_page = 1;
  CellType cell = CellType::slc;

  constexpr std::uint32_t die_index(std::uint32_t channel, std::uint32_t chip, std::uint32_t lun) const {
    return (channel * chips_per_channel + chip) * dies_per_chip + lun;
  }
  constexpr std::uint32_t dies_per_channel() const { return chips_per_channel * dies_per_chip; }
  constexpr std::uint32_t chips() const { return channels * chips_per_channel; }
  constexpr std::uint32_t dies() const { return channels * dies_per_channel(); }
  constexpr std::uint32_t planes() const { return dies() * planes_per_die; }
  constexpr std::uint32_t blocks() const { return planes() * blocks_per_plane; }
  constexpr std::uint64_t pages() const { return std::uint64_t{blocks()} * pages_per_block; }
  constexpr std::uint64_t raw_bytes() const { return pages() * page_size; }
  constexpr std::uint32_t sectors_per_page() const { return page_size / sector_size; }
};

/// Number of address bits that hold the values 0 .. count-1.
constexpr std::uint32_t address_bits(std::uint32_t count) {
  std::uint32_t bits = 0;
  while ((std::uint64_t{1} << bits) < count) ++bits;
  return bits;
}

/// Physical page number: [die | block | plane | page], page in the lowest bits.
/// The low fields are the ONFI row address of the page without its LUN bits, so no translation is
/// needed on the way to the bus. Numbers are sparse where a count is no power of two.
enum class Ppn : std::uint32_t {};
constexpr Ppn kNoPpn = static_cast<Ppn>(0xFFFFFFFFu);

/// One page's place. `die` is the device-wide linear index.
struct Ppa {
  std::uint32_t die = 0;
  std::uint32_t plane = 0;
  std::uint32_t block = 0;
  std::uint32_t page = 0;
  constexpr bool operator==(const Ppa& o) const {
    return die == o.die && plane == o.plane && block == o.block && page == o.page;
  }
};

/// ONFI row address layout (facts: ONFI "address cycles", plane bits are the lowest block bits):
/// row = page | plane << page_bits | block << (page_bits + plane_bits) | lun << (... + block_bits).
struct RowLayout {
  std::uint32_t page_bits = 0;
  std::uint32_t plane_bits = 0;
  std::uint32_t block_bits = 0;
  std::uint32_t lun_bits = 0;

  constexpr RowLayout() = default;
  constexpr explicit RowLayout(const Geometry& g)
      : page_bits(address_bits(g.pages_per_block)),
        plane_bits(address_bits(g.planes_per_die)),
        block_bits(address_bits(g.blocks_per_plane)),
        lun_bits(address_bits(g.dies_per_chip)) {}

  constexpr std::uint32_t plane_shift() const { return page_bits; }
  constexpr std::uint32_t block_shift() const { return page_bits + plane_bits; }
  constexpr std::uint32_t lun_shift() const { return page_bits + plane_bits + block_bits; }

  constexpr std::uint32_t page(std::uint32_t row) const { return row & ((1u << page_bits) - 1); }
  constexpr std::uint32_t plane(std::uint32_t row) const {
    return (row >> plane_shift()) & ((1u << plane_bits) - 1);
  }
  constexpr std::uint32_t block(std::uint32_t row) const {
    return (row >> block_shift()) & ((1u << block_bits) - 1);
  }
  constexpr std::uint32_t lun(std::uint32_t row) const {
    return (row >> lun_shift()) & ((1u << lun_bits) - 1);
  }
  constexpr std::uint32_t row(std::uint32_t lun, std::uint32_t plane, std::uint32_t block,
                              std::uint32_t page) const {
    return page | plane << plane_shift() | block << block_shift() | (lun_bits == 0 ? 0 : lun << lun_shift());
  }

  // --- physical page numbers (firmware's packed form) ---
  constexpr Ppn ppn(const Ppa& a) const {
    return static_cast<Ppn>(a.page | a.plane << plane_shift() | a.block << block_shift() |
                            (lun_shift() >= 32 ? 0 : a.die << lun_shift()));
  }
  constexpr Ppa ppa(Ppn ppn) const {
    const auto v = static_cast<std::uint32_t>(ppn);
    return Ppa{lun_shift() >= 32 ? 0 : v >> lun_shift(), plane(v), block(v), page(v)};
  }
};

} // namespace twinplane
