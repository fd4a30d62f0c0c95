// SPDX-License-Identifier: Apache-2.0
// PayloadSchemas: how the extended payloads of an export's NVTX rows are laid out, and their decoding into
// named fields. Loaded from NVTX_PAYLOAD_SCHEMAS, _SCHEMA_ENTRIES and _ENUM_ENTRIES once per export;
// immutable then, any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/readers/nsys_sqlite/schema_probe.h"
#include "core/trace/import_notes.h"

namespace lockstep {

// One value of a payload. `number` holds integers as their 64-bit pattern; absent for texts, reals and
// arrays.
struct PayloadField {
    std::string
        name; // as the schema spells it, "Message size [bytes]"; "outer / inner" inside nested payloads
    std::string text;
    std::optional<uint64_t> number;
};

class PayloadSchemas {
  public:
    // The schema tables name no process, so they repeat for each; one that differs from the first is noted.
    static PayloadSchemas load(const SqliteDatabase& database, const SchemaProbe& schema, ImportNotes& notes);

    struct Entry {
        std::string name;
        uint64_t flags = 0;
        uint64_t type = 0;
        uint64_t detail = 0; // length of an array, or the entry that holds it
        std::optional<uint64_t> offset;

        friend bool operator==(const Entry&, const Entry&) = default;
    };
    // One by one, for files that are no export. The first of a number stays.
    void add(uint64_t domain, uint64_t schema, uint64_t size_bytes)
    {
        m_schemas[{domain, schema}].size_bytes = size_bytes;
    }
    void addEntry(uint64_t domain, uint64_t schema, int64_t index, Entry entry)
    {
        m_schemas[{domain, schema}].entries.try_emplace(index, std::move(entry));
    }
    // Own types that no schema describes are taken for enumerations without names: 4 bytes.
    void completeTypes();

    bool isEmpty() const { return m_schemas.empty(); }
    size_t size() const { return m_schemas.size(); }

    // NVTX_EVENTS.binaryData: payloads one after the other, each behind 32 bytes that hold its domain, schema
    // and size as little-endian 64-bit numbers; as stored, or written as hexadecimal text. Empty when a
    // payload follows no schema of this export or is cut short.
    std::optional<std::vector<PayloadField>> decode(std::string_view binary) const;

    // NVTX payload entry and schema type numbers from here on name a schema or enumeration of the
    // application.
    static constexpr uint64_t kFirstOwnType = uint64_t(1) << 24;

  private:
    struct Schema {
        uint64_t size_bytes = 0; // 0: not fixed
        std::map<int64_t, Entry> entries;
    };
    using Key = std::pair<uint64_t, uint64_t>; // domain, schema
    class Decoding;

    std::optional<std::vector<PayloadField>> decodeBytes(std::string_view bytes) const;

    std::map<Key, Schema> m_schemas;
    std::map<Key, std::map<uint64_t, std::string>> m_enums;
};

// The top-level fields of NVTX_EVENTS.jsonText, in the file's order. Empty when it is no JSON object.
std::optional<std::vector<PayloadField>> jsonPayload(std::string_view json);

} // namespace lockstep
