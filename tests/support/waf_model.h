// Analytic write amplification under uniform random page writes (facts: mean field of d-choices,
// Li/Lee/Lui, Van Houdt; greedy as its limit). The oracle of the garbage collection tests.
#pragma once

#include <cstdint>
#include <vector>

namespace twinplane::test {

/// Write amplification with `pages_per_block` pages per block at utilisation `rho` (valid data over
/// capacity without open and free blocks), when the best of `d` random blocks is reclaimed; d = 0
/// stands for greedy (the best of all).
double write_amplification(double rho, std::uint32_t pages_per_block, std::uint32_t d);

} // namespace twinplane::test
