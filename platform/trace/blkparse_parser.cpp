// Text that blkparse prints by default: maj,min cpu sequence time pid action rwbs sector + sectors [process].
// One action is picked; the others describe the same requests at other points of their way.
#include "platform/trace/block_request.h"
#include "platform/trace/fields.h"
#include "platform/trace/formats.h"

namespace twinplane::platform {
namespace {

class BlkparseParser final : public RecordParser {
 public:
  explicit BlkparseParser(char action) : action_(action) { tally_.replayed = action; }

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
    const bool addressed = fields.count >= 10 && fields.at[8] == "+";
    const BlockRequestText request{fields.at[6], addressed ? fields.at[7] : std::string_view{},
                                   addressed ? fields.at[9] : std::string_view{}};
    return read_block_request(request, record, tally_, complaint);
  }

 private:
  static Parsed refuse(Complaint& complaint, std::string_view expected, std::string_view got) {
    complaint = {expected, got};
    return Parsed::malformed;
  }

  char action_;
  bool in_summary_ = false;
};

} // namespace

std::unique_ptr<RecordParser> make_blkparse_parser(const ParserOptions& options) {
  require_block_options("blkparse", options);
  return std::make_unique<BlkparseParser>(options.block_action);
}

} // namespace twinplane::platform
