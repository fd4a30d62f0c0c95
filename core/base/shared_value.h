// SPDX-License-Identifier: Apache-2.0
// SharedValue is a value whose copies share their data until one of them is changed. Copying costs O(1), and
// copies that still share their data are equal without being compared. Thread: as for any value, one object
// may not be used by several threads at once, but its copies may.
#pragma once

#include <atomic>
#include <memory>

namespace lockstep {

template<class T>
class SharedValue {
  public:
    SharedValue() = default;
    SharedValue(const SharedValue&) = default; // also moves, so that a moved-from value is still valid
    SharedValue& operator=(const SharedValue&) = default;
    ~SharedValue() = default;

    const T& operator*() const { return *m_value; }
    const T* operator->() const { return m_value.get(); }
    // Returns the value for changes. Copies the value if it is shared.
    T& edit()
    {
        if (m_value.use_count() > 1) {
            m_value = std::make_shared<T>(*m_value);
        } else {
            std::atomic_thread_fence(std::memory_order_acquire); // another thread may have dropped its copy
        }
        return *m_value;
    }

    bool isSharedWith(const SharedValue& other) const { return m_value == other.m_value; }

    friend bool operator==(const SharedValue& a, const SharedValue& b)
    {
        return a.isSharedWith(b) || *a == *b;
    }

  private:
    std::shared_ptr<T> m_value = std::make_shared<T>();
};

} // namespace lockstep
