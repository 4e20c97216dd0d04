// What does a kernel event cost, by the number of pending ones?
#include <benchmark/benchmark.h>

#include "bench/systemc_fixtures.h"

namespace twinplane::bench {

EventSources::EventSources(const sc_core::sc_module_name& name) : sc_module(name) {
  for (std::uint32_t i = 0; i < kMost; ++i) {
    due_.push_back(std::make_unique<sc_core::sc_event>());
    // Near 60 us, no two alike: hardly two events share a time step.
    periods_.push_back(sc_core::sc_time::from_value(60'000'000 + 7919 * i));
    sc_core::sc_spawn_options options;
    options.spawn_method();
    options.dont_initialize();
    options.set_sensitivity(due_.back().get());
    sc_core::sc_spawn([this, i] { fire(i); }, sc_core::sc_gen_unique_name("source"), &options);
  }
}

void EventSources::fire(std::uint32_t source) {
  if (++count_ == until_) sc_core::sc_pause();
  if (source < pending_) due_[source]->notify(periods_[source]);
}

void EventSources::start(std::uint32_t pending) {
  pending_ = pending;
  for (std::uint32_t i = 0; i < pending; ++i) due_[i]->notify(periods_[i]);
}

void EventSources::run(std::uint64_t events) {
  until_ = count_ + events;
  sc_core::sc_start();
}

void EventSources::park() {
  for (std::uint32_t i = 0; i < pending_; ++i) due_[i]->cancel();
  pending_ = 0;
}

namespace {

constexpr std::uint64_t kBatch = 4096; // leaving and entering the kernel must not count

void timed_method_event(benchmark::State& state) {
  EventSources& sources = fixtures().events;
  sources.start(static_cast<std::uint32_t>(state.range(0)));
  const std::uint64_t before = sources.count();
  for (auto _ : state) sources.run(kBatch);
  state.SetItemsProcessed(static_cast<std::int64_t>(sources.count() - before));
  sources.park();
}
BENCHMARK(timed_method_event)->ArgName("pending")->Arg(1)->Arg(32)->Arg(EventSources::kMost);

} // namespace
} // namespace twinplane::bench
