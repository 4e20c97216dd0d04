// Small drives of one kind each, by name, as parameters of tests.
#pragma once

#include <ostream>

#include "tests/support/ftl_random.h"

namespace twinplane::test {

struct NamedDrive {
  const char* name;
  FtlBenchConfig config;
};
inline std::ostream& operator<<(std::ostream& out, const NamedDrive& d) {
  return out << d.name;
}

inline NamedDrive conventional_drive() {
  return {"Conventional", small_drive()};
}
inline NamedDrive twin_drive() {
  FtlBenchConfig c = small_drive();
  c.ftl.block_allocation = "twin";
  c.ftl.gc_moves = fw::GcMoves::multi;
  return {"Twins", c};
}
inline NamedDrive unit_drive() {
  FtlBenchConfig c = small_drive();
  c.ftl = mapped_by_unit(c.ftl);
  return {"Units", c};
}
inline NamedDrive copyback_drive() {
  FtlBenchConfig c = small_drive();
  c.ftl.copybacks = 2;
  return {"Copybacks", c};
}

} // namespace twinplane::test
