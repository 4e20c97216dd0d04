// The program of docs/extending.md, with a workload: requests on a drive whose channel 0 is driven by RTL.
#include <iostream>
#include <systemc>

#include "platform/config/loader.h"
#include "platform/session/simulation.h"
#include "rtl_blocks.h"

namespace {

/// Every page of 2 KiB at the head of the drive is written, and then read.
class WriteAndRead final : public twinplane::platform::IoSource {
 public:
  bool next(twinplane::platform::IoRecord& record) override {
    if (position_ == 2 * kPages) return false;
    record = {};
    record.op = position_ < kPages ? twinplane::platform::IoOp::write : twinplane::platform::IoOp::read;
    record.offset = position_ % kPages * 2048;
    record.length = 2048;
    ++position_;
    return true;
  }
  void rewind() override { position_ = 0; }
  std::uint64_t size_hint() const override { return 2 * kPages; }

 private:
  static constexpr std::uint64_t kPages = 64;
  std::uint64_t position_ = 0;
};

/// Whether nothing was wrong with the wires, and something has passed them.
bool replay(twinplane::platform::IoSource& source) {
  twinplane::platform::ConfigLoader loader;
  loader.add_file("examples/rtl_controller/drive.toml");
  twinplane::example::RtlBlocks blocks(0);
  twinplane::platform::Simulation simulation(loader.finish().config, blocks);
  simulation.prepare();
  simulation.run(source, "my workload");
  const twinplane::platform::Summary summary = simulation.summary();
  std::cout << summary.workload.requests << " requests, " << summary.host.verify_checked
            << " sectors checked\n";
  return blocks.wires().transactor().faults().total() == 0 && summary.workload.requests == 128 &&
         summary.host.verify_checked != 0 && summary.host.verify_mismatches == 0;
}

} // namespace

int sc_main(int, char*[]) {
  WriteAndRead source;
  return replay(source) ? 0 : 1;
}
