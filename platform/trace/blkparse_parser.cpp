// Text that blkparse prints by default: maj,min cpu sequence time pid action rwbs sector + sectors [process].
// One action is picked; the others describe the same requests at other points of their way.
#include "platform/config/error.h"
#include "platform/trace/fields.h"
#include "platform/trace/formats.h"

namespace twinplane::platform {
namespace {

class BlkparseParser final : public RecordParser {
 public:
  explicit BlkparseParser(char action) : action_(action) {}

  void restart() override { in_summary_ = false; }

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
    if (fields.at[5].size() != 1 || fields.at[5][0] != action_) return Parsed::ignored;
    record.device = fields.at[0];
    return read_request(fields, record, complaint);
  }

 private:
  static Parsed refuse(Complaint& complaint, std::string_view expected, std::string_view got) {
    complaint = {expected, got};
    return Parsed::malformed;
  }

  static bool has(std::string_view letters, char letter) {
    return letters.find(letter) != std::string_view::npos;
  }

  static Parsed read_request(const Fields& fields, RawRecord& record, Complaint& complaint) {
    const std::string_view kind = fields.at[6];
    record.offset = record.length = 0;
    const bool addressed = fields.count >= 10 && fields.at[8] == "+";
    if (!addressed) {
      if (!has(kind, 'F')) return Parsed::ignored; // a pass-through command or a note
      record.op = IoOp::flush;
      return Parsed::record;
    }
    std::uint64_t sector = 0;
    std::uint64_t sectors = 0;
    constexpr std::uint64_t kMost = ~std::uint64_t{0} / 512;
    if (!parse_integer(fields.at[7], sector) || !parse_integer(fields.at[9], sectors) || sector > kMost ||
        sectors > kMost) {
      return refuse(complaint, "SECTOR + SECTORS after the RWBS letters", fields.at[7]);
    }
    record.offset = sector * 512;
    record.length = sectors * 512;
    if (has(kind, 'D')) {
      record.op = IoOp::trim;
    } else if (has(kind, 'W')) {
      record.op = IoOp::write;
    } else if (has(kind, 'R')) {
      record.op = IoOp::read;
    } else if (has(kind, 'F')) {
      record.op = IoOp::flush;
    } else {
      return Parsed::ignored;
    }
    return Parsed::record;
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
