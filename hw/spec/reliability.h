// How bits flip and how they are corrected: the choices.
#pragma once

#include <cstdint>

namespace twinplane {

/// What the model of bit errors (hw/nand/error_model.h) gives for a codeword.
enum class ErrorReading : std::uint8_t {
  off,
  expected, // the mean, with a fraction
  drawn,    // a whole number, drawn anew for each codeword and read
};

/// The ECC stage of a flash controller (hw/controller/ecc.h).
enum class EccCode : std::uint8_t {
  fixed, // corrects everything in the same time
  bch,
  ldpc,
};

} // namespace twinplane
