#include "hw/core/block_error.h"

#include <stdexcept>
#include <vector>

#include "hw/core/kernel_time.h"

namespace twinplane::hw {

namespace {

/// The outermost one: sockets that are bound through a hierarchy have the same interface.
const sc_core::sc_object* find_export(const std::vector<sc_core::sc_object*>& objects,
                                      const sc_core::sc_interface* interface) {
  for (sc_core::sc_object* object : objects) {
    auto* const export_here = dynamic_cast<sc_core::sc_export_base*>(object);
    if (export_here != nullptr && export_here->get_interface() == interface) return object;
    if (const auto* found = find_export(object->get_child_objects(), interface)) return found;
  }
  return nullptr;
}

/// Empty: none exports it.
std::string module_of(const sc_core::sc_interface* interface) {
  const sc_core::sc_object* const found = find_export(sc_core::sc_get_top_level_objects(), interface);
  return found == nullptr || found->get_parent_object() == nullptr ? "" : found->get_parent_object()->name();
}

std::string in_us(TimePs time) {
  const std::string digits = std::to_string(1000 + time / 1000 % 1000);
  return std::to_string(time / us(1)) + "." + digits.substr(1) + " us";
}

} // namespace

std::string answers_to(sc_core::sc_port_base& port) {
  const std::string module = module_of(port.get_interface());
  return module.empty() ? port.name() : module;
}

std::string answers_to(const sc_core::sc_interface* interface) {
  const std::string module = module_of(interface);
  return module.empty() ? "a block" : module;
}

void report_answer(sc_core::sc_port_base& port, const tlm::tlm_generic_payload& payload, const char* what,
                   TimePs at) {
  const std::string text = answers_to(port) + " answers " + what + " at " + in_us(at) + " with " +
                           payload.get_response_string() + ", expected TLM_OK_RESPONSE";
  SC_REPORT_ERROR(kBlockReport, text.c_str());
}

void report_timeout(const std::string& block, const std::string& what, TimePs since, TimePs now) {
  const std::string text =
      block + " has not " + what + " since " + in_us(since) + ", for " + in_us(now - since);
  SC_REPORT_ERROR(kBlockReport, text.c_str());
}

void report_unable(const std::string& block, const std::string& what) {
  SC_REPORT_ERROR(kBlockReport, (block + " cannot do what it is asked for: " + what).c_str());
}

void report_breach(const sc_core::sc_object& block, const char* what, TimePs at) {
  SC_REPORT_ERROR(kBlockReport, (std::string(block.name()) + " " + what + ", at " + in_us(at)).c_str());
}

void report_breach(sc_core::sc_port_base& port, const char* what, TimePs at) {
  SC_REPORT_ERROR(kBlockReport, (answers_to(port) + " " + what + ", at " + in_us(at)).c_str());
}

void rethrow_from(sc_core::sc_port_base& port, TimePs at) {
  rethrow_from(answers_to(port), at);
}

void rethrow_from(const std::string& block, TimePs at) {
  const std::string who = block + " at " + in_us(at) + ": ";
  try {
    throw;
  } catch (const sc_core::sc_report&) {
    throw;
  } catch (const sc_core::sc_unwind_exception&) {
    throw;
  } catch (const std::exception& error) {
    throw std::runtime_error(who + error.what());
  } catch (...) {
    throw std::runtime_error(who + "throws something that is no std::exception");
  }
}

void report_no_dmi(sc_core::sc_port_base& port) {
  const std::string text =
      answers_to(port) + " must grant DMI for reading and writing from address 0 (" + port.name() + ")";
  SC_REPORT_ERROR(kBlockReport, text.c_str());
}

void report_dram_answer(const std::string& block, const std::string& what, TimePs at, TimePs done) {
  if (done == kNever) {
    SC_REPORT_ERROR(kBlockReport, (block + " never ends " + what + ", asked for " + in_us(at)).c_str());
  } else if (done < at) {
    SC_REPORT_ERROR(kBlockReport, (block + " ends " + what + " at " + in_us(done) + ", before " + in_us(at) +
                                   ", for which it was asked")
                                      .c_str());
  } else {
    report_timeout(block, "ended " + what, at, done);
  }
}

} // namespace twinplane::hw
