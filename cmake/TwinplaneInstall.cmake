# Installation and the CMake package: find_package(Twinplane) gives Twinplane::ssd, the whole drive, and
# one target per library (Twinplane::nand, Twinplane::ftl, ...). Headers keep their paths below
# include/twinplane, so #include "hw/spec/geometry.h" means the same inside and outside.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(TWINPLANE_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/Twinplane")

# Every library below `folder`, as a list of target names.
function(twinplane_libraries_below folder result)
  get_directory_property(found DIRECTORY "${folder}" BUILDSYSTEM_TARGETS)
  list(FILTER found INCLUDE REGEX "^twinplane_")
  get_directory_property(subfolders DIRECTORY "${folder}" SUBDIRECTORIES)
  foreach(subfolder IN LISTS subfolders)
    twinplane_libraries_below("${subfolder}" below)
    list(APPEND found ${below})
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# Exports libraries twinplane_<name> as Twinplane::<name>, inside this build too.
function(twinplane_install)
  foreach(target IN LISTS ARGN)
    string(REGEX REPLACE "^twinplane_" "" name ${target})
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
    if(NOT TARGET Twinplane::${name})
      add_library(Twinplane::${name} ALIAS ${target})
    endif()
    install(TARGETS ${target} EXPORT TwinplaneTargets
      ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  endforeach()
endfunction()

set(libraries twinplane_options twinplane_version)
foreach(folder hw firmware platform)
  twinplane_libraries_below("${PROJECT_SOURCE_DIR}/${folder}" below)
  list(APPEND libraries ${below})
endforeach()

# What a shared library with blocks is compiled with: headers and SystemC, no code, because the program has it.
add_library(twinplane_blocks INTERFACE)
target_include_directories(twinplane_blocks INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include/twinplane>)
target_compile_features(twinplane_blocks INTERFACE cxx_std_17)
target_compile_definitions(twinplane_blocks INTERFACE SC_INCLUDE_DYNAMIC_PROCESSES)
target_link_libraries(twinplane_blocks INTERFACE SystemC::systemc)
list(APPEND libraries twinplane_blocks)
twinplane_install(${libraries})

install(EXPORT TwinplaneTargets NAMESPACE Twinplane:: DESTINATION "${TWINPLANE_PACKAGE_DIR}")
configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/TwinplaneConfig.cmake.in" "${PROJECT_BINARY_DIR}/TwinplaneConfig.cmake"
  INSTALL_DESTINATION "${TWINPLANE_PACKAGE_DIR}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/TwinplaneConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/TwinplaneConfig.cmake"
  "${PROJECT_BINARY_DIR}/TwinplaneConfigVersion.cmake"
  "${CMAKE_CURRENT_LIST_DIR}/FindSystemC.cmake"
  DESTINATION "${TWINPLANE_PACKAGE_DIR}")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/hw" "${PROJECT_SOURCE_DIR}/firmware" "${PROJECT_SOURCE_DIR}/platform"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/twinplane" FILES_MATCHING PATTERN "*.h")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/platform/configs/"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/twinplane/configs" FILES_MATCHING PATTERN "*.toml")
if(TARGET twinplane)
  install(TARGETS twinplane RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
