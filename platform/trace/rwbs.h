// The letters by which block traces name a request (RWBS), as the kernel's blk_fill_rwbs() and blkparse write
// them:
//
//   [F] OPERATION [modifiers]     F first: a flush before the request (preflush)
//   OPERATION                     R read, W write, WZ write zeroes, D discard, DE secure erase, F flush, N
//   none;
//                                 ZA ZR ZRA ZO ZC ZF zone append, reset, reset all, open, close, finish
//   modifiers                     F force unit access, A read-ahead, S synchronous, M metadata, U atomic,
//                                 B barrier (old kernels: a flush before it and force unit access)
#pragma once

#include <cstdint>
#include <string_view>

namespace twinplane::platform {

struct Rwbs {
  enum class Operation : std::uint8_t { none, read, write, write_zeroes, discard, flush, zone };
  Operation operation = Operation::none;
  bool preflush = false;
  bool fua = false;
};

/// False where a letter stands that has no meaning there; `unknown` is it and what follows.
bool parse_rwbs(std::string_view letters, Rwbs& rwbs, std::string_view& unknown);

} // namespace twinplane::platform
