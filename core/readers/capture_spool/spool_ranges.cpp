// SPDX-License-Identifier: Apache-2.0
#include "core/readers/capture_spool/spool_ranges.h"

#include <bit>

namespace lockstep {

namespace {

constexpr uint64_t kCounterCategory = 2; // category of counters in domain "lockstep"
constexpr std::string_view kOwnDomain = "lockstep";
constexpr uint64_t kDouble = 3; // payload type of doubles

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
        start(record);
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
        endThread(static_cast<int64_t>(field[0]));
        return true;
    case LOCKSTEP_KIND_SCHEMA:
        m_collectives.addSchema(field[0], field[1], m_reading.records->text(field[2]));
        return true;
    case LOCKSTEP_KIND_PAYLOAD:
        payload(record);
        return true;
    case LOCKSTEP_KIND_CATEGORY_NAME:
    case LOCKSTEP_KIND_RESOURCE_NAME:
        return true; // schemas are resolved only when a slice is selected
    default:
        return false;
    }
}

void SpoolRanges::start(const SpoolRecord& record)
{
    const auto& field = record.fields;
    Stack& stack = current();
    stack.last = m_reading.source(record);
    stack.lastName = m_reading.name(field[2]);
    OpenRange range{
        static_cast<int64_t>(field[0]), stack.last, stack.lastName, field[4], stack.track, {m_tid, m_domain}};
    if (m_isPart) stack.startedRows.insert(range.row = stack.freeRow());
    stack.lastNumber = field[1];
    range.allGaps = m_allGaps.size();
    if (const auto own = m_threadGaps.find(m_tid); own != m_threadGaps.end())
        range.threadGaps = own->second.size();
    m_started[field[1]] = range;
}

void SpoolRanges::push(const SpoolRecord& record)
{
    const bool isPlain = record.kind == LOCKSTEP_KIND_PUSH;
    Stack& stack = current();
    touch(m_tid, stack);
    const uint16_t row = m_isPart ? stack.freeRow() : kAnyRow;
    stack.open.push_back({static_cast<int64_t>(record.fields[0]),
                          m_reading.source(record),
                          m_reading.name(record.fields[1]),
                          isPlain ? 0 : record.fields[3],
                          stack.track,
                          {m_tid, m_domain},
                          row});
    stack.last = stack.open.back().source;
    stack.lastName = stack.open.back().name;
    stack.lastNumber = 0;
}

void SpoolRanges::pop(int64_t end_ns)
{
    std::vector<OpenRange>& open = current().open;
    if (open.empty()) {
        m_reading.note("spool.pop_without_push", NoteSeverity::info,
                       "pops without a push: the range began before the capture, or the push was lost");
        return;
    }
    close(open.back(), end_ns, RowKind::nvtxPushPop);
    open.pop_back();
}

void SpoolRanges::payload(const SpoolRecord& record)
{
    const Stack& stack = current();
    const std::string_view bytes = m_reading.records->text(record.fields[1]);
    const auto started = m_started.find(stack.lastNumber);
    if (record.fields[0] == LOCKSTEP_SCHEMA_COLLECTIVE && started != m_started.end() &&
        bytes.size() >= sizeof(LockstepSpoolCollective))
        started->second.isCollective = true;
    m_collectives.addPayload(stack.last, stack.lastName, m_domain, record.fields[0], bytes);
}

void SpoolRanges::end(const SpoolRecord& record)
{
    const auto started = m_started.find(record.fields[1]);
    if (started == m_started.end()) {
        m_reading.note("spool.end_without_start", NoteSeverity::info,
                       "ends without a start: the range began before the capture, or the start was lost");
        return;
    }
    close(started->second, static_cast<int64_t>(record.fields[0]), RowKind::nvtxStartEnd);
    if (m_isPart) {
        auto& rows = m_stacks[started->second.home].startedRows;
        if (const auto row = rows.find(started->second.row); row != rows.end()) rows.erase(row);
    }
    m_started.erase(started);
}

void SpoolRanges::close(const OpenRange& range, int64_t end_ns, RowKind kind, uint8_t flags)
{
    SliceRow row;
    row.start_ns = range.start_ns;
    // A duration that overflows is as impossible as a negative one.
    if (__builtin_sub_overflow(end_ns, range.start_ns, &row.duration_ns)) row.duration_ns = -1;
    row.source = range.source;
    row.name = range.name;
    row.kind = kind;
    row.category = range.isCollective ? SliceCategory::communication : SliceCategory::nvtx;
    row.flags = flags;
    row.row = range.row;
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
    const uint16_t row = m_isPart ? current().freeRow() : kAnyRow;
    close({time_ns, m_reading.source(record), name, field[3], current().track, {m_tid, m_domain}, row},
          time_ns, RowKind::nvtxMark, sliceFlag::kInstant);
}

// A corrupt file may contain a million gaps and a million stacks. Therefore, each gap costs only the ranges
// that were opened since the last gap.
void SpoolRanges::touch(uint64_t tid, Stack& stack)
{
    if (!std::exchange(stack.isTouched, true)) m_touched[tid].push_back(&stack);
}

void SpoolRanges::cutTouched(std::vector<Stack*>& stacks, int64_t at_ns)
{
    for (Stack* const stack : stacks) {
        cutStack(*stack, at_ns);
        stack->isTouched = false;
    }
    stacks.clear();
}

// Closes the open ranges of a thread that has exited. The thread ID may be reused by another thread.
void SpoolRanges::endThread(int64_t end_ns)
{
    if (const auto touched = m_touched.find(m_tid); touched != m_touched.end())
        cutTouched(touched->second, end_ns);
}

void SpoolRanges::cutStack(Stack& stack, int64_t at_ns)
{
    for (const OpenRange& range : stack.open)
        close(range, std::max(at_ns, range.start_ns), RowKind::nvtxPushPop, sliceFlag::kOpenEnd);
    stack.open.clear();
}

// An end event identifies its start, so start/end ranges stay open across a gap. Ranges without an end event
// are cut at the first gap after their start.
std::optional<int64_t> SpoolRanges::cutOf(const OpenRange& range) const
{
    std::optional<int64_t> cut_ns = range.cut_ns;
    const auto add = [&](const std::vector<int64_t>& gaps, size_t before) {
        if (gaps.size() > before) cut_ns = std::min(cut_ns.value_or(gaps[before]), gaps[before]);
    };
    add(m_allGaps, range.allGaps);
    if (const auto own = m_threadGaps.find(range.home.first); own != m_threadGaps.end())
        add(own->second, range.threadGaps);
    return cut_ns;
}

void SpoolRanges::cutThread(int64_t at_ns)
{
    endThread(at_ns);
    m_threadGaps[m_tid].push_back(at_ns);
}

// Adds counters. Their names are like "loss [nats]": a name, optionally followed by a unit in brackets.
void SpoolRanges::addCounters()
{
    std::map<StringId, std::vector<std::pair<int64_t, double>>> samples;
    for (const Counted& value : m_counted) {
        const auto domain = m_domains.find(value.domain);
        if (domain != m_domains.end() && m_reading.builder.text(domain->second) == kOwnDomain) {
            samples[value.name].emplace_back(value.time_ns, value.value);
            m_reading.last_ns = std::max(m_reading.last_ns, value.time_ns);
        } else {
            const Stack& stack = stackOf(value.tid, value.domain);
            const uint16_t row = m_isPart ? stack.freeRow() : kAnyRow;
            close({value.time_ns, value.source, value.name, 0, stack.track, {value.tid, value.domain}, row},
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
    closeAll(end_ns);
    applyNames();
}

void SpoolRanges::closeAll(int64_t end_ns)
{
    for (auto& [key, stack] : m_stacks) {
        cutStack(stack, end_ns);
        stack.startedRows.clear();
    }
    for (const auto& [id, range] : m_started)
        close(range, std::max(cutOf(range).value_or(end_ns), range.start_ns), RowKind::nvtxStartEnd,
              sliceFlag::kOpenEnd);
    m_started.clear();
}

void SpoolRanges::cutAll(int64_t at_ns)
{
    for (auto& [thread, stacks] : m_touched)
        cutTouched(stacks, at_ns);
    m_touched.clear();
    m_allGaps.push_back(at_ns);
}

void SpoolRanges::begin(const SpoolCarry& before)
{
    m_isPart = true;
    const auto interned = [this](const std::string& text) { return m_reading.builder.intern(text); };
    for (const auto& [domain, name] : before.domains)
        m_domains[domain] = interned(name);
    for (const auto& [thread, name] : before.threads)
        m_threads[thread] = interned(name);
    for (const SpoolCarry::Open& open : before.open) {
        Stack& stack = stackOf(open.thread, open.domain);
        const OpenRange range{open.start_ns, open.source,       interned(open.name),
                              open.color,    stack.track,       {open.thread, open.domain},
                              open.row,      open.isCollective, open.cut_ns};
        if (open.number) {
            m_started[*open.number] = range;
            stack.startedRows.insert(range.row);
        } else {
            stack.open.push_back(range);
            touch(open.thread, stack);
        }
    }
    for (const SpoolCarry::Last& last : before.last) {
        Stack& stack = stackOf(last.thread, last.domain);
        stack.last = last.source;
        stack.lastName = interned(last.name);
        stack.lastNumber = last.number;
    }
    m_collectives.begin(before);
}

void SpoolRanges::finishPart(SpoolCarry& after)
{
    addCounters();
    const auto text = [this](StringId id) { return std::string(m_reading.builder.text(id)); };
    after.open.clear();
    const auto carry = [&](const OpenRange& range, std::optional<uint64_t> number) {
        after.open.push_back({range.home.first, range.home.second, number, range.start_ns, range.source,
                              text(range.name), range.color, range.row, range.isCollective, cutOf(range)});
    };
    after.last.clear();
    for (const auto& [key, stack] : m_stacks) {
        for (const OpenRange& range : stack.open)
            carry(range, {});
        const bool isOpen = m_started.contains(stack.lastNumber) ||
                            (!stack.open.empty() && stack.open.back().source == stack.last);
        if (isOpen)
            after.last.push_back({key.first, key.second, stack.lastNumber, stack.last, text(stack.lastName)});
    }
    const std::map<uint64_t, OpenRange> started(m_started.begin(),
                                                m_started.end()); // sorted, so that the order is fixed
    for (const auto& [number, range] : started)
        carry(range, number);
    for (const auto& [domain, name] : m_domains)
        after.domains[domain] = text(name);
    for (const auto& [thread, name] : m_threads)
        after.threads[thread] = text(name);
    m_collectives.finish(&after);
    applyNames();
}

void SpoolRanges::applyNames()
{
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
