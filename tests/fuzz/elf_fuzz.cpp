// ELF files, their names and their line tables.
#include <stdexcept>

#include "hw/iss/elf_image.h"
#include "tests/fuzz/fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace twinplane;
  static fuzz::InputFile file;
  file.set(fuzz::text_of(data, size));
  try {
    const hw::ElfImage image(file.path());
    (void)image.place_of(image.entry());
    for (const hw::ElfImage::Segment& segment : image.segments()) (void)image.place_of(segment.address);
    for (const hw::ElfImage::Function& function : image.functions()) {
      (void)image.place_of(function.address);
      (void)image.place_of(function.address + function.bytes);
    }
    (void)image.place_of(0xFFFF'FFFF);
  } catch (const std::runtime_error&) {
  }
  return 0;
}
