// SPDX-License-Identifier: Apache-2.0
// SpoolRecords iterates over the records of one block. Unknown fields of newer writers are skipped, missing
// fields of older writers are 0. The data is not trusted: references outside the block end the iteration. Not
// thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "capture/format/spool_format.h"

namespace lockstep {

struct SpoolRecord {
    static constexpr size_t kMaxFields = 32;

    unsigned kind = 0;
    uint64_t number = 0; // zero-based index in its block
    std::array<uint64_t, kMaxFields> fields = {};
};

constexpr int64_t signedField(uint64_t field)
{
    return static_cast<int64_t>(field >> 1) ^ -static_cast<int64_t>(field & 1);
}

class SpoolRecords {
  public:
    // `payload` must outlive this object.
    explicit SpoolRecords(std::string_view payload);

    // Reads the next record and returns false at the end. The first field of kinds that have a timestamp is a
    // 64-bit two's complement number of ns on the capture's clock.
    bool next(SpoolRecord& record);
    // Returns the number of fields of this kind according to the writer of the block; 0 if the kind is
    // unknown.
    unsigned fieldCount(unsigned kind) const { return kind < m_fieldCounts.size() ? m_fieldCounts[kind] : 0; }
    // Returns the string with this number; "" for 0 and for missing strings.
    std::string_view text(uint64_t number) const;
    // Returns true if the block contains an invalid record.
    bool isBroken() const { return m_isBroken; }

  private:
    bool readNumber(uint64_t& value);
    bool fail();

    std::string_view m_rest;
    std::array<uint8_t, LOCKSTEP_KIND_LIMIT> m_fieldCounts = {};
    std::vector<std::string_view> m_texts;
    uint64_t m_count = 0;
    int64_t m_last_ns = 0;
    bool m_isBroken = false;
};

// Returns true for kinds whose first field is a timestamp.
bool hasTimestamp(unsigned kind);
// Returns "PUSH_EX", "KERNEL", ..., or "" if unknown.
std::string_view spoolKindName(unsigned kind);
// Returns the display name of a field, or "" if the kind has no such field.
std::string_view spoolFieldName(unsigned kind, size_t field);
unsigned spoolFieldCount(unsigned kind);

} // namespace lockstep
