// The whole drive with a host that a test scripts: submit commands, run, look.
#pragma once

#include <deque>
#include <systemc>
#include <vector>

#include "platform/config/loader.h"
#include "platform/host/nvme_host.h"
#include "platform/ssd/ssd.h"

namespace twinplane::test {

/// `text` is TOML over the defaults.
inline platform::Config config_from(const std::string& text) {
  platform::ConfigLoader loader;
  loader.add_text(text, "test.toml");
  return loader.finish().config;
}

class ModelBench : public sc_core::sc_module, private platform::HostClient {
 public:
  explicit ModelBench(const sc_core::sc_module_name& name, const platform::Config& config)
      : sc_module(name), ssd("ssd", config), host("host", host_config(config)) {
    host.bar.bind(ssd.bar);
    ssd.dma.bind(host.memory);
    ssd.intx.bind(intx);
    host.bind(*this);
  }

  void boot() { platform::run_until_booted(ssd.firmware()); }
  /// Runs until the drive is up.
  void start() { sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC)); }

  /// Submits and runs until everything outstanding is complete.
  std::vector<platform::HostCompletion> run(const std::vector<platform::HostCommand>& commands) {
    done.clear();
    for (const auto& command : commands) {
      if (!host.submit(command)) SC_REPORT_FATAL("test", "queue full");
    }
    host.ring_doorbells();
    sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC));
    return done;
  }

  platform::Ssd ssd;
  platform::NvmeHost host;
  sc_core::sc_signal<bool> intx{"intx"};
  std::vector<platform::HostCompletion> done;
  bool ready = false;
  std::string failure;

 private:
  static platform::NvmeHostConfig host_config(const platform::Config& config) {
    platform::NvmeHostConfig h;
    h.data_mode = config.data;
    h.queue_size = config.host.queue_size;
    h.max_transfer = static_cast<std::uint32_t>(config.host.max_transfer);
    return h;
  }
  void on_ready() override { ready = true; }
  void on_complete(const platform::HostCompletion& completion) override { done.push_back(completion); }
  void on_batch_end() override {}
  void on_shutdown() override {}
  void on_failure(const std::string& what) override { failure = what; }
};

} // namespace twinplane::test
