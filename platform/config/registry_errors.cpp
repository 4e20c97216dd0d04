// Parameters of bit errors and of what corrects them.
#include "platform/config/registry_rows.h"

namespace twinplane::platform::rows {

namespace {

constexpr std::array kReadings = {entry("off", ErrorReading::off), entry("expected", ErrorReading::expected),
                                  entry("drawn", ErrorReading::drawn)};

constexpr std::array kCodes = {entry("fixed", EccCode::fixed), entry("bch", EccCode::bch),
                               entry("ldpc", EccCode::ldpc)};

constexpr Type real(double min, double max) {
  return limited(Kind::real, min, max);
}

} // namespace

void add_error_rows(Rows& rows) {
  using E = ErrorKeys;
  constexpr auto n = &Config::nand;
  constexpr auto e = &NandKeys::errors;
  rows.insert(
      rows.end(),
      {
          {"nand.errors.reading", word(kReadings),
           "wrong bits of what is read: none, the expected number, or drawn for each codeword and read",
           at<n, e, &E::reading>},
          {"nand.errors.fresh", real(1e-12, 0.1), "raw bit error rate of cells never erased",
           at<n, e, &E::fresh>},
          {"nand.errors.worn", real(1e-12, 0.5),
           "... after 4000 program/erase cycles; exponential in between and beyond", at<n, e, &E::worn>},
          {"nand.errors.partial", real(0, 1e6),
           "growth of that rate by three partial programs that came later in the page (the default makes "
           "3.8e-4 of 2.8e-4)",
           at<n, e, &E::partial>},
          {"nand.errors.neighbour", real(0, 10),
           "a partial program on the next wordline, as a share of one in the page", at<n, e, &E::neighbour>},
          {"nand.errors.upper_pages", real(1, 10), "factor of the rate from each page type to the next",
           at<n, e, &E::upper_pages>},
          {"nand.errors.retention", real(0, 1e6), "growth of the rate when data is 30 days old",
           at<n, e, &E::retention>},
          {"nand.errors.retention_power", real(0.01, 4), "... and by which power of the time it grows",
           at<n, e, &E::retention_power>},
          {"nand.errors.read_disturb", real(0, 1e6), "growth of the rate by 1000 reads of the block",
           at<n, e, &E::read_disturb>},
          {"nand.errors.retry", real(0, 1),
           "factor of the rate from each read level (feature 89h) to the next", at<n, e, &E::retry>},
          {"nand.errors.cycles", count(0, 1'000'000), "program/erase cycles of every block before the run",
           at<n, e, &E::cycles>},
          {"nand.errors.age", real(0, 36'500), "days since what is stored before the run was programmed",
           at<n, e, &E::age>},
      });
}

void add_ecc_rows(Rows& rows) {
  using E = EccKeys;
  constexpr auto c = &Config::controller;
  constexpr auto e = &ControllerKeys::ecc;
  rows.insert(
      rows.end(),
      {
          {"controller.read_retries", count(0, 7),
           "read levels that are tried, one after the other, for a page that cannot be corrected; 0 = none; "
           "with the "
           "soft_senses of ldpc at most 7",
           at<c, &ControllerKeys::read_retries>},
          {"controller.ecc.code", word(kCodes),
           "fixed: corrects everything in ecc_latency; bch, ldpc: time and success depend on the wrong bits",
           at<c, e, &E::code>},
          {"controller.ecc.codeword", limited(Kind::size, 256, 65536), "page data of a codeword",
           at<c, e, &E::codeword>},
          {"controller.ecc.parity", count(0, 16384), "parity bytes of a codeword", at<c, e, &E::parity>},
          {"controller.ecc.parity_on_bus", boolean(),
           "parity takes bus time with the page data (it must fit into the spare area)",
           at<c, e, &E::parity_on_bus>},
          {"controller.ecc.corrects", count(1, 65535), "wrong bits that can be corrected in a codeword",
           at<c, e, &E::corrects>},
          {"controller.ecc.fastest", time(0, ms(1)), "bch, ldpc: decoding of a page without wrong bits",
           at<c, e, &E::fastest>},
          {"controller.ecc.slowest", time(0, ms(10)),
           "... of one whose worst codeword has as many as can be corrected, or more", at<c, e, &E::slowest>},
          {"controller.ecc.early_termination", boolean(),
           "decoding ends with the last wrong bit; false: it always takes the slowest time",
           at<c, e, &E::early_termination>},
          {"controller.ecc.throughput", limited(Kind::bandwidth, 0, 1e12),
           "bch, ldpc: page data that the engine of a channel takes in; what comes meanwhile waits; 0 = any",
           at<c, e, &E::throughput>},
          {"controller.ecc.soft_corrects", count(1, 65535),
           "ldpc: wrong bits that can be corrected in a codeword after all further senses",
           at<c, e, &E::soft_corrects>},
          {"controller.ecc.soft_senses", count(0, 7), "ldpc: further senses for soft decisions",
           at<c, e, &E::soft_senses>},
          {"controller.ecc.sense_time", time(ns(1), ms(10)), "ldpc: page read time of each further sense",
           at<c, e, &E::sense_time>},
      });
}

} // namespace twinplane::platform::rows
