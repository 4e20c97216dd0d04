# Finds SystemC with TLM-2.0 as SystemC::systemc: first the CMake package that Accellera's build
# installs (SystemCLanguage), then pkg-config, which is what Debian's libsystemc-dev ships.
# A SystemC library works only with the C++ standard it was built for (its API version is a symbol), so
# a program is linked here, once, to say so now instead of at the end of a build.
find_package(SystemCLanguage CONFIG QUIET)
if(TARGET SystemC::systemc)
  set(SystemC_FOUND TRUE)
  set(SystemC_VERSION "${SystemCLanguage_VERSION}")
else()
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(SYSTEMC QUIET IMPORTED_TARGET systemc)
  endif()
  if(TARGET PkgConfig::SYSTEMC)
    find_package(Threads REQUIRED)
    add_library(SystemC::systemc INTERFACE IMPORTED)
    target_link_libraries(SystemC::systemc INTERFACE PkgConfig::SYSTEMC Threads::Threads)
    set(SystemC_FOUND TRUE)
    set(SystemC_VERSION "${SYSTEMC_VERSION}")
  endif()
endif()

if(SystemC_FOUND)
  include(CheckCXXSourceCompiles)
  include(CMakePushCheckState)
  cmake_push_check_state(RESET)
  set(CMAKE_REQUIRED_LIBRARIES SystemC::systemc)
  set(CMAKE_REQUIRED_QUIET TRUE)
  check_cxx_source_compiles("#include <systemc>\nint sc_main(int, char*[]) { return 0; }"
    SYSTEMC_LINKS_WITH_CXX${CMAKE_CXX_STANDARD})
  cmake_pop_check_state()
  if(NOT SYSTEMC_LINKS_WITH_CXX${CMAKE_CXX_STANDARD})
    message(FATAL_ERROR "SystemC is there, but a program compiled with "
      "CMAKE_CXX_STANDARD='${CMAKE_CXX_STANDARD}' does not link with it. Debian's libsystemc-dev 2.3.4 "
      "needs C++17: set(CMAKE_CXX_STANDARD 17) before find_package.")
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SystemC REQUIRED_VARS SystemC_FOUND VERSION_VAR SystemC_VERSION
  REASON_FAILURE_MESSAGE "install Debian's libsystemc-dev or Accellera SystemC 2.3.4 or newer")
