// Typed access to Hal::boot_alloc. Memory is handed out once, at boot, and never returned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include "firmware/hal/hal.h"

namespace twinplane::fw {

class BootMemory {
 public:
  explicit BootMemory(Hal& hal) : hal_(hal) {}

  /// `count` zero bytes' worth of T. The memory is not touched, so large sparse tables stay cheap.
  /// After exhaustion returns nullptr; the caller checks exhausted() once at the end of boot.
  template <class T>
  T* zeroed(std::size_t count) {
    static_assert(std::is_trivially_copyable<T>::value, "zero bytes must be a valid value");
    return static_cast<T*>(take(count * sizeof(T)));
  }

  /// `count` default-constructed T.
  template <class T>
  T* array(std::size_t count) {
    auto* first = static_cast<T*>(take(count * sizeof(T)));
    if (first == nullptr) return nullptr;
    for (std::size_t i = 0; i < count; ++i) new (first + i) T();
    return first;
  }

  template <class T, class... Args>
  T* make(Args&&... args) {
    void* place = take(sizeof(T));
    return place == nullptr ? nullptr : new (place) T(std::forward<Args>(args)...);
  }

  bool exhausted() const { return exhausted_; }
  Hal& hal() const { return hal_; }

 private:
  void* take(std::size_t bytes) {
    void* place = exhausted_ ? nullptr : hal_.boot_alloc(bytes == 0 ? 1 : bytes);
    if (place == nullptr) exhausted_ = true;
    return place;
  }

  Hal& hal_;
  bool exhausted_ = false;
};

} // namespace twinplane::fw
