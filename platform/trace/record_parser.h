// One parser per trace format: it turns a line into a record, or says what it expected instead.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "platform/trace/io_record.h"

namespace twinplane::platform {

/// What a line says, before devices are laid out and times are rebased.
struct RawRecord {
  std::uint64_t time_ns = 0; // absolute, in the trace's own epoch
  IoOp op = IoOp::read;
  bool fua = false;         // of a write: force unit access
  bool preflush = false;    // a flush comes first, as a request of its own
  std::uint64_t offset = 0; // bytes
  std::uint64_t length = 0; // bytes
  std::string_view device;  // points into the line (or the parser); empty when the format names none
};

enum class Parsed : std::uint8_t { record, ignored, malformed };

/// Filled for a malformed line; both point to text that lives as long as the line.
struct Complaint {
  std::string_view expected;
  std::string_view got;
};

/// Counts by name, of at most kMost names; what comes after them is counted as "others".
class NamedCounts {
 public:
  void add(std::string_view name) {
    auto found = counts_.find(name);
    if (found == counts_.end()) {
      constexpr std::size_t kMost = 64;
      found = counts_.try_emplace(counts_.size() < kMost ? std::string(name) : "others").first;
    }
    ++found->second;
  }
  void clear() { counts_.clear(); }
  const std::map<std::string, std::uint64_t, std::less<>>& all() const { return counts_; }

 private:
  std::map<std::string, std::uint64_t, std::less<>> counts_;
};

/// What a parser saw beside the requests it delivered.
struct LineTally {
  std::string replayed;    // the action that is replayed, where `actions` are counted
  NamedCounts actions;     // lines by their action, of formats that have several for one request
  NamedCounts other_lines; // of which the user has chosen others
  NamedCounts left_out;    // requests of the chosen action that are not replayed, with the reason
  NamedCounts changed;     // requests that are replayed as something else, with the reason
  void clear() {
    actions.clear();
    other_lines.clear();
    left_out.clear();
    changed.clear();
  }
};

class RecordParser {
 public:
  virtual ~RecordParser() = default;
  /// Reads one line that is neither empty nor a '#' comment. `ignored` means that lines of this kind carry
  /// no request.
  virtual Parsed parse(std::string_view line, RawRecord& record, Complaint& complaint) = 0;
  /// Forgets everything seen: the next line is the first.
  virtual void restart() = 0;
  /// Lines at the beginning of the file that are none of its own, whatever they hold.
  virtual std::uint64_t skip_lines() const { return 0; }
  /// What it saw since it began or was restarted.
  const LineTally& tally() const { return tally_; }

 protected:
  LineTally tally_;
};

} // namespace twinplane::platform
