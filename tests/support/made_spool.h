// SPDX-License-Identifier: Apache-2.0
// MadeSpool is a capture file (capture/format/FORMAT.md) built block by block, so that a test can control its
// growth.
#pragma once

#include <cstddef>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/base/json_fields.h"
#include "core/readers/capture_spool/spool_records.h"

namespace lockstep::test {

class MadeSpool {
  public:
    static constexpr int64_t kRealtime_ns = 1'700'000'000'000'000'000;

    // session: distinguishes capture files. The clock is at `begin_ns`.
    explicit MadeSpool(uint8_t session = 1, int64_t begin_ns = 1'000'000'000,
                       uint16_t minor = LOCKSTEP_SPOOL_MINOR)
    {
        LockstepSpoolHeader header = {};
        std::memcpy(header.magic, LOCKSTEP_SPOOL_MAGIC, 8);
        header.major = LOCKSTEP_SPOOL_MAJOR;
        header.minor = minor;
        header.header_bytes = sizeof header;
        header.session[0] = session;
        header.realtime_ns = kRealtime_ns + begin_ns;
        header.monotonicRaw_ns = begin_ns;
        header.checksum = XXH3_64bits(&header, offsetof(LockstepSpoolHeader, checksum));
        m_bytes.assign(reinterpret_cast<const char*>(&header), sizeof header);
    }

    const std::string& bytes() const { return m_bytes; }
    uint64_t blocks() const { return m_sequence; }
    // Omits a block with this number: the number is used up.
    void leaveOut() { ++m_sequence; }

    // bootId: of the machine; "" if it is not recorded
    MadeSpool& meta(int rank = 0, int64_t pid = 4711, const std::string& session = "s",
                    const std::string& bootId = {})
    {
        Json meta{{"program", "lockstep"},
                  {"version", "0"},
                  {"session", session},
                  {"run", "run-1"},
                  {"host", "node0"},
                  {"pid", pid},
                  {"rank", rank},
                  {"role", "actor"},
                  {"process_name", "train"},
                  {"settings", {{"range", "all"}}}};
        if (!bootId.empty()) meta["boot_id"] = bootId;
        return block(LOCKSTEP_BLOCK_META, jsonLine(meta), 0, 0, 0);
    }

    // Records of the block that end() closes; timestamps are absolute.
    MadeSpool& record(unsigned kind, std::vector<uint64_t> fields)
    {
        fields.resize(spoolFieldCount(kind));
        m_kinds[kind] = fields.size();
        m_rows += static_cast<char>(kind);
        for (size_t i = 0; i < fields.size(); ++i) {
            if (i > 0 || !hasTimestamp(kind)) {
                addNumber(m_rows, fields[i]);
                continue;
            }
            const auto at = static_cast<int64_t>(fields[0]);
            const int64_t step = at - m_last_ns;
            addNumber(m_rows, (static_cast<uint64_t>(step) << 1) ^ static_cast<uint64_t>(step >> 63));
            m_last_ns = at;
            m_first_ns = m_first_ns == 0 ? at : std::min(m_first_ns, at);
            m_latest_ns = std::max(m_latest_ns, at);
        }
        ++m_count;
        return *this;
    }
    uint64_t text(std::string_view text)
    {
        m_texts.emplace_back(text);
        return m_texts.size();
    }
    MadeSpool& thread(uint64_t tid) { return record(LOCKSTEP_KIND_THREAD, {tid}); }
    MadeSpool& push(int64_t at_ns, std::string_view name)
    {
        const uint64_t number = text(name);
        return record(LOCKSTEP_KIND_PUSH, {static_cast<uint64_t>(at_ns), number});
    }
    MadeSpool& pop(int64_t at_ns) { return record(LOCKSTEP_KIND_POP, {static_cast<uint64_t>(at_ns)}); }
    MadeSpool& start(int64_t at_ns, uint64_t id, std::string_view name)
    {
        const uint64_t number = text(name);
        return record(LOCKSTEP_KIND_START, {static_cast<uint64_t>(at_ns), id, number});
    }
    MadeSpool& end(int64_t at_ns, uint64_t id)
    {
        return record(LOCKSTEP_KIND_END, {static_cast<uint64_t>(at_ns), id});
    }
    // Reports `count` missing records here, from first_ns on for over_ns.
    MadeSpool& lost(LockstepSpoolLoss what, int64_t first_ns, uint64_t count, uint64_t over_ns = 0)
    {
        return record(LOCKSTEP_KIND_LOST, {static_cast<uint64_t>(first_ns), uint64_t(what), count, over_ns});
    }
    MadeSpool& closeBlock()
    {
        std::string payload;
        addNumber(payload, m_kinds.size());
        for (const auto& [kind, fields] : m_kinds) {
            addNumber(payload, kind);
            addNumber(payload, fields);
        }
        addNumber(payload, m_texts.size());
        for (const std::string& text : m_texts) {
            addNumber(payload, text.size());
            payload += text;
        }
        payload += m_rows;
        block(LOCKSTEP_BLOCK_RECORDS, payload, m_first_ns, m_latest_ns, m_count);
        m_kinds.clear();
        m_texts.clear();
        m_rows.clear();
        m_last_ns = m_first_ns = m_latest_ns = 0;
        m_count = 0;
        return *this;
    }
    // Adds a block of `pairs` pushes and pops of thread 1, a millisecond each, from at_ns on; padded by a
    // long name.
    MadeSpool& pairs(int64_t at_ns, int pairs, size_t padding_bytes = 0)
    {
        thread(1);
        for (int i = 0; i < pairs; ++i)
            push(at_ns + i * 1'000'000, "pair " + std::string(padding_bytes, 'x'))
                .pop(at_ns + i * 1'000'000 + 500'000);
        return closeBlock();
    }

    // flags: LOCKSTEP_BLOCK_IS_ZSTD claims that the payload is packed.
    MadeSpool& block(uint16_t type, std::string_view payload, int64_t first_ns, int64_t last_ns,
                     uint32_t records, uint16_t flags = 0)
    {
        LockstepSpoolBlock head = {};
        head.magic = LOCKSTEP_SPOOL_BLOCK_MAGIC;
        head.type = type;
        head.flags = flags;
        head.sequence = m_sequence++;
        head.stored_bytes = head.raw_bytes = static_cast<uint32_t>(payload.size());
        head.first_ns = first_ns;
        head.last_ns = last_ns;
        head.records = records;
        const uint64_t ofHead = XXH3_64bits(&head, offsetof(LockstepSpoolBlock, checksum));
        head.checksum = XXH3_64bits_withSeed(payload.data(), payload.size(), ofHead);
        m_blockAt = m_bytes.size();
        m_bytes.append(reinterpret_cast<const char*>(&head), sizeof head);
        m_bytes += payload;
        return *this;
    }
    // Returns the offset of the last block.
    size_t blockAt() const { return m_blockAt; }
    // Makes the last block the first that names this training step.
    MadeSpool& inStep(uint32_t step)
    {
        LockstepSpoolBlock head = {};
        std::memcpy(&head, m_bytes.data() + m_blockAt, sizeof head);
        head.step = step + 1;
        const std::string payload = m_bytes.substr(m_blockAt + sizeof head);
        const uint64_t ofHead = XXH3_64bits(&head, offsetof(LockstepSpoolBlock, checksum));
        head.checksum = XXH3_64bits_withSeed(payload.data(), payload.size(), ofHead);
        std::memcpy(m_bytes.data() + m_blockAt, &head, sizeof head);
        return *this;
    }
    // Closes the file properly, with an empty index.
    MadeSpool& finish()
    {
        const uint64_t at = m_bytes.size();
        block(LOCKSTEP_BLOCK_INDEX, "", 0, 0, 0);
        LockstepSpoolEnd end = {at, {}};
        std::memcpy(end.magic, LOCKSTEP_SPOOL_END_MAGIC, 8);
        m_bytes.append(reinterpret_cast<const char*>(&end), sizeof end);
        return *this;
    }

  private:
    static void addNumber(std::string& to, uint64_t value)
    {
        for (; value >= 0x80; value >>= 7)
            to += static_cast<char>(value | 0x80);
        to += static_cast<char>(value);
    }

    std::string m_bytes;
    size_t m_blockAt = 0;
    uint64_t m_sequence = 0;
    std::map<unsigned, size_t> m_kinds;
    std::vector<std::string> m_texts;
    std::string m_rows;
    int64_t m_last_ns = 0, m_first_ns = 0, m_latest_ns = 0;
    uint32_t m_count = 0;
};

} // namespace lockstep::test
