// SPDX-License-Identifier: Apache-2.0
// GenericEventTypes: what the types of an export's generic events and their fields are called. Loaded once
// per export; immutable then, any thread. Plug-ins (NVML, network, storage) and, up to about 2023, GPU
// metrics are generic events.
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

    // GENERIC_EVENT_TYPES.nameId's text, or "Name" of the JSON that older exports keep there; else "generic
    // type N".
    std::string nameOf(uint64_t type) const;
    // "Power [W]" of GENERIC_EVENT_TYPE_FIELDS.fieldNameId; else "field N".
    std::string fieldOf(uint64_t type, int64_t field) const;

  private:
    std::map<uint64_t, std::string> m_types;
    std::map<std::pair<uint64_t, int64_t>, std::string> m_fields;
};

} // namespace lockstep
