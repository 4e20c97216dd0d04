// The state of a part as bytes: one function for both directions, so that what is saved and what is restored
// cannot drift apart.
//
// A class with state has `void serialise(StateVisitor& state)`, which names its members in a fixed order.
// While saving they are read, while loading they are overwritten. Sizes follow from the configuration: tables
// must exist, as boot has made them, before they are loaded. No heap, no exceptions: firmware uses it, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace twinplane {

class StateVisitor {
 public:
  [[nodiscard]] virtual bool loading() const = 0;
  /// What follows belongs together under this name, up to the next one. The name is saved, too, and compared
  /// on loading.
  virtual void section(const char* name) = 0;
  virtual void bytes(void* data, std::size_t size) = 0;
  /// The part is in a state that cannot be kept; or what was loaded cannot be its state. `why` is for people.
  virtual void refuse(const char* why) = 0;

  template <class T>
  void value(T& v) {
    static_assert(std::is_trivially_copyable<T>::value && !std::is_pointer<T>::value,
                  "an address means nothing in another process");
    bytes(&v, sizeof v);
  }
  /// Nothing where the table does not exist (null).
  template <class T>
  void table(T* first, std::size_t count) {
    static_assert(std::is_trivially_copyable<T>::value && !std::is_pointer<T>::value,
                  "an address means nothing in another process");
    if (first != nullptr) bytes(first, count * sizeof(T));
  }

 protected:
  ~StateVisitor() = default;
};

} // namespace twinplane
