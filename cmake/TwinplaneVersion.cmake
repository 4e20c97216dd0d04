# twinplane_version: the library behind platform/config/version.h. Its source is written at build time,
# so that the git revision in a report is that of the build and not that of the last configuration.
set(TWINPLANE_VERSION_SOURCE "${PROJECT_BINARY_DIR}/generated/version.cpp")
add_custom_target(twinplane_write_version
  COMMAND ${CMAKE_COMMAND}
    -D "SOURCE_DIR=${PROJECT_SOURCE_DIR}" -D "OUTPUT=${TWINPLANE_VERSION_SOURCE}"
    -D "VERSION=${PROJECT_VERSION}" -P "${CMAKE_CURRENT_LIST_DIR}/write_version.cmake"
  BYPRODUCTS "${TWINPLANE_VERSION_SOURCE}"
  COMMENT "Reading the version"
  VERBATIM)
add_library(twinplane_version STATIC "${TWINPLANE_VERSION_SOURCE}")
add_dependencies(twinplane_version twinplane_write_version)
target_link_libraries(twinplane_version PUBLIC twinplane_options)
