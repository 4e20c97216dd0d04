// What does a bus tenure cost, from the channel's timing to the page in the array?
#include <benchmark/benchmark.h>

#include <algorithm>

#include "bench/systemc_fixtures.h"
#include "hw/controller/tenure_builder.h"
#include "hw/core/register_access.h"

namespace twinplane::bench {
namespace {

hw::NandConfig slc_part() {
  hw::NandConfig c;
  c.geometry.dies_per_chip = 2;
  c.geometry.planes_per_die = 2;
  c.geometry.blocks_per_plane = 256;
  c.geometry.pages_per_block = 128;
  c.geometry.page_size = 4096;
  c.geometry.spare_size = 224;
  c.geometry.sector_size = 4096;
  c.geometry.cell = CellType::slc;
  c.array.tR = {us(65), 0, 0, 0};
  c.array.tPROG = {us(200), 0, 0, 0};
  c.array.tBERS = us(1500);
  c.array.tDBSY = ns(500);
  c.bus = timing::nv_ddr(8);
  return c;
}

/// Sends operations to LUN 0 one after the other; simulated time is only annotated.
class Lun {
 public:
  Lun()
      : flash_(fixtures().flash),
        layout_(flash_.config.geometry),
        builder_(flash_.config.geometry, flash_.config.data_mode) {
    builder_.set_dram(pages_);
  }
  std::uint32_t blocks() const { return flash_.config.geometry.blocks_per_plane; }
  std::uint32_t pages() const { return flash_.config.geometry.pages_per_block; }
  std::uint64_t violations() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t v : flash_.package.statistics().violations) sum += v;
    return sum;
  }

  /// One operation on `planes` planes; waits until the die is ready again.
  void operate(FlashOp op, std::uint32_t planes, std::uint32_t block, std::uint32_t page) {
    group_.count = planes;
    group_.next_out = 0;
    for (std::uint32_t p = 0; p < planes; ++p) {
      FlashDescriptor& d = group_.planes[p];
      d = FlashDescriptor{};
      d.op = static_cast<std::uint8_t>(op);
      d.row = layout_.row(0, p, block, page);
      d.sector_mask = 1;
      d.buffer = p * kTagBytes;
      d.oob = page;
    }
    builder_.operation(tenure_, group_);
    send();
    now_ = std::max(now_, tenure_.ready_at);
  }
  void data_out() {
    builder_.data_out(tenure_, group_, false);
    send();
  }
  void erase_all() {
    for (std::uint32_t b = 0; b < blocks(); ++b) operate(FlashOp::erase, 2, b, 0);
  }
  /// The cycles of a program, one by one, as a foreign initiator would send them.
  void raw_program(test::Cycles& cycles, std::uint32_t block, std::uint32_t page) {
    std::uint64_t oob = page;
    cycles.clear();
    cycles.command(onfi::opcode::program)
        .page_address(layout_.row(0, 0, block, page))
        .page_data(hw::PhaseKind::data_in, 1, pages_, &oob)
        .command(onfi::opcode::program_confirm);
    send(cycles.tenure());
    now_ = std::max(now_, cycles.tenure().ready_at);
  }

 private:
  void send() { send(tenure_); }
  void send(hw::OnfiTenure& tenure) {
    sc_core::sc_time delay = sc_core::sc_time::from_value(now_ - hw::kernel_now());
    test::TenurePayload carrier(tenure, 0);
    flash_.driver.out->b_transport(carrier.payload, delay);
    now_ = hw::kernel_now() + delay.value();
  }

  FlashFixture& flash_;
  RowLayout layout_;
  hw::TenureBuilder builder_;
  hw::FlashGroup group_;
  hw::OnfiTenure tenure_;
  TimePs now_ = std::max(fixtures().flash.channel.free_at(), hw::kernel_now()) + ms(10);
  std::uint8_t pages_[kMaxPlanesPerDie * kTagBytes] = {};
};

void finish(benchmark::State& state, const Lun& lun, std::uint64_t pages) {
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(pages));
  if (lun.violations() != 0) state.SkipWithError("the die refused a command");
}

/// Programs page after page, block after block; when all are full they are erased, which is 1 in
/// pages_per_block of the operations and counts.
void die_program(benchmark::State& state) {
  const auto planes = static_cast<std::uint32_t>(state.range(0));
  Lun lun;
  lun.erase_all();
  std::uint32_t block = 0;
  std::uint32_t page = 0;
  for (auto _ : state) {
    lun.operate(FlashOp::program, planes, block, page);
    if (++page < lun.pages()) continue;
    page = 0;
    if (++block < lun.blocks()) continue;
    block = 0;
    lun.erase_all();
  }
  finish(state, lun, planes);
}
BENCHMARK(die_program)->ArgName("planes")->Arg(1)->Arg(2);

void die_program_cycle_by_cycle(benchmark::State& state) {
  Lun lun;
  lun.erase_all();
  test::Cycles cycles(fixtures().flash.config.geometry);
  std::uint32_t block = 0;
  std::uint32_t page = 0;
  for (auto _ : state) {
    lun.raw_program(cycles, block, page);
    if (++page < lun.pages()) continue;
    page = 0;
    if (++block < lun.blocks()) continue;
    block = 0;
    lun.erase_all();
  }
  finish(state, lun, 1);
}
BENCHMARK(die_program_cycle_by_cycle);

/// Read command and data out.
void die_read(benchmark::State& state) {
  Lun lun;
  lun.erase_all();
  for (std::uint32_t p = 0; p < lun.pages(); ++p) lun.operate(FlashOp::program, 1, 0, p);
  std::uint32_t page = 0;
  for (auto _ : state) {
    lun.operate(FlashOp::read, 1, 0, page);
    lun.data_out();
    page = (page + 37) % lun.pages();
  }
  finish(state, lun, 1);
}
BENCHMARK(die_read);

void die_erase(benchmark::State& state) {
  Lun lun;
  std::uint32_t block = 0;
  for (auto _ : state) {
    lun.operate(FlashOp::erase, 1, block, 0);
    block = (block + 1) % lun.blocks();
  }
  finish(state, lun, 1);
}
BENCHMARK(die_erase);

} // namespace

FlashFixture::FlashFixture()
    : config(slc_part()),
      channel("channel", hw::ChannelConfig{0, 1, config.bus, config.array.tDBSY}),
      package("package", config) {
  driver.out.bind(channel.in);
  channel.chips[0].bind(package.bus);
}

} // namespace twinplane::bench
