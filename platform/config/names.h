// Names of the implementations behind each decision, from the tables that hold them.
#pragma once

#include <string>
#include <vector>

namespace twinplane::platform::names {

using List = std::vector<std::string>;

const List& bus_interfaces();
const List& policies();
const List& classifiers();
/// A classifier by name, or two page-type schemes as X+Y.
bool is_classifier(const std::string& name);
/// F, D, F2 and the static orders; is_plane_allocation() knows all that are accepted.
const List& plane_allocations();
bool is_plane_allocation(const std::string& name);
const List& block_allocations();
const List& mappings();
const List& victims();
const List& relocations();
const List& schedulings();
const List& regions();
/// Words of workload.rw.
const List& access_patterns();

} // namespace twinplane::platform::names
