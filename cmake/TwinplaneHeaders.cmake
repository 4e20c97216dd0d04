# Precompiled headers: those of SystemC and CLI11, and what a whole drive includes, are a third to a half of the time that a source
# takes to compile.
set(keep_includes $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>) # without it ccache refuses precompiled headers

# twinplane_headers(NAME LIBS ... HEADERS ... [MODELS ...]): an object that nothing links, whose precompiled headers the libraries of
# the MODELS have, and others that ask for them.
function(twinplane_headers name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "LIBS;HEADERS;MODELS")
  add_library(${name} OBJECT ${PROJECT_SOURCE_DIR}/cmake/headers.cpp)
  target_link_libraries(${name} PRIVATE ${ARG_LIBS})
  if("SystemC::systemc" IN_LIST ARG_LIBS)
    target_compile_definitions(${name} PRIVATE SC_INCLUDE_DYNAMIC_PROCESSES) # as hw/core
  endif()
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
  target_compile_options(${name} PRIVATE ${keep_includes})
  foreach(model IN LISTS ARG_MODELS)
    target_precompile_headers(twinplane_${model} REUSE_FROM ${name})
    target_compile_options(twinplane_${model} PRIVATE ${keep_includes})
  endforeach()
endfunction()

set(model_headers <systemc> <tlm> <algorithm> <array> <deque> <functional> <map> <memory> <optional> <string> <utility> <vector>)
twinplane_headers(twinplane_systemc_headers LIBS twinplane_spec SystemC::systemc HEADERS ${model_headers}
  MODELS nand channel pins controller pci host_if monitor cpu host fw_host pci_host ssd observe plane_time waves)
twinplane_headers(twinplane_drive_headers LIBS twinplane_spec SystemC::systemc twinplane_ssd
  HEADERS ${model_headers} ${PROJECT_SOURCE_DIR}/platform/ssd/ssd.h MODELS measure session)
# What runs once in a command is compiled several files together, in the same builds: two thirds of its time are templates that all of
# them use.
if(NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
  set_target_properties(twinplane_cli twinplane_session twinplane_measure PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 5)
endif()
target_compile_options(twinplane_cli PRIVATE ${keep_includes})
target_precompile_headers(twinplane_cli PRIVATE <CLI/CLI.hpp>)
