# A SystemC of another release than the one that Twinplane was built with: the same library under another number.
find_package(PkgConfig REQUIRED)
pkg_check_modules(OTHER REQUIRED IMPORTED_TARGET systemc)
add_library(SystemC::systemc INTERFACE IMPORTED)
target_link_libraries(SystemC::systemc INTERFACE PkgConfig::OTHER)
