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

/// Whether memory that has been filled from outside is one of the two values of a bool. Of others nothing may be asked.
inline bool is_bool(const bool& b) {
  std::uint8_t byte = 0;
  __builtin_memcpy(&byte, &b, 1);
  return byte <= 1;
}

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
  void value(bool& b) {
    std::uint8_t byte = b ? 1 : 0;
    bytes(&byte, 1);
    require(byte <= 1, "it is damaged (something is neither true nor false)");
    b = byte != 0;
  }
  /// Nothing where the table does not exist (null).
  template <class T>
  void table(T* first, std::size_t count) {
    static_assert(std::is_trivially_copyable<T>::value && !std::is_pointer<T>::value,
                  "an address means nothing in another process");
    if (first != nullptr) bytes(first, count * sizeof(T));
  }
  /// Of a part that is being loaded: it can only be the part's state if this holds. What indexes a table, or counts,
  /// must be asked for, or what goes by it later would reach outside.
  void require(bool holds, const char* why) {
    if (loading() && !holds) refuse(why);
  }
  /// A table each of whose elements must be one that `holds`.
  template <class T, class Holds>
  void table(T* first, std::size_t count, const char* why, const Holds& holds) {
    table(first, count);
    if (!loading() || first == nullptr) return;
    for (std::size_t i = 0; i < count; ++i) require(holds(first[i]), why);
  }

 protected:
  ~StateVisitor() = default;
};

} // namespace twinplane
