// Names of the implementations behind each decision, as configuration values.
#pragma once

#include <string>
#include <vector>

namespace twinplane::platform::names {

using List = std::vector<std::string>;

const List& bus_interfaces();
const List& policies();
const List& classifiers();
/// Static levels in stripe order (any permutation of any subset of C, W, D, P) and F, D, F2.
const List& plane_allocations();
const List& block_allocations();
const List& mappings();
const List& victims();
const List& relocations();
const List& schedulings();
/// Words of workload.rw.
const List& access_patterns();

} // namespace twinplane::platform::names
