// SPDX-License-Identifier: Apache-2.0
#include "core/readers/capture_spool/spool_records.h"

#include <algorithm>

namespace lockstep {

namespace {

struct KindInfo {
    unsigned kind;
    std::string_view name;
    unsigned fields;
    bool hasTimestamp;
    std::string_view fieldNames; // names of the kind's fields, in order
};

constexpr KindInfo kKinds[] = {
    {LOCKSTEP_KIND_THREAD, "THREAD", 1, false, "thread"},
    {LOCKSTEP_KIND_DOMAIN, "DOMAIN", 1, false, "domain"},
    {LOCKSTEP_KIND_PUSH, "PUSH", 2, true, "start text"},
    {LOCKSTEP_KIND_POP, "POP", 1, true, "end"},
    {LOCKSTEP_KIND_PUSH_EX, "PUSH_EX", 6, true, "start text category color payload_type payload"},
    {LOCKSTEP_KIND_START, "START", 7, true, "start range text category color payload_type payload"},
    {LOCKSTEP_KIND_END, "END", 2, true, "end range"},
    {LOCKSTEP_KIND_MARK, "MARK", 6, true, "time text category color payload_type payload"},
    {LOCKSTEP_KIND_THREAD_NAME, "THREAD_NAME", 2, false, "thread text"},
    {LOCKSTEP_KIND_DOMAIN_NAME, "DOMAIN_NAME", 2, false, "domain text"},
    {LOCKSTEP_KIND_CATEGORY_NAME, "CATEGORY_NAME", 3, false, "domain category text"},
    {LOCKSTEP_KIND_RESOURCE_NAME, "RESOURCE_NAME", 5, false, "domain owner type resource text"},
    {LOCKSTEP_KIND_CLOCKS, "CLOCKS", 4, true, "raw realtime boottime uncertainty"},
    {LOCKSTEP_KIND_LOST, "LOST", 4, true, "first what count over"},
    {LOCKSTEP_KIND_OWN_WORK, "OWN_WORK", 3, true, "start duration text"},
    {LOCKSTEP_KIND_SCHEMA, "SCHEMA", 3, false, "domain schema text"},
    {LOCKSTEP_KIND_PAYLOAD, "PAYLOAD", 2, false, "schema text"},
    {LOCKSTEP_KIND_THREAD_END, "THREAD_END", 1, true, "time"},
    {LOCKSTEP_KIND_KERNEL, "KERNEL", 20, true,
     "start duration device context stream correlation text grid_x grid_y grid_z block_x block_y block_z registers "
     "static_shared dynamic_shared local_per_thread graph_node graph launch_type"},
    {LOCKSTEP_KIND_MEMCPY, "MEMCPY", 13, true,
     "start duration device context stream correlation copy_kind source_kind destination_kind bytes flags graph_node "
     "destination_device"},
    {LOCKSTEP_KIND_MEMSET, "MEMSET", 10, true,
     "start duration device context stream correlation bytes memory_kind value graph_node"},
    {LOCKSTEP_KIND_API, "API", 7, true, "start duration thread correlation class text result"},
    {LOCKSTEP_KIND_SYNC, "SYNC", 8, true, "start duration type context stream event correlation result"},
    {LOCKSTEP_KIND_OVERHEAD, "OVERHEAD", 4, true, "start duration overhead thread"},
    {LOCKSTEP_KIND_GRAPH, "GRAPH", 7, true, "start duration device context stream correlation graph"},
    {LOCKSTEP_KIND_MEMORY, "MEMORY", 10, true,
     "time operation memory_kind address bytes device context stream is_async text"},
    {LOCKSTEP_KIND_DEVICE, "DEVICE", 8, false,
     "device text uuid memory multiprocessors major minor clock_khz"},
    {LOCKSTEP_KIND_CONTEXT, "CONTEXT", 4, false, "context device api null_stream"},
    {LOCKSTEP_KIND_STREAM, "STREAM", 5, false, "context stream priority flag correlation"},
    {LOCKSTEP_KIND_CUDA_EVENT, "CUDA_EVENT", 5, true, "time context stream event correlation"},
    {LOCKSTEP_KIND_OTHER_ACTIVITY, "OTHER_ACTIVITY", 2, false, "kind count"},
};

const KindInfo* kindInfoOf(unsigned kind)
{
    const auto found = std::ranges::find(kKinds, kind, &KindInfo::kind);
    return found != std::end(kKinds) ? found : nullptr;
}

// Lookup by kind, for the inner loop.
constexpr auto kTimestamped = [] {
    std::array<bool, LOCKSTEP_KIND_LIMIT> timestamped = {};
    for (const KindInfo& kind : kKinds)
        timestamped[kind.kind] = kind.hasTimestamp;
    return timestamped;
}();

} // namespace

bool hasTimestamp(unsigned kind)
{
    return kind < kTimestamped.size() && kTimestamped[kind];
}

std::string_view spoolKindName(unsigned kind)
{
    const KindInfo* const info = kindInfoOf(kind);
    return info != nullptr ? info->name : std::string_view();
}

unsigned spoolFieldCount(unsigned kind)
{
    const KindInfo* const info = kindInfoOf(kind);
    return info != nullptr ? info->fields : 0;
}

std::string_view spoolFieldName(unsigned kind, size_t field)
{
    const KindInfo* const info = kindInfoOf(kind);
    std::string_view rest = info != nullptr ? info->fieldNames : std::string_view();
    for (; field > 0 && !rest.empty(); --field)
        rest.remove_prefix(std::min(rest.find(' '), rest.size() - 1) + 1);
    return rest.substr(0, rest.find(' '));
}

SpoolRecords::SpoolRecords(std::string_view payload) : m_rest(payload)
{
    uint64_t kinds = 0, texts = 0;
    if (!readNumber(kinds)) return;
    for (; kinds > 0; --kinds) {
        uint64_t kind = 0, count = 0;
        if (!readNumber(kind) || !readNumber(count)) return;
        if (kind == 0 || kind >= m_fieldCounts.size() || count > 255) {
            fail();
            return;
        }
        m_fieldCounts[kind] = static_cast<uint8_t>(count);
    }
    if (!readNumber(texts)) return;
    m_texts.reserve(std::min<uint64_t>(texts, m_rest.size()));
    for (; texts > 0; --texts) {
        uint64_t size = 0;
        if (!readNumber(size)) return;
        if (size > m_rest.size()) {
            fail();
            return;
        }
        m_texts.push_back(m_rest.substr(0, size));
        m_rest.remove_prefix(size);
    }
}

bool SpoolRecords::fail()
{
    m_isBroken = true;
    m_rest = {};
    return false;
}

bool SpoolRecords::readNumber(uint64_t& value)
{
    value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (m_rest.empty()) return fail();
        const auto byte = static_cast<unsigned char>(m_rest.front());
        m_rest.remove_prefix(1);
        value |= uint64_t(byte & 0x7F) << shift;
        if (byte < 0x80) return true;
    }
    return fail();
}

bool SpoolRecords::next(SpoolRecord& record)
{
    if (m_rest.empty()) return false;
    const auto kind = static_cast<unsigned char>(m_rest.front());
    m_rest.remove_prefix(1);
    if (kind >= m_fieldCounts.size() || m_fieldCounts[kind] == 0) return fail();
    record.kind = kind;
    record.number = m_count++;
    record.fields = {};
    for (size_t i = 0; i < m_fieldCounts[kind]; ++i) {
        uint64_t value = 0;
        if (!readNumber(value)) return false;
        if (i < record.fields.size()) record.fields[i] = value;
    }
    if (hasTimestamp(kind)) {
        // Wraps around instead of overflowing, because a hostile block must not terminate the program.
        m_last_ns = static_cast<int64_t>(static_cast<uint64_t>(m_last_ns) +
                                         static_cast<uint64_t>(signedField(record.fields[0])));
        record.fields[0] = static_cast<uint64_t>(m_last_ns);
    }
    return true;
}

std::string_view SpoolRecords::text(uint64_t number) const
{
    return number > 0 && number <= m_texts.size() ? m_texts[number - 1] : std::string_view();
}

} // namespace lockstep
