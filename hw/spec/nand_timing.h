// Times of the array, in picoseconds, under their data sheet names; with them comes the timing of the
// interfaces (bus_interfaces.h). How the values add up to a tenure: hw/channel.
#pragma once

#include <array>
#include <cstdint>

#include "hw/spec/bus_interfaces.h"
#include "hw/spec/geometry.h"
#include "hw/spec/reliability.h"
#include "hw/spec/sim_time.h"

namespace twinplane {

/// Array times; lists have one entry per page type (PageType). SLC parts use entry 0.
struct ArrayTiming {
  std::array<TimePs, kMaxPageTypes> tR{us(60), us(80), us(100), us(120)};
  std::array<TimePs, kMaxPageTypes> tPROG{us(500), us(2000), us(5500), us(8000)};
  TimePs tBERS = ms(5);
  /// Parts that program a wordline in one pass: all its pages, and from 1Ah until the next one can be loaded.
  /// Names as in Toggle data sheets of such parts; their values are not public (assumed).
  TimePs tPROG_wordline = us(5500);
  TimePs tDCBSYW = us(4);
  TimePs slc_tR = us(25); // blocks used in SLC mode
  TimePs slc_tPROG = us(300);
  TimePs slc_tBERS = ms(3);
  TimePs tDBSY = ns(500);    // between the planes of a multi-plane command
  TimePs tRCBSY = us(3);     // cache read: page to cache register
  TimePs tCBSY = us(4);      // cache program: cache to page register (of an idle array)
  TimePs tPSPD = us(150);    // a program is suspended so long after 84h
  TimePs tESPD = us(300);    // an erase, after 61h
  TimePs tSPD_idle = us(18); // 84h or 61h that find nothing to suspend
  /// A read at read level 1, 2, ... (feature 89h), of any page.
  std::array<TimePs, kReadLevels - 1> tR_level{us(400), us(400), us(400), us(400), us(400), us(400), us(400)};
  TimePs tZQCL = us(1);   // ZQ calibration, long
  TimePs tZQCS = ns(300); // ... and short
  TimePs tRST_idle = us(5);
  TimePs tRST_read = us(10);
  TimePs tRST_program = us(30);
  TimePs tRST_erase = us(500);
  TimePs tFEAT = us(1);
};

} // namespace twinplane
