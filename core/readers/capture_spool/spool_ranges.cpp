// SPDX-License-Identifier: Apache-2.0
#include "core/readers/capture_spool/spool_ranges.h"

#include <bit>

namespace lockstep {

namespace {

constexpr uint64_t kCounterCategory = 2; // in domain "lockstep"
constexpr std::string_view kOwnDomain = "lockstep";
constexpr uint64_t kDouble = 3; // payload type

} // namespace

void SpoolRanges::beginBlock()
{
    m_tid = m_domain = 0;
    m_current = nullptr;
}

SpoolRanges::Stack& SpoolRanges::stackOf(uint64_t tid, uint64_t domain)
{
    Stack& stack = m_stacks[{tid, domain}];
    if (!stack.track.isValid()) {
        const ThreadId thread = m_reading.builder.thread(m_reading.process, static_cast<int64_t>(tid));
        stack.track = m_reading.builder.track(
            {TrackKind::nvtx, m_reading.process, thread, {}, static_cast<int64_t>(domain), 0});
    }
    if (tid == m_tid && domain == m_domain) m_current = &stack;
    return stack;
}

bool SpoolRanges::take(const SpoolRecord& record)
{
    const auto& field = record.fields;
    switch (record.kind) {
    case LOCKSTEP_KIND_THREAD:
        m_tid = field[0];
        m_current = nullptr;
        return true;
    case LOCKSTEP_KIND_DOMAIN:
        m_domain = field[0];
        m_current = nullptr;
        return true;
    case LOCKSTEP_KIND_PUSH:
    case LOCKSTEP_KIND_PUSH_EX:
        push(record);
        return true;
    case LOCKSTEP_KIND_POP:
        pop(static_cast<int64_t>(field[0]));
        return true;
    case LOCKSTEP_KIND_START:
        m_started[field[1]] = {static_cast<int64_t>(field[0]), m_reading.source(record),
                               m_reading.name(field[2]), field[4], current().track};
        current().last = m_reading.source(record);
        current().lastName = m_reading.name(field[2]);
        return true;
    case LOCKSTEP_KIND_END:
        end(record);
        return true;
    case LOCKSTEP_KIND_MARK:
        mark(record);
        return true;
    case LOCKSTEP_KIND_THREAD_NAME:
        m_threads[field[0]] = m_reading.name(field[1]);
        return true;
    case LOCKSTEP_KIND_DOMAIN_NAME:
        m_domains[field[0]] = m_reading.name(field[1]);
        return true;
    case LOCKSTEP_KIND_THREAD_END:
        endThread();
        return true;
    case LOCKSTEP_KIND_SCHEMA:
        m_collectives.addSchema(field[0], field[1], m_reading.records->text(field[2]));
        return true;
    case LOCKSTEP_KIND_PAYLOAD:
        payload(record);
        return true;
    case LOCKSTEP_KIND_CATEGORY_NAME:
    case LOCKSTEP_KIND_RESOURCE_NAME:
        return true; // looked up when a row is opened
    default:
        return false;
    }
}

void SpoolRanges::push(const SpoolRecord& record)
{
    const bool isPlain = record.kind == LOCKSTEP_KIND_PUSH;
    Stack& stack = current();
    stack.open.push_back({static_cast<int64_t>(record.fields[0]), m_reading.source(record),
                          m_reading.name(record.fields[1]), isPlain ? 0 : record.fields[3], stack.track});
    stack.last = stack.open.back().source;
    stack.lastName = stack.open.back().name;
}

void SpoolRanges::pop(int64_t end_ns)
{
    std::vector<OpenRange>& open = current().open;
    if (open.empty()) {
        m_reading.note("spool.pop_without_push", NoteSeverity::info,
                       "ranges that began before the capture did; their beginnings are not known");
        return;
    }
    close(open.back(), end_ns, RowKind::nvtxPushPop);
    open.pop_back();
}

void SpoolRanges::payload(const SpoolRecord& record)
{
    const Stack& stack = current();
    const std::string_view bytes = m_reading.records->text(record.fields[1]);
    m_collectives.addPayload(stack.last, stack.lastName, m_domain, record.fields[0], bytes);
}

void SpoolRanges::end(const SpoolRecord& record)
{
    const auto started = m_started.find(record.fields[1]);
    if (started == m_started.end()) {
        m_reading.note("spool.end_without_start", NoteSeverity::info,
                       "start/end ranges that began before the capture did; their beginnings are not known");
        return;
    }
    close(started->second, static_cast<int64_t>(record.fields[0]), RowKind::nvtxStartEnd);
    m_started.erase(started);
}

void SpoolRanges::close(const OpenRange& range, int64_t end_ns, RowKind kind, uint8_t flags)
{
    SliceRow row;
    row.start_ns = range.start_ns;
    row.duration_ns = end_ns - range.start_ns;
    row.source = range.source;
    row.name = range.name;
    row.kind = kind;
    row.category = SliceCategory::nvtx;
    row.flags = flags;
    if (!m_reading.add(range.track, row)) return;
    if ((range.color & 1) != 0)
        m_reading.batch.addColor(range.source, static_cast<uint32_t>(range.color >> 1) & 0xFFFFFF);
}

void SpoolRanges::mark(const SpoolRecord& record)
{
    const auto& field = record.fields;
    const auto time_ns = static_cast<int64_t>(field[0]);
    const StringId name = m_reading.name(field[1]);
    if (field[2] == kCounterCategory && field[4] == kDouble) {
        m_counted.push_back(
            {time_ns, m_reading.source(record), name, m_tid, m_domain, std::bit_cast<double>(field[5])});
        return;
    }
    close({time_ns, m_reading.source(record), name, field[3], current().track}, time_ns, RowKind::nvtxMark,
          sliceFlag::kInstant);
}

// Its number may be another's soon.
void SpoolRanges::endThread()
{
    for (auto at = m_stacks.lower_bound({m_tid, 0}); at != m_stacks.end() && at->first.first == m_tid; ++at) {
        for (const OpenRange& range : at->second.open)
            close(range, std::max(m_reading.last_ns, range.start_ns), RowKind::nvtxPushPop,
                  sliceFlag::kOpenEnd);
        at->second.open.clear();
    }
}

// "loss [nats]": a name, and its unit where one is in brackets at the end.
void SpoolRanges::addCounters()
{
    std::map<StringId, std::vector<std::pair<int64_t, double>>> samples;
    for (const Counted& value : m_counted) {
        const auto domain = m_domains.find(value.domain);
        if (domain != m_domains.end() && m_reading.builder.text(domain->second) == kOwnDomain) {
            samples[value.name].emplace_back(value.time_ns, value.value);
            m_reading.last_ns = std::max(m_reading.last_ns, value.time_ns);
        } else {
            close({value.time_ns, value.source, value.name, 0, stackOf(value.tid, value.domain).track},
                  value.time_ns, RowKind::nvtxMark, sliceFlag::kInstant);
        }
    }
    for (auto& [name, values] : samples) {
        const std::string text(m_reading.builder.text(name));
        const size_t unit = text.ends_with(']') ? text.rfind(" [") : std::string::npos;
        CounterTrack track;
        track.name = m_reading.builder.intern(text.substr(0, unit));
        if (unit != std::string::npos)
            track.unit = m_reading.builder.intern(text.substr(unit + 2, text.size() - unit - 3));
        track.process = m_reading.process;
        m_reading.builder.addSamples(m_reading.builder.addCounterTrack(track), std::move(values));
    }
}

void SpoolRanges::finish(int64_t end_ns)
{
    addCounters();
    m_collectives.finish();
    for (const auto& [key, stack] : m_stacks) {
        for (const OpenRange& range : stack.open)
            close(range, std::max(end_ns, range.start_ns), RowKind::nvtxPushPop, sliceFlag::kOpenEnd);
    }
    for (const auto& [id, range] : m_started)
        close(range, std::max(end_ns, range.start_ns), RowKind::nvtxStartEnd, sliceFlag::kOpenEnd);
    for (const auto& [key, stack] : m_stacks) {
        if (const auto name = m_domains.find(key.second); name != m_domains.end())
            m_reading.builder.setTrackName(stack.track, name->second);
    }
    for (Thread& thread : m_reading.builder.report().threads) {
        const auto name = m_threads.find(static_cast<uint64_t>(thread.tid));
        if (name != m_threads.end()) thread.name = name->second;
    }
}

} // namespace lockstep
