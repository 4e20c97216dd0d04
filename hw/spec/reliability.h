// How bits flip and how they are corrected: the choices.
#pragma once

#include <cstdint>

namespace twinplane {

/// Read levels of feature 89h: 0 is the default, the others are further senses: retries at other thresholds,
/// and what soft decisions are made of.
constexpr std::uint32_t kReadLevels = 8;

/// As many moves by copyback as anybody likes.
constexpr std::uint32_t kAnyCopybacks = 255;

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
