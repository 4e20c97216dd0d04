// Words for errors between blocks: who it was, and what it did. Never on the way of a transaction that works.
#pragma once

#include <string>
#include <systemc>
#include <tlm>

#include "hw/spec/sim_time.h"

namespace twinplane::hw {

/// Message type of these errors.
inline constexpr char kBlockReport[] = "twinplane.block";

/// The hierarchical name of the module whose socket or export answers behind a bound port; the port's own
/// name when none does (an interface was bound directly).
std::string answers_to(sc_core::sc_port_base& port);
/// The same of an interface; "a block" when no module exports it.
std::string answers_to(const sc_core::sc_interface* interface);

/// SC_ERROR: the block behind `port` answered `what` at `at` with something else than TLM_OK_RESPONSE.
[[gnu::cold]] void report_answer(sc_core::sc_port_base& port, const tlm::tlm_generic_payload& payload,
                                 const char* what, TimePs at);

/// SC_ERROR: `block` has not done `what` since `since`.
[[gnu::cold]] void report_timeout(const std::string& block, const std::string& what, TimePs since,
                                  TimePs now);

/// SC_ERROR: `block` is asked for `what`, which its kind may leave out and it does.
[[gnu::cold]] void report_unable(const std::string& block, const std::string& what);

/// SC_ERROR: the block behind `port` has done in a transaction of `at` what its contract forbids: "has ...".
[[gnu::cold]] void report_breach(sc_core::sc_port_base& port, const char* what, TimePs at);
/// The same of a block by itself.
[[gnu::cold]] void report_breach(const sc_core::sc_object& block, const char* what, TimePs at);

/// In a catch clause: throws the exception on, with the block behind `port` and the time of the call before its
/// text. What the kernel or a report has thrown goes on as it is.
[[noreturn, gnu::cold]] void rethrow_from(sc_core::sc_port_base& port, TimePs at);
/// The same of a block by its name.
[[noreturn, gnu::cold]] void rethrow_from(const std::string& block, TimePs at);

/// SC_ERROR: the memory behind `port` grants no pointer to all of it.
[[gnu::cold]] void report_no_dmi(sc_core::sc_port_base& port);

/// SC_ERROR: `block`, a DRAM, was asked `what` for `at` and answers that it is done at `done`, which is too
/// early or too late.
[[gnu::cold]] void report_dram_answer(const std::string& block, const std::string& what, TimePs at,
                                      TimePs done);

} // namespace twinplane::hw
