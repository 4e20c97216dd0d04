// GTKWave's FST library as one translation unit, as Verilator builds it.
#define FST_CONFIG_INCLUDE "fst_config.h"
#include <fastlz.c>
#include <fstapi.c>
#include <lz4.c>
