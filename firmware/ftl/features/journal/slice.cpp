#include "firmware/ftl/features/journal/slice.h"

#include <cstddef>
#include <cstring>

#include "firmware/ftl/map/page_map.h"

namespace twinplane::fw {

namespace {

constexpr std::uint32_t kPolynomial = 0xEDB88320u;

/// Of each byte, followed by up to seven bytes that are zero.
struct CrcTable {
  std::uint32_t of[8][256];
  constexpr CrcTable() : of() {
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
      std::uint32_t value = byte;
      for (int bit = 0; bit < 8; ++bit) value = (value & 1) != 0 ? value >> 1 ^ kPolynomial : value >> 1;
      of[0][byte] = value;
    }
    for (std::uint32_t n = 1; n < 8; ++n) {
      for (std::uint32_t byte = 0; byte < 256; ++byte)
        of[n][byte] = of[n - 1][byte] >> 8 ^ of[0][of[n - 1][byte] & 0xFF];
    }
  }
};
constexpr CrcTable kCrc;

/// Where the part of the page begins that the CRC covers.
constexpr std::uint32_t kCovered = offsetof(SliceHeader, crc) + sizeof(std::uint32_t);

} // namespace

std::uint32_t crc32(const std::uint8_t* bytes, std::uint32_t count) {
  std::uint32_t crc = ~0u;
  for (; count >= 8; count -= 8, bytes += 8) {
    std::uint32_t word[2];
    std::memcpy(word, bytes, sizeof word);
    word[0] ^= crc;
    crc = 0;
    for (std::uint32_t n = 0; n < 4; ++n) {
      crc ^= kCrc.of[7 - n][word[0] >> 8 * n & 0xFF] ^ kCrc.of[3 - n][word[1] >> 8 * n & 0xFF];
    }
  }
  for (; count != 0; --count) crc = crc >> 8 ^ kCrc.of[0][(crc ^ *bytes++) & 0xFF];
  return ~crc;
}

void SliceLayout::seal(std::uint8_t* page, SliceHeader header) const {
  header.magic = kMagic;
  std::memcpy(page, &header, sizeof header);
  header.crc = crc32(page + kCovered, page_bytes_ - kCovered);
  std::memcpy(page, &header, sizeof header);
}

bool SliceLayout::open(const std::uint8_t* page, SliceHeader& header) const {
  std::memcpy(&header, page, sizeof header);
  return header.magic == kMagic && header.crc == crc32(page + kCovered, page_bytes_ - kCovered) &&
         header.slice < with_parts() && header.items == items(header.slice) &&
         header.programs <= most_entries() && header.losses <= most_entries() - header.programs;
}

bool SliceLayout::unmapped(const std::uint8_t* page, SliceKind kind, std::uint32_t n) const {
  if (kind != SliceKind::map) return (page[kSliceHeaderBytes + n / 8] >> n % 8 & 1) != 0;
  std::uint32_t entry = 0;
  std::memcpy(&entry, page + kSliceHeaderBytes + std::size_t{4} * n, sizeof entry);
  return !is_page(static_cast<Ppn>(entry));
}

std::uint32_t SliceLayout::lost(const std::uint8_t* page, std::uint32_t n) const {
  std::uint32_t bits = 0;
  std::memcpy(&bits, page + losses_at(n), sizeof bits);
  return bits >> n * sectors_ % 32 & low_mask(sectors_);
}

void SliceLayout::set_lost(std::uint8_t* page, std::uint32_t n, std::uint32_t sectors) const {
  std::uint32_t bits = 0;
  std::memcpy(&bits, page + losses_at(n), sizeof bits);
  bits |= sectors << n * sectors_ % 32;
  std::memcpy(page + losses_at(n), &bits, sizeof bits);
}

std::uint32_t SliceLayout::word(const std::uint8_t* page, std::uint32_t slice, std::uint32_t n) const {
  std::uint32_t value = 0;
  std::memcpy(&value, page + word_at(slice, n), sizeof value);
  return value;
}

void SliceLayout::set_words(std::uint8_t* page, std::uint32_t slice, std::uint32_t n, std::uint32_t count,
                            const void* values) const {
  std::memcpy(page + word_at(slice, n), values, std::size_t{4} * count);
}

} // namespace twinplane::fw
