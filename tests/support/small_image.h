// An ELF executable of a few instructions, with names and, if wanted, lines: for tests of readers of one.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace twinplane::testing {

struct SmallFunction {
  std::string name;
  std::uint32_t address;
  std::uint32_t bytes;
};

struct SmallImage {
  std::uint32_t address = 0x1000; // of the code, and its entry
  std::vector<std::uint32_t> code;
  std::vector<SmallFunction> functions;
  std::string lines; // section .debug_line
};

/// The file's bytes: header, program header, code, tables of names and symbols, lines, section headers.
inline std::string elf_of(const SmallImage& image) {
  std::string names(1, '\0'); // of symbols
  std::string symbols(sizeof(Elf32_Sym), '\0');
  for (const SmallFunction& f : image.functions) {
    Elf32_Sym s{};
    s.st_name = static_cast<Elf32_Word>(names.size());
    s.st_value = f.address;
    s.st_size = f.bytes;
    s.st_info = ELF32_ST_INFO(STB_GLOBAL, STT_FUNC);
    names += f.name + '\0';
    symbols.append(reinterpret_cast<const char*>(&s), sizeof s);
  }
  const std::string section_names = std::string("\0.symtab\0.strtab\0.shstrtab\0.debug_line\0", 39);
  const std::string code(reinterpret_cast<const char*>(image.code.data()), image.code.size() * 4);

  std::string out(sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr), '\0');
  const auto add = [&out](const std::string& part) {
    const auto at = static_cast<Elf32_Off>(out.size());
    out += part;
    return at;
  };
  const Elf32_Off code_at = add(code);
  std::vector<Elf32_Shdr> sections(1);
  const auto add_section = [&](std::uint32_t name, std::uint32_t type, const std::string& bytes,
                               std::uint32_t link) {
    Elf32_Shdr s{};
    s.sh_name = name;
    s.sh_type = type;
    s.sh_offset = add(bytes);
    s.sh_size = static_cast<Elf32_Word>(bytes.size());
    s.sh_link = link;
    sections.push_back(s);
  };
  add_section(1, SHT_SYMTAB, symbols, 2);
  add_section(9, SHT_STRTAB, names, 0);
  add_section(17, SHT_STRTAB, section_names, 0);
  if (!image.lines.empty()) add_section(27, SHT_PROGBITS, image.lines, 0);

  Elf32_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS32;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_EXEC;
  header.e_machine = EM_ARM;
  header.e_version = EV_CURRENT;
  header.e_entry = image.address;
  header.e_phoff = sizeof(Elf32_Ehdr);
  header.e_phnum = 1;
  header.e_shoff = static_cast<Elf32_Off>(out.size());
  header.e_shnum = static_cast<Elf32_Half>(sections.size());
  header.e_shstrndx = 3;
  Elf32_Phdr program{};
  program.p_type = PT_LOAD;
  program.p_offset = code_at;
  program.p_vaddr = program.p_paddr = image.address;
  program.p_filesz = program.p_memsz = static_cast<Elf32_Word>(code.size());
  for (const Elf32_Shdr& s : sections) out.append(reinterpret_cast<const char*>(&s), sizeof s);
  std::memcpy(out.data(), &header, sizeof header);
  std::memcpy(out.data() + sizeof header, &program, sizeof program);
  return out;
}

/// Calls leaf() three times, each of which calls tip() once, and waits. 1 + 3 x (1 + 2) + 1 instructions in
/// main, 3 x (3 + 1) in leaf, 3 x 2 in tip.
inline SmallImage three_calls() {
  SmallImage image;
  image.code = {
      0xE3A04003, // 1000 main: mov r4, #3
      0xEB000003, // 1004       bl leaf
      0xE2544001, // 1008       subs r4, r4, #1
      0x1AFFFFFC, // 100C       bne 1004
      0xE320F003, // 1010       wfi
      0xEAFFFFFD, // 1014       b 1010
      0xE1A0500E, // 1018 leaf: mov r5, lr
      0xE3A01007, // 101C       mov r1, #7
      0xEB000001, // 1020       bl tip
      0xE12FFF15, // 1024       bx r5
      0xE1A00000, // 1028       nop
      0xE0000191, // 102C tip:  mul r0, r1, r1
      0xE12FFF1E, // 1030       bx lr
  };
  image.functions = {{"main", 0x1000, 24}, {"_ZN4deep4leafEj", 0x1018, 20}, {"tip", 0x102C, 8}};
  return image;
}

} // namespace twinplane::testing
