// A kernel of SystemC of one's own, so that a process can have several drives one after the other: each is built, run,
// ended by an error perhaps, and taken down again.
#pragma once

#include <systemc>

namespace twinplane::test {

/// Modules that are constructed while it lives belong to it, and must be gone before it is.
class FreshKernel {
 public:
  FreshKernel() { use(own_); }
  ~FreshKernel() {
    use(before_);
    delete own_;
  }
  FreshKernel(const FreshKernel&) = delete;
  FreshKernel& operator=(const FreshKernel&) = delete;

 private:
  static void use(sc_core::sc_simcontext* context) {
    sc_core::sc_curr_simcontext = sc_core::sc_default_global_context = context;
  }

  sc_core::sc_simcontext* const before_ = sc_core::sc_get_curr_simcontext();
  sc_core::sc_simcontext* const own_ = new sc_core::sc_simcontext;
};

} // namespace twinplane::test
