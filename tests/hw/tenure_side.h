// One of two channels that get the same tenures in different ways.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "hw/channel/channel.h"
#include "hw/core/kernel_time.h"
#include "hw/nand/package.h"
#include "tests/support/flash_bench.h"

namespace twinplane::test {

/// One channel with one package, without observers: sequences stay folded where they can.
class Side {
 public:
  Side(const std::string& name, const hw::NandConfig& config)
      : driver_((name + "_driver").c_str()),
        channel((name + "_channel").c_str(), hw::ChannelConfig{0, 1, config.bus, config.array.tDBSY}),
        package((name + "_package").c_str(), config) {
    driver_.out.bind(channel.in);
    channel.chips[0].bind(package.bus);
  }

  TimePs send(hw::OnfiTenure& tenure, TimePs at) {
    sc_core::sc_time delay = hw::to_sc_time(at);
    TenurePayload carrier(tenure, 0);
    driver_.out->b_transport(carrier.payload, delay);
    EXPECT_TRUE(carrier.payload.is_response_ok());
    return delay.value();
  }
  Driver& driver() { return driver_; }
  void send_functional(hw::OnfiTenure& tenure) {
    TenurePayload carrier(tenure, 0);
    driver_.out->transport_dbg(carrier.payload);
    EXPECT_TRUE(carrier.payload.is_response_ok());
  }

 private:
  Driver driver_;

 public:
  hw::Channel channel;
  hw::Package package;
};

} // namespace twinplane::test
