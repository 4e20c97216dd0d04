// The reader's own names in docs/waveforms.md: a drive, what it was made of, and where its waves go.
#pragma once

#include <string>

#include "platform/config/config.h"
#include "platform/ssd/ssd.h"

extern twinplane::platform::Ssd ssd;
extern const twinplane::platform::Config config;
extern const std::string folder;
