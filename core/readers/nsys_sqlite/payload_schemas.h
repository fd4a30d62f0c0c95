// SPDX-License-Identifier: Apache-2.0
// PayloadSchemas: the layouts of extended NVTX payloads in an export, and their decoding into named fields.
// Loaded from NVTX_PAYLOAD_SCHEMAS, _SCHEMA_ENTRIES and _ENUM_ENTRIES once per export; immutable afterwards,
// any thread.
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

// One value of a payload. `number` contains integers as 64-bit patterns; it is absent for strings, reals and
// arrays.
struct PayloadField {
    // name as in the schema, "Message size [bytes]"; "outer / inner" inside nested payloads
    std::string name;
    std::string text;
    std::optional<uint64_t> number;
};

class PayloadSchemas {
  public:
    // Loads the schemas. The tables do not identify processes, so entries are repeated for each process.
    // Entries that differ from the first one are reported in a note.
    static PayloadSchemas load(const SqliteDatabase& database, const SchemaProbe& schema, ImportNotes& notes);

    struct Entry {
        std::string name;
        uint64_t flags = 0;
        uint64_t type = 0;
        uint64_t detail = 0; // length of an array, or the index of the entry that contains the length
        std::optional<uint64_t> offset;

        friend bool operator==(const Entry&, const Entry&) = default;
    };
    // Adds one schema, for files that are not exports. If a schema number occurs more than once, the first
    // schema is kept.
    void add(uint64_t domain, uint64_t schema, uint64_t size_bytes)
    {
        m_schemas[{domain, schema}].size_bytes = size_bytes;
    }
    void addEntry(uint64_t domain, uint64_t schema, int64_t index, Entry entry)
    {
        m_schemas[{domain, schema}].entries.try_emplace(index, std::move(entry));
    }
    // Treats application types without a schema as enumerations without names: 4 bytes.
    void completeTypes();

    bool isEmpty() const { return m_schemas.empty(); }
    size_t size() const { return m_schemas.size(); }

    // Decodes NVTX_EVENTS.binaryData. The data contains payloads in sequence, each preceded by 32 bytes with
    // domain, schema and size as little-endian 64-bit numbers. It may be binary or hexadecimal text. Returns
    // nullopt if a payload does not match any schema of this export or is truncated.
    std::optional<std::vector<PayloadField>> decode(std::string_view binary) const;

    // Payload entries and schemas whose type number is at least this value refer to a schema or enumeration
    // of the application.
    static constexpr uint64_t kFirstCustomType = uint64_t(1) << 24;

  private:
    struct Schema {
        uint64_t size_bytes = 0; // 0 if the size is not fixed
        std::map<int64_t, Entry> entries;
    };
    using Key = std::pair<uint64_t, uint64_t>; // (domain, schema)
    class Decoding;

    std::optional<std::vector<PayloadField>> decodeBytes(std::string_view bytes) const;

    std::map<Key, Schema> m_schemas;
    std::map<Key, std::map<uint64_t, std::string>> m_enums;
};

// Returns the top-level fields of NVTX_EVENTS.jsonText in file order; nullopt if it is not a JSON object.
std::optional<std::vector<PayloadField>> jsonPayload(std::string_view json);

} // namespace lockstep
