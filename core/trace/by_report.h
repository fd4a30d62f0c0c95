// SPDX-License-Identifier: Apache-2.0
// ByReport: one value per report of a workspace, looked up by key; keys without a value return a default.
// Keys are small numbers that are never reused, so the container is a vector with unused entries.
#pragma once

#include <cassert>
#include <cstddef>
#include <vector>

#include "core/base/ids.h"

namespace lockstep {

template<class T>
class ByReport {
  public:
    using Reference = typename std::vector<T>::reference;
    using ConstReference = typename std::vector<T>::const_reference;

    ByReport() = default;
    // Creates a value for each key below slotCount (see Workspace::slotCount()).
    explicit ByReport(size_t slotCount, const T& value = {}) : m_values(slotCount, value) {}

    bool has(ReportKey key) const { return key.value < m_values.size(); }
    Reference operator[](ReportKey key)
    {
        assert(has(key));
        return m_values[key.value];
    }
    ConstReference operator[](ReportKey key) const
    {
        assert(has(key));
        return m_values[key.value];
    }
    // Sets a value, growing the vector if necessary.
    void set(ReportKey key, T value)
    {
        if (!has(key)) m_values.resize(key.value + size_t(1));
        m_values[key.value] = std::move(value);
    }
    size_t slotCount() const { return m_values.size(); }
    bool isEmpty() const { return m_values.empty(); }
    const std::vector<T>& all() const { return m_values; } // by key, including unused keys

    friend bool operator==(const ByReport&, const ByReport&) = default;

  private:
    std::vector<T> m_values; // by key
};

} // namespace lockstep
