// SPDX-License-Identifier: Apache-2.0
// SpoolRecords: the records of one block, one after the other. Fields that this version does not know are
// passed over, fields that an earlier writer did not have are 0. Nothing here is trusted: what leads out of
// the block ends it. Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "capture/format/spool_format.h"

namespace lockstep {

struct SpoolRecord {
    static constexpr size_t kMostFields = 32;

    unsigned kind = 0;
    uint64_t number = 0; // in its block, from 0
    std::array<uint64_t, kMostFields> fields = {};
};

constexpr int64_t signedField(uint64_t field)
{
    return static_cast<int64_t>(field >> 1) ^ -static_cast<int64_t>(field & 1);
}

class SpoolRecords {
  public:
    // payload must outlive this.
    explicit SpoolRecords(std::string_view payload);

    // The next record with its stamp (its first field, for kinds that have one) as a whole number of
    // nanoseconds of the spool's clock, two's complement; false at the end.
    bool next(SpoolRecord& record);
    // How many fields whoever wrote the block gave records of this kind; 0 for kinds it does not know.
    unsigned fieldCount(unsigned kind) const { return kind < m_fieldCounts.size() ? m_fieldCounts[kind] : 0; }
    // A field that numbers a text; "" for 0 and for what is not there.
    std::string_view text(uint64_t number) const;
    // The block holds what no record can be.
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

// True for kinds whose first field is a stamp.
bool hasStamp(unsigned kind);
// "PUSH_EX", "KERNEL"; "" for none that this version knows.
std::string_view spoolKindName(unsigned kind);
// What a field is called, for people; "" where the kind has no such field.
std::string_view spoolFieldName(unsigned kind, size_t field);
unsigned spoolFieldCount(unsigned kind);

} // namespace lockstep
