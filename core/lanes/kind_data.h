// SPDX-License-Identifier: Apache-2.0
// KindData: data of a lane, a row or a hit that only the kind of the lane uses. The kind defines the type in
// its own files, so code for all lanes compiles without it, and a new kind needs no new field there. A value
// type: holds one value of any copyable type, or none; copies are deep. Empty data costs no allocation.
#pragma once

#include <any>
#include <utility>

namespace lockstep {

class KindData {
  public:
    template<class T>
    void set(T value)
    {
        m_value = std::move(value);
    }
    // Returns the data, or nullptr if there is none of this type. Valid until the data is set or destroyed.
    template<class T>
    const T* as() const
    {
        return std::any_cast<T>(&m_value);
    }
    template<class T>
    T* as()
    {
        return std::any_cast<T>(&m_value);
    }
    template<class T>
    bool is() const
    {
        return as<T>() != nullptr;
    }
    // Returns the data, which is created if there is none of this type.
    template<class T>
    T& ensure()
    {
        T* const known = as<T>();
        return known != nullptr ? *known : m_value.emplace<T>();
    }

  private:
    std::any m_value;
};

} // namespace lockstep
