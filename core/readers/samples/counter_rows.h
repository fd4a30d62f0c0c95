// SPDX-License-Identifier: Apache-2.0
// CounterRows collects the values of counters while the records of a file are read, and adds them to the
// report at the end. One thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/trace/report_builder.h"

namespace lockstep {

class CounterRows {
  public:
    explicit CounterRows(ReportBuilder& builder) : m_builder(builder) {}

    // Adds a value. `device` is invalid for counters of a process.
    void add(ProcessId process, DeviceId device, std::string_view name, std::string_view unit,
             int64_t time_ns, double value)
    {
        m_values[{process, device, std::string(name), std::string(unit)}].emplace_back(time_ns, value);
    }
    void finish()
    {
        for (auto& [key, values] : m_values) {
            const auto& [process, device, name, unit] = key;
            CounterTrack track;
            track.name = m_builder.intern(name);
            track.unit = m_builder.intern(unit);
            track.process = process;
            track.device = device;
            m_builder.addSamples(m_builder.addCounterTrack(track), std::move(values));
        }
        m_values.clear();
    }

  private:
    using Key = std::tuple<ProcessId, DeviceId, std::string, std::string>;

    ReportBuilder& m_builder;
    std::map<Key, std::vector<std::pair<int64_t, double>>> m_values;
};

} // namespace lockstep
