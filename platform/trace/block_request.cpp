#include "platform/trace/block_request.h"

#include <string>

#include "platform/config/error.h"
#include "platform/trace/fields.h"
#include "platform/trace/rwbs.h"

namespace twinplane::platform {
namespace {

Parsed leave_out(LineTally& tally, const char* why, std::string_view letters) {
  tally.left_out.add(std::string(why) + " (" + std::string(letters) + ")");
  return Parsed::ignored;
}

Parsed set_operation(const Rwbs& rwbs, std::string_view letters, RawRecord& record, LineTally& tally) {
  switch (rwbs.operation) {
    case Rwbs::Operation::read:
      record.op = IoOp::read;
      return Parsed::record;
    case Rwbs::Operation::write:
      record.op = IoOp::write;
      record.fua = rwbs.fua;
      return Parsed::record;
    case Rwbs::Operation::write_zeroes: // the drive unmaps pages for both
      tally.changed.add("write zeroes as trim (" + std::string(letters) + ")");
      record.op = IoOp::trim;
      return Parsed::record;
    case Rwbs::Operation::discard:
      record.op = IoOp::trim;
      return Parsed::record;
    case Rwbs::Operation::zone:
      return leave_out(tally, "zone operations, the drive has no zones", letters);
    case Rwbs::Operation::flush:
    case Rwbs::Operation::none:
      break;
  }
  return leave_out(tally, "no operation on data", letters);
}

} // namespace

Parsed read_block_request(const BlockRequestText& text, RawRecord& record, LineTally& tally,
                          Complaint& complaint) {
  record.offset = record.length = 0;
  record.fua = record.preflush = false;
  Rwbs rwbs;
  std::string_view unknown;
  if (!parse_rwbs(text.letters, rwbs, unknown)) {
    return leave_out(tally, "RWBS letters of no known meaning", text.letters);
  }
  const bool flush = rwbs.operation == Rwbs::Operation::flush;
  const bool carries_data =
      !text.sectors.empty() && text.sectors != "0" && !flush && rwbs.operation != Rwbs::Operation::none;
  if ((rwbs.preflush || flush) && !carries_data) {
    record.op = IoOp::flush;
    return Parsed::record;
  }
  if (text.sectors.empty()) {
    return leave_out(tally, "no sectors: a pass-through command or a note", text.letters);
  }
  std::uint64_t sector = 0;
  std::uint64_t sectors = 0;
  constexpr std::uint64_t kMost = ~std::uint64_t{0} / 512;
  if (!parse_integer(text.sector, sector) || !parse_integer(text.sectors, sectors) || sector > kMost ||
      sectors > kMost) {
    complaint = {"SECTOR + SECTORS after the RWBS letters", text.sector};
    return Parsed::malformed;
  }
  record.offset = sector * 512;
  record.length = sectors * 512;
  record.preflush = rwbs.preflush;
  return set_operation(rwbs, text.letters, record, tally);
}

void require_block_options(const char* format, const ParserOptions& options) {
  if (options.block_action != 'Q' && options.block_action != 'D') {
    throw InputError(std::string(format) + " action: expected Q or D, got '" + options.block_action + "'");
  }
  if (!options.time_unit.empty())
    throw InputError(std::string("format ") + format + ": times are seconds, a time unit does not apply");
}

} // namespace twinplane::platform
