// SPDX-License-Identifier: Apache-2.0
// GenericEventTypes: the names of an export's generic event types and their fields. Loaded once per export;
// immutable afterwards, any thread. Plug-ins (NVML, network, storage) and, until about 2023, GPU metrics are
// generic events.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "core/readers/nsys_sqlite/schema_probe.h"
#include "core/readers/nsys_sqlite/string_ids.h"

namespace lockstep {

class GenericEventTypes {
  public:
    GenericEventTypes() = default;
    GenericEventTypes(const SqliteDatabase& database, const SchemaProbe& schema, const StringIds& strings,
                      ReportBuilder& builder);

    // Returns GENERIC_EVENT_TYPES.nameId as a string, or "Name" from the JSON in older exports; otherwise
    // "generic type N".
    std::string nameOf(uint64_t type) const;
    // Returns "Power [W]" from GENERIC_EVENT_TYPE_FIELDS.fieldNameId; otherwise "field N".
    std::string fieldOf(uint64_t type, int64_t field) const;

  private:
    std::map<uint64_t, std::string> m_types;
    std::map<std::pair<uint64_t, int64_t>, std::string> m_fields;
};

} // namespace lockstep
