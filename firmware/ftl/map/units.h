// The map of a drive whose unit is smaller than a page: what the stages of the pipeline ask about units.
//
//   map        where each unit is, and which a page holds
//   io         what transactions do with units, and their buffers
//   placement  how units enter a page
//   policy     where they go
//
// The pointer to it is null in drives that are mapped by page, and nothing here is asked.
#pragma once

#include "firmware/ftl/map/unit_placement.h"

namespace twinplane::fw {

struct Units {
  void boot(BootMemory& memory, BlockTable& blocks, const UnitShape& shape, FtlStatistics& statistics) {
    map.boot(memory, blocks, shape);
    io.boot(map, blocks, shape);
    placement.boot(map, io, blocks, statistics);
  }
  void attach(UnitPolicy& decides) {
    policy = &decides;
    placement.attach(decides);
  }

  void serialise(StateVisitor& state) {
    map.serialise(state);
    placement.serialise(state);
  }

  UnitMap map;
  UnitIo io;
  UnitPlacement placement;
  UnitPolicy* policy = nullptr;
};

} // namespace twinplane::fw
