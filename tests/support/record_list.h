// I/O records from a list, for runs of few requests that each have a place in a story.
#pragma once

#include <utility>
#include <vector>

#include "platform/trace/io_record.h"

namespace twinplane::test {

inline platform::IoRecord record(platform::IoOp op, std::uint64_t offset, std::uint32_t length) {
  platform::IoRecord r;
  r.op = op;
  r.offset = offset;
  r.length = length;
  return r;
}

class RecordList final : public platform::IoSource {
 public:
  explicit RecordList(std::vector<platform::IoRecord> records) : records_(std::move(records)) {}

  bool next(platform::IoRecord& record) override {
    if (next_ == records_.size()) return false;
    record = records_[next_++];
    return true;
  }
  void rewind() override { next_ = 0; }
  std::uint64_t size_hint() const override { return records_.size(); }

 private:
  std::vector<platform::IoRecord> records_;
  std::size_t next_ = 0;
};

} // namespace twinplane::test
