// SPDX-License-Identifier: Apache-2.0
// NetworkNames: the names of an export's network devices and their metrics. Loaded once per export; immutable
// afterwards, any thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "core/readers/nsys_sqlite/schema_probe.h"
#include "core/trace/import_notes.h"

namespace lockstep {

class NetworkNames {
  public:
    NetworkNames() = default;
    NetworkNames(const SqliteDatabase& database, const SchemaProbe& schema, ImportNotes& notes);

    // Returns the name of the device with the GUID or globalId of a metric's row, using NIC_ID_MAP and
    // TARGET_INFO_NIC_INFO; otherwise "device HEX".
    std::string deviceOf(uint64_t id) const;
    // Returns name and unit from TARGET_INFO_NETWORK_METRICS, e.g. {"Bytes received", "B"}; otherwise "metric
    // LIST/INDEX".
    std::pair<std::string, std::string> metricOf(int64_t list, int64_t index) const;

  private:
    std::map<uint64_t, std::string> m_devices;
    std::map<std::pair<int64_t, int64_t>, std::pair<std::string, std::string>> m_metrics;
};

} // namespace lockstep
