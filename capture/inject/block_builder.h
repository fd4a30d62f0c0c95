// SPDX-License-Identifier: Apache-2.0
// BlockBuilder encodes one block of records in the format of FORMAT.md. Each string is stored once,
// timestamps are stored as differences, and numbers as LEB128. Used on the writer thread.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "capture/format/spool_format.h"

namespace lockstep::capture {

class BlockBuilder {
  public:
    BlockBuilder() { clear(); }

    void clear();
    // Returns the index of a string in the block; 0 = "".
    uint32_t text(std::string_view text);
    uint32_t texts() const { return static_cast<uint32_t>(m_numbers.size()); }
    // Records that the newest string is the name of a range, which may be a training step.
    void noteNewRangeName();
    // Returns 1 + the greatest training step that the block names, or 0 if it names none.
    uint32_t step() const { return m_step; }
    // Returns the number of clear() calls. An index returned by text() is valid while this value does not
    // change.
    uint64_t generation() const { return m_generation; }

    // Begins a record of `kind`. The caller must add exactly its fields next.
    BlockBuilder& begin(LockstepSpoolKind kind);
    // Adds a field that is a timestamp of the capture file's clock.
    BlockBuilder& timestamp(int64_t time_ns);
    BlockBuilder& number(uint64_t value);
    BlockBuilder& signedNumber(int64_t value) { return number(uint64_t(value) << 1 ^ uint64_t(value >> 63)); }

    // Sets the value for the following records. If it changed, a THREAD or DOMAIN record is added before the
    // next record.
    void setThread(int64_t tid);
    void setDomain(uint32_t domain);

    size_t size_bytes() const { return m_records.size() + m_texts.size(); }
    uint32_t records() const { return m_count; }
    bool isEmpty() const { return m_count == 0; }
    int64_t first_ns() const { return m_first_ns; }
    int64_t last_ns() const { return m_latest_ns; }
    // Writes the complete payload to `out`.
    void payload(std::string& out) const;

  private:
    std::string m_records;
    std::string m_texts;
    std::unordered_map<std::string, uint32_t> m_numbers;
    std::array<bool, LOCKSTEP_KIND_LIMIT> m_isUsed = {};
    std::string_view m_newest; // the newest string
    uint32_t m_step = 0;
    uint64_t m_generation = 0;
    uint32_t m_count = 0;
    int64_t m_last_ns = 0; // timestamps are stored as differences from this time
    int64_t m_first_ns = 0;
    int64_t m_latest_ns = 0;
    int64_t m_thread = -1;
    uint32_t m_domain = ~0u;
};

// Returns how many fields a record kind has in this version.
unsigned fieldCount(unsigned kind);

} // namespace lockstep::capture
