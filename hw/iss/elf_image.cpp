#include "hw/iss/elf_image.h"

#include <cxxabi.h>
#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string_view>

namespace twinplane::hw {
namespace {

[[noreturn]] void fail(const std::string& why) {
  throw std::runtime_error(why);
}

/// Copies of what lies in the file, each checked against its end.
class Reader {
 public:
  explicit Reader(const std::vector<std::uint8_t>& bytes) : bytes_(bytes) {}

  template <class T>
  T at(std::uint64_t offset) const {
    T value;
    std::memcpy(&value, range(offset, sizeof(T)), sizeof(T));
    return value;
  }
  const std::uint8_t* range(std::uint64_t offset, std::uint64_t size) const {
    if (offset > bytes_.size() || size > bytes_.size() - offset) fail("the file is cut short");
    return bytes_.data() + offset;
  }
  std::string text(std::uint64_t offset) const {
    constexpr std::uint64_t kLongest = 1u << 16; // what follows is left out
    range(offset, 1);
    const auto begin = bytes_.begin() + static_cast<std::ptrdiff_t>(offset);
    const auto end = begin + static_cast<std::ptrdiff_t>(std::min(bytes_.size() - offset, kLongest));
    return {begin, std::find(begin, end, 0)};
  }
  Elf32_Ehdr header() const { return at<Elf32_Ehdr>(0); }
  Elf32_Shdr section(std::uint32_t index) const {
    const Elf32_Ehdr h = header();
    return at<Elf32_Shdr>(h.e_shoff + std::uint64_t{index} * sizeof(Elf32_Shdr));
  }
  /// Of that name; of no bytes when there is none.
  Elf32_Shdr section(std::string_view name) const {
    const Elf32_Ehdr h = header();
    for (std::uint32_t i = 0; i < h.e_shnum; ++i) {
      const Elf32_Shdr s = section(i);
      if (text(section(std::uint32_t{h.e_shstrndx}).sh_offset + s.sh_name) == name) return s;
    }
    return Elf32_Shdr{};
  }

 private:
  const std::vector<std::uint8_t>& bytes_;
};

std::string machine_name(std::uint16_t machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86-64";
    case EM_386:
      return "x86";
    case EM_AARCH64:
      return "64-bit Arm";
    case EM_RISCV:
      return "RISC-V";
    default:
      return "machine " + std::to_string(machine);
  }
}

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : name;
}

std::uint64_t uleb(const std::vector<std::uint8_t>& bytes, std::size_t& at) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; at < bytes.size() && shift < 63; shift += 7) {
    const std::uint8_t byte = bytes[at++];
    value |= std::uint64_t{byte & 0x7Fu} << shift;
    if ((byte & 0x80) == 0) break;
  }
  return value;
}

} // namespace

ElfImage::ElfImage(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) fail("cannot be read");
  bytes_.assign(std::istreambuf_iterator<char>(in), {});
  if (bytes_.size() < EI_NIDENT || std::memcmp(bytes_.data(), ELFMAG, SELFMAG) != 0)
    fail("is no ELF executable");
  const Reader file(bytes_);
  const auto machine = file.at<std::uint16_t>(offsetof(Elf32_Ehdr, e_machine));
  if (bytes_[EI_CLASS] != ELFCLASS32 || machine != EM_ARM)
    fail("is for another core: " + machine_name(machine) + ", expected 32-bit Arm (Cortex-R5)");
  if (bytes_[EI_DATA] != ELFDATA2LSB) fail("is big-endian, expected little-endian");
  if (file.header().e_type != ET_EXEC) fail("is no linked executable");
  entry_ = file.header().e_entry;
  check_attributes();
  read_segments();
  read_functions();
  const Elf32_Shdr lines = file.section(".debug_line");
  if (lines.sh_size != 0 && lines.sh_type != SHT_NOBITS)
    lines_ = LineTable(file.range(lines.sh_offset, lines.sh_size), lines.sh_size);
  bytes_ = {};
}

/// Build attributes (Addenda to, and Errata in, the ABI for the Arm Architecture): tag 7 is the profile.
void ElfImage::check_attributes() {
  const Reader file(bytes_);
  const Elf32_Shdr section = file.section(".ARM.attributes");
  if (section.sh_size < 16) return;
  const std::uint8_t* const begin = file.range(section.sh_offset, section.sh_size);
  const std::vector<std::uint8_t> a(begin, begin + section.sh_size);
  std::size_t at = 1 + 4 + sizeof "aeabi" + 1 + 4; // version, length, vendor, tag of the file, length
  std::string name;
  while (at < a.size()) {
    const std::uint64_t tag = uleb(a, at);
    if (tag == 4 || tag == 5 || tag == 67) {
      const auto text = a.begin() + static_cast<std::ptrdiff_t>(at);
      const auto end = std::find(text, a.end(), 0);
      if (tag == 5) name.assign(text, end);
      at = static_cast<std::size_t>(end - a.begin()) + 1;
      continue;
    }
    const std::uint64_t value = uleb(a, at);
    if (tag == 7 && value != 'R')
      fail("is for another core: " + (name.empty() ? "another profile of Arm" : name) +
           ", expected Cortex-R5");
  }
}

void ElfImage::read_segments() {
  const Reader file(bytes_);
  const Elf32_Ehdr h = file.header();
  std::uint64_t loaded = 0;
  for (std::uint32_t i = 0; i < h.e_phnum; ++i) {
    const auto p = file.at<Elf32_Phdr>(h.e_phoff + std::uint64_t{i} * sizeof(Elf32_Phdr));
    if (p.p_type != PT_LOAD || p.p_filesz == 0) continue;
    const std::uint8_t* const begin = file.range(p.p_offset, p.p_filesz);
    loaded += p.p_filesz;
    if (loaded > bytes_.size()) fail("loads more bytes than it has");
    segments_.push_back({p.p_paddr, std::vector<std::uint8_t>(begin, begin + p.p_filesz)});
  }
  if (segments_.empty()) fail("has nothing to load");
}

void ElfImage::read_functions() {
  const Reader file(bytes_);
  const Elf32_Shdr symbols = file.section(".symtab");
  if (symbols.sh_size == 0) return;
  const std::uint64_t names = file.section(symbols.sh_link).sh_offset;
  for (std::uint64_t at = 0; at < symbols.sh_size; at += sizeof(Elf32_Sym)) {
    const auto s = file.at<Elf32_Sym>(symbols.sh_offset + at);
    if (ELF32_ST_TYPE(s.st_info) != STT_FUNC) continue;
    functions_.push_back({s.st_value & ~1u, s.st_size, demangled(file.text(names + s.st_name))});
  }
  const auto by_address = [](const Function& a, const Function& b) { return a.address < b.address; };
  std::stable_sort(functions_.begin(), functions_.end(), by_address);
  const auto same = [](const Function& a, const Function& b) { return a.address == b.address; };
  functions_.erase(std::unique(functions_.begin(), functions_.end(), same), functions_.end());
}

std::size_t ElfImage::function_at(std::uint32_t address) const {
  const auto after = std::upper_bound(functions_.begin(), functions_.end(), address,
                                      [](std::uint32_t a, const Function& f) { return a < f.address; });
  if (after == functions_.begin()) return kNone;
  const Function& f = *(after - 1);
  const bool inside = f.bytes == 0 || address - f.address < f.bytes;
  return inside ? static_cast<std::size_t>(after - functions_.begin()) - 1 : kNone;
}

std::string ElfImage::place_of(std::uint32_t address) const {
  const std::size_t f = function_at(address);
  if (f == kNone) return "no function of the image";
  const std::string line = lines_.line_of(address);
  return functions_[f].name + (line.empty() ? "" : " (" + line + ")");
}

} // namespace twinplane::hw
