// SPDX-License-Identifier: Apache-2.0
// ByReport: one value per report of a workspace, found by its key; a default value where the key has none.
// Keys are small numbers that are never used again, so it is a vector with holes.
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
    // For keys below slotCount (Workspace::slotCount()).
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
    // Makes room for the key where there is none.
    void set(ReportKey key, T value)
    {
        if (!has(key)) m_values.resize(key.value + size_t(1));
        m_values[key.value] = std::move(value);
    }
    size_t slotCount() const { return m_values.size(); }
    bool isEmpty() const { return m_values.empty(); }
    const std::vector<T>& all() const { return m_values; } // by key, holes too

    friend bool operator==(const ByReport&, const ByReport&) = default;

  private:
    std::vector<T> m_values; // by key
};

} // namespace lockstep
