# Which features of the firmware there are, and the source that lists those of a build.
#
# As a script, for what is not built by CMake (scripts/firmware):
#   cmake -DFILE=list.cpp -DFEATURES="copyback;journal" -P cmake/TwinplaneFeatures.cmake
cmake_minimum_required(VERSION 3.25)
set(TWINPLANE_FEATURE_ROWS ${CMAKE_CURRENT_LIST_DIR}/../firmware/ftl/features/rows.txt)
file(STRINGS ${TWINPLANE_FEATURE_ROWS} TWINPLANE_ALL_FEATURES REGEX "^[a-z]")

# Sets TWINPLANE_FEATURES to names: it was configured as names, as all, or as -NAMES, all but these.
macro(twinplane_features_of_build)
  if(TWINPLANE_FEATURES STREQUAL "copyback;lower_pages;sanitize") # what stood for all in older build folders
    set_property(CACHE TWINPLANE_FEATURES PROPERTY VALUE all)
  endif()
  if(TWINPLANE_FEATURES MATCHES "^(all$|-)")
    set(left_out ${TWINPLANE_FEATURES})
    list(TRANSFORM left_out REPLACE "^-" "")
    twinplane_check_features("${left_out}")
    set(TWINPLANE_FEATURES ${TWINPLANE_ALL_FEATURES})
    list(REMOVE_ITEM TWINPLANE_FEATURES ${left_out})
  endif()
  twinplane_check_features("${TWINPLANE_FEATURES}")
endmacro()

# twinplane_check_features(FEATURES): stops at one that there is not.
function(twinplane_check_features features)
  foreach(feature IN LISTS features)
    if(NOT feature STREQUAL all AND NOT feature IN_LIST TWINPLANE_ALL_FEATURES)
      message(FATAL_ERROR "TWINPLANE_FEATURES: no feature ${feature}; known: ${TWINPLANE_ALL_FEATURES}")
    endif()
  endforeach()
endfunction()

# twinplane_list_features(FILE FEATURES [NAME...]): writes the list; the names are of features from outside the tree.
function(twinplane_list_features file features)
  twinplane_check_features("${features}")
  foreach(text IN ITEMS included declared built left_out)
    set(${text} "")
  endforeach()
  foreach(feature IN LISTS TWINPLANE_ALL_FEATURES ARGN)
    if(feature IN_LIST features OR feature IN_LIST ARGN)
      string(APPEND declared "const FeatureRow& ${feature}_feature();\n")
      string(APPEND built "${feature}_feature, ")
    else()
      string(APPEND included "#include \"firmware/ftl/features/${feature}/key.h\"\n")
      string(APPEND left_out "${feature}_key(), ")
    endif()
  endforeach()
  file(CONFIGURE OUTPUT ${file} @ONLY CONTENT
"// Made by cmake/TwinplaneFeatures.cmake: the features of a build, and those that it is without.
#include \"firmware/ftl/feature_set.h\"
@included@
namespace twinplane::fw {

@declared@
FeatureList feature_list() {
  static constexpr FeatureRowOf* kBuilt[] = {@built@nullptr};
  static constexpr FeatureKey kLeftOut[] = {@left_out@{}};
  return {kBuilt, kLeftOut};
}

} // namespace twinplane::fw
")
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  twinplane_list_features("${FILE}" "${FEATURES}")
endif()
