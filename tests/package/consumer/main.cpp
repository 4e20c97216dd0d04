// A SystemC platform of its own that takes the drive from the installed package: three ports to bind.
#include <iostream>
#include <systemc>

#include "foreign_host.h"
#include "platform/config/loader.h"
#include "platform/ssd/ssd.h"

int sc_main(int, char*[]) {
  twinplane::platform::ConfigLoader loader;
  loader.add_text(R"(
    [geometry]
    channels = 2
    chips_per_channel = 1
    dies_per_chip = 1
    planes_per_die = 2
    blocks_per_plane = 16
    pages_per_block = 48
    [nand]
    tR = "50us"
    tPROG = "200us"
    [data]
    mode = "full"
  )",
                  "foreign platform");

  twinplane::platform::Ssd ssd("ssd", loader.finish().config);
  ForeignHost host("host");
  sc_core::sc_signal<bool> intx{"intx"};
  host.mmio.bind(ssd.bar);
  ssd.dma.bind(host.memory);
  ssd.intx.bind(intx);
  host.intx.bind(intx);

  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC));
  if (host.failures() == 0) std::cout << "all expectations met at " << sc_core::sc_time_stamp() << '\n';
  return host.failures() == 0 ? 0 : 1;
}
