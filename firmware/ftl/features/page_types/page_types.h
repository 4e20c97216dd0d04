// Pages by their type (PA-SSD): classifiers that ask for a type, an allocation that finds one, relocations that choose it.
#pragma once

#include "firmware/ftl/block_allocation/block_allocation.h"
#include "firmware/ftl/classifier/classifier.h"
#include "firmware/ftl/relocation/relocation.h"

namespace twinplane::fw {

/// pa-BLAlloc of PA-SSD; needs the relaxed program order.
BlockAllocation* make_page_type_allocation(BootMemory& memory, BlockTable& blocks, const FtlConfig& config);
/// The same, with the planes of a die kept level in every type, so that pages of one type pair.
BlockAllocation* make_page_type_twin_allocation(BootMemory& memory, BlockTable& blocks,
                                                const FtlConfig& config);
/// Pages of every plane that can never hold exported data under them.
std::uint32_t page_type_reserve_pages(const Geometry& g);

Classifier* make_papa_classifier(BootMemory& memory, const FtlConfig& config);
Classifier* make_size_classifier(BootMemory& memory, const FtlConfig& config);
/// PA-SSD's schemes: US, HGS, LFS, SBS, QDS, WBS, UBS, or two of them as "X+Y" (X first, Y for what X
/// leaves undecided). nullptr when `schemes` is not of that form.
Classifier* make_page_type_schemes(BootMemory& memory, const FtlConfig& config, const char* schemes);
bool is_page_type_scheme(const char* schemes);

Relocation* make_ubs_relocation(BootMemory& memory, const BlockTable& blocks, const FtlConfig& config);
Relocation* make_slow_relocation(BootMemory& memory, const BlockTable& blocks, const FtlConfig& config);

} // namespace twinplane::fw
