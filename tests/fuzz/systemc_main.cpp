// libFuzzer inside of SystemC: its library has the main(), this is what that calls.
#include <cstddef>
#include <cstdint>
#include <systemc>

extern "C" int LLVMFuzzerRunDriver(int* argc, char*** argv,
                                   int (*one_input)(const std::uint8_t* data, std::size_t size));
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int sc_main(int argc, char* argv[]) {
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  return LLVMFuzzerRunDriver(&argc, &argv, LLVMFuzzerTestOneInput);
}
