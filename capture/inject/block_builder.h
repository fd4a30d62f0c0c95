// SPDX-License-Identifier: Apache-2.0
// BlockBuilder: one block of records on its way to a file, in the coding of FORMAT.md: texts once each,
// stamps as differences, numbers as LEB128. The writer thread's.
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
    // The block's number for a text; 0 = "".
    uint32_t text(std::string_view text);
    // Counts clear()s: a number that text() gave holds while this stays.
    uint64_t generation() const { return m_generation; }

    // Begins a record of `kind`; exactly its fields follow.
    BlockBuilder& begin(LockstepSpoolKind kind);
    // A field that is a stamp of the spool's clock.
    BlockBuilder& stamp(int64_t time_ns);
    BlockBuilder& number(uint64_t value);
    BlockBuilder& signedNumber(int64_t value) { return number(uint64_t(value) << 1 ^ uint64_t(value >> 63)); }

    // Puts THREAD or DOMAIN before the next record where it is another than the last.
    void setThread(int64_t tid);
    void setDomain(uint32_t domain);

    size_t size_bytes() const { return m_records.size() + m_texts.size(); }
    uint32_t records() const { return m_count; }
    bool isEmpty() const { return m_count == 0; }
    int64_t first_ns() const { return m_first_ns; }
    int64_t last_ns() const { return m_latest_ns; }
    // The whole payload.
    void payload(std::string& out) const;

  private:
    std::string m_records;
    std::string m_texts;
    std::unordered_map<std::string, uint32_t> m_numbers;
    std::array<bool, LOCKSTEP_KIND_LIMIT> m_isUsed = {};
    uint64_t m_generation = 0;
    uint32_t m_count = 0;
    int64_t m_last_ns = 0; // stamps are differences to it
    int64_t m_first_ns = 0;
    int64_t m_latest_ns = 0;
    int64_t m_thread = -1;
    uint32_t m_domain = ~0u;
};

// How many fields a kind has in this version.
unsigned fieldCount(unsigned kind);

} // namespace lockstep::capture
