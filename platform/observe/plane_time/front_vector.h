// A vector that loses elements at its front: a moment's drop costs what is dropped, however many stay.
#pragma once

#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace twinplane::platform {

template <typename T>
class FrontVector {
 public:
  using Iterator = typename std::vector<T>::iterator;
  using ConstIterator = typename std::vector<T>::const_iterator;

  bool empty() const { return front_ == all_.size(); }
  std::size_t size() const { return all_.size() - front_; }
  const T* data() const { return all_.data() + front_; }
  T& operator[](std::size_t i) { return all_[front_ + i]; }
  const T& operator[](std::size_t i) const { return all_[front_ + i]; }
  T& front() { return all_[front_]; }
  T& back() { return all_.back(); }
  const T& back() const { return all_.back(); }

  Iterator begin() { return all_.begin() + static_cast<std::ptrdiff_t>(front_); }
  Iterator end() { return all_.end(); }
  ConstIterator begin() const { return all_.begin() + static_cast<std::ptrdiff_t>(front_); }
  ConstIterator end() const { return all_.end(); }
  auto rbegin() { return std::make_reverse_iterator(end()); }
  auto rend() { return std::make_reverse_iterator(begin()); }

  void push_back(const T& element) { all_.push_back(element); }
  void pop_back() { all_.pop_back(); }
  void insert(std::size_t place, const T& element) {
    all_.insert(begin() + static_cast<std::ptrdiff_t>(place), element);
  }
  void erase(std::size_t first, std::size_t last) {
    all_.erase(begin() + static_cast<std::ptrdiff_t>(first), begin() + static_cast<std::ptrdiff_t>(last));
  }

  /// The memory of dropped elements is given back when they are more than those that stay.
  void drop_front(std::size_t count) {
    front_ += count;
    if (front_ <= size()) return;
    all_.erase(all_.begin(), begin());
    front_ = 0;
  }
  /// Drops the elements of the first `count` that `over` is true for. The others keep their order.
  template <typename Over>
  void drop_of_front(std::size_t count, const Over& over) {
    std::size_t kept = count;
    for (std::size_t i = count; i-- != 0;) {
      if (over((*this)[i])) continue;
      --kept;
      if (kept != i) (*this)[kept] = std::move((*this)[i]);
    }
    drop_front(kept);
  }

 private:
  std::vector<T> all_;
  std::size_t front_ = 0; // dropped elements before it
};

} // namespace twinplane::platform
