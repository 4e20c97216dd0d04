// Both ends of the base protocol in its non-blocking form (AT): a master of registers, and memory behind a
// target that knows no blocking calls. Sockets of tlm_utils turn one form into the other.
#pragma once

#include <tlm_utils/peq_with_get.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <algorithm>
#include <systemc>
#include <tlm>

namespace twinplane::test {

/// Four-phase master of the base protocol; tlm_utils' socket in the drive turns its requests into blocking
/// calls.
class NonBlocking : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<NonBlocking> out{"out"};
  explicit NonBlocking(const sc_core::sc_module_name& name) : sc_module(name) {
    out.register_nb_transport_bw(this, &NonBlocking::backward);
  }
  void transport(tlm::tlm_generic_payload& p, sc_core::sc_time&) {
    ended_ = false;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    const tlm::tlm_sync_enum answer = out->nb_transport_fw(p, phase, delay);
    if (answer == tlm::TLM_COMPLETED || (answer == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP)) {
      sc_core::wait(delay);
    } else {
      while (!ended_) sc_core::wait(answer_);
    }
    ++responses;
  }
  int responses = 0; // at once or by the backward path

 private:
  tlm::tlm_sync_enum backward(tlm::tlm_generic_payload&, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
    ended_ = true;
    answer_.notify(delay);
    phase = tlm::END_RESP;
    return tlm::TLM_COMPLETED;
  }
  bool ended_ = false;
  sc_core::sc_event answer_{"answer"};
};

/// The guest's own initiator socket must be bound to something.
struct Nowhere : sc_core::sc_module {
  tlm_utils::simple_target_socket<Nowhere> in{"in"};
  explicit Nowhere(const sc_core::sc_module_name& name) : sc_module(name) {
    in.register_b_transport(this, &Nowhere::access);
  }
  void access(tlm::tlm_generic_payload&, sc_core::sc_time&) {}
};

/// Takes requests by nb_transport_fw only, accepts each after a while, and answers `latency` later, several
/// at a time. `out` leads to the memory.
class NonBlockingMemory : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<NonBlockingMemory> in{"in"};
  tlm_utils::simple_initiator_socket<NonBlockingMemory> out{"out"};
  sc_core::sc_time accept{20, sc_core::SC_NS};
  sc_core::sc_time latency{300, sc_core::SC_NS};
  std::uint32_t open = 0; // requests begun and not answered
  std::uint32_t most_open = 0;
  std::uint32_t answered = 0;

  explicit NonBlockingMemory(const sc_core::sc_module_name& name) : sc_module(name) {
    in.register_nb_transport_fw(this, &NonBlockingMemory::forward);
    SC_HAS_PROCESS(NonBlockingMemory);
    SC_THREAD(accept_requests);
    SC_THREAD(answer_requests);
  }

 private:
  using Queue = tlm_utils::peq_with_get<tlm::tlm_generic_payload>;

  tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;
    most_open = std::max(most_open, ++open);
    requests_.notify(p, delay + accept);
    return tlm::TLM_ACCEPTED;
  }
  void accept_requests() {
    for (;;) {
      wait(requests_.get_event());
      while (tlm::tlm_generic_payload* p = requests_.get_next_transaction()) {
        tlm::tlm_phase phase = tlm::END_REQ;
        sc_core::sc_time delay;
        responses_.notify(*p, latency);
        in->nb_transport_bw(*p, phase, delay);
      }
    }
  }
  void answer_requests() {
    for (;;) {
      wait(responses_.get_event());
      while (tlm::tlm_generic_payload* p = responses_.get_next_transaction()) {
        sc_core::sc_time delay;
        out->b_transport(*p, delay);
        p->set_dmi_allowed(false);
        --open;
        ++answered;
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        in->nb_transport_bw(*p, phase, delay);
      }
    }
  }

  Queue requests_{"requests"};
  Queue responses_{"responses"};
};

} // namespace twinplane::test
