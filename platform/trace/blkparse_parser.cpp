// Text that blkparse prints by default: maj,min cpu sequence time pid action rwbs sector + sectors [process].
// One action is picked; the others describe the same requests at other points of their way.
#include <string>

#include "platform/config/error.h"
#include "platform/trace/fields.h"
#include "platform/trace/formats.h"
#include "platform/trace/rwbs.h"

namespace twinplane::platform {
namespace {

class BlkparseParser final : public RecordParser {
 public:
  explicit BlkparseParser(char action) : action_(action) {}

  void restart() override {
    in_summary_ = false;
    tally_.clear();
  }

  Parsed parse(std::string_view line, RawRecord& record, Complaint& complaint) override {
    in_summary_ = in_summary_ || line.substr(0, 3) == "CPU" || line.substr(0, 5) == "Total";
    if (in_summary_) return Parsed::ignored;
    Fields fields;
    split(line, Separator::blanks, fields, 10);
    if (fields.count < 7) return refuse(complaint, "MAJ,MIN CPU SEQUENCE TIME PID ACTION RWBS ...", line);
    if (fields.at[0].find(',') == std::string_view::npos) {
      return refuse(complaint, "a device MAJ,MIN in the first column", fields.at[0]);
    }
    if (!parse_time(fields.at[3], *find_time_unit("s"), record.time_ns)) {
      return refuse(complaint, "a time in seconds in the fourth column", fields.at[3]);
    }
    tally_.actions.add(fields.at[5]);
    if (fields.at[5].size() != 1 || fields.at[5][0] != action_) return Parsed::ignored;
    record.device = fields.at[0];
    return read_request(fields, record, complaint);
  }

 private:
  static Parsed refuse(Complaint& complaint, std::string_view expected, std::string_view got) {
    complaint = {expected, got};
    return Parsed::malformed;
  }

  Parsed leave_out(const char* why, std::string_view letters) {
    tally_.left_out.add(std::string(why) + " (" + std::string(letters) + ")");
    return Parsed::ignored;
  }

  Parsed read_request(const Fields& fields, RawRecord& record, Complaint& complaint) {
    const std::string_view letters = fields.at[6];
    record.offset = record.length = 0;
    record.fua = record.preflush = false;
    Rwbs rwbs;
    std::string_view unknown;
    if (!parse_rwbs(letters, rwbs, unknown)) {
      return leave_out("RWBS letters of no known meaning", letters);
    }
    const bool addressed = fields.count >= 10 && fields.at[8] == "+";
    const bool carries_data = addressed && fields.at[9] != "0" && rwbs.operation != Rwbs::Operation::flush &&
                              rwbs.operation != Rwbs::Operation::none;
    if ((rwbs.preflush || rwbs.operation == Rwbs::Operation::flush) && !carries_data) {
      record.op = IoOp::flush;
      return Parsed::record;
    }
    if (!addressed) return leave_out("no sectors: a pass-through command or a note", letters);
    std::uint64_t sector = 0;
    std::uint64_t sectors = 0;
    constexpr std::uint64_t kMost = ~std::uint64_t{0} / 512;
    if (!parse_integer(fields.at[7], sector) || !parse_integer(fields.at[9], sectors) || sector > kMost ||
        sectors > kMost) {
      return refuse(complaint, "SECTOR + SECTORS after the RWBS letters", fields.at[7]);
    }
    record.offset = sector * 512;
    record.length = sectors * 512;
    record.preflush = rwbs.preflush;
    return set_operation(rwbs, letters, record);
  }

  Parsed set_operation(const Rwbs& rwbs, std::string_view letters, RawRecord& record) {
    switch (rwbs.operation) {
      case Rwbs::Operation::read:
        record.op = IoOp::read;
        return Parsed::record;
      case Rwbs::Operation::write:
        record.op = IoOp::write;
        record.fua = rwbs.fua;
        return Parsed::record;
      case Rwbs::Operation::write_zeroes: // the drive unmaps pages for both
        tally_.changed.add("write zeroes as trim (" + std::string(letters) + ")");
        record.op = IoOp::trim;
        return Parsed::record;
      case Rwbs::Operation::discard:
        record.op = IoOp::trim;
        return Parsed::record;
      case Rwbs::Operation::zone:
        return leave_out("zone operations, the drive has no zones", letters);
      case Rwbs::Operation::flush:
      case Rwbs::Operation::none:
        break;
    }
    return leave_out("no operation on data", letters);
  }

  char action_;
  bool in_summary_ = false;
};

} // namespace

std::unique_ptr<RecordParser> make_blkparse_parser(const ParserOptions& options) {
  if (options.block_action != 'Q' && options.block_action != 'D') {
    throw InputError(std::string("blkparse action: expected Q or D, got '") + options.block_action + "'");
  }
  if (!options.time_unit.empty())
    throw InputError("format blkparse: times are seconds, a time unit does not apply");
  return std::make_unique<BlkparseParser>(options.block_action);
}

} // namespace twinplane::platform
