// SPDX-License-Identifier: Apache-2.0
#include "core/readers/perfetto/trace_clocks.h"

#include <utility>

#include "core/readers/perfetto/proto_scan.h"

namespace lockstep {

namespace {

// Products and sums wrap around instead of overflowing, because the file may be hostile. Implausible
// timestamps are skipped later.
int64_t wrappedProduct(uint64_t a, int64_t b)
{
    return static_cast<int64_t>(a * static_cast<uint64_t>(b));
}

int64_t wrappedSum(int64_t a, int64_t b)
{
    return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

int64_t wrappedDifference(int64_t a, int64_t b)
{
    return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}

} // namespace

ClockKey TraceClocks::key(uint32_t sequence, uint64_t clock)
{
    const uint64_t number = clock & 0xFFFF'FFFF;
    const bool isScoped = number >= 64 && number < 128;
    return isScoped ? uint64_t(sequence) << 32 | number : number;
}

bool TraceClocks::addSnapshot(std::string_view message, uint32_t sequence)
{
    Times times;
    bool isWhole = true;
    ProtoScan scan(message);
    for (ProtoField field; scan.next(field);) {
        if (field.id == 2 && field.type == WireType::varint) m_traceClock = key(sequence, field.number);
        if (field.id != 1 || field.type != WireType::bytes) continue;
        uint64_t clock = 0, timestamp = 0;
        Unit unit;
        ProtoScan inner(field.bytes);
        for (ProtoField part; inner.next(part);) {
            if (part.id == 1) clock = part.number;
            if (part.id == 2) timestamp = part.number;
            if (part.id == 3) unit.isIncremental = part.number != 0;
            if (part.id == 4 && part.number != 0) unit.multiplier = part.asSigned();
        }
        isWhole &= !inner.isBroken();
        const ClockKey id = key(sequence, clock);
        unit.last_ns = wrappedProduct(timestamp, unit.multiplier);
        times[id] = unit.last_ns;
        m_units[id] = unit;
    }
    m_snapshots.push_back(std::move(times));
    return isWhole && !scan.isBroken();
}

int64_t TraceClocks::absolute(ClockKey clock, uint64_t timestamp)
{
    const auto found = m_units.find(clock);
    if (found == m_units.end()) return static_cast<int64_t>(timestamp);
    Unit& unit = found->second;
    const int64_t scaled_ns = wrappedProduct(timestamp, unit.multiplier);
    if (!unit.isIncremental) return scaled_ns;
    unit.last_ns = wrappedSum(unit.last_ns, scaled_ns);
    return unit.last_ns;
}

std::optional<int64_t> TraceClocks::toTrace(ClockKey clock, int64_t time_ns) const
{
    if (clock == m_traceClock) return time_ns;
    std::optional<int64_t> offset_ns;
    for (const Times& times : m_snapshots) {
        const auto own = times.find(clock), trace = times.find(m_traceClock);
        if (own == times.end() || trace == times.end()) continue;
        if (offset_ns && own->second > time_ns) break;
        offset_ns = wrappedDifference(trace->second, own->second);
    }
    if (!offset_ns) return std::nullopt;
    return wrappedSum(time_ns, *offset_ns);
}

std::optional<int64_t> TraceClocks::utcAtZero_ns() const
{
    for (const Times& times : m_snapshots) {
        const auto utc = times.find(perfettoClock::kRealtime), trace = times.find(m_traceClock);
        if (utc != times.end() && trace != times.end()) return wrappedDifference(utc->second, trace->second);
    }
    return std::nullopt;
}

} // namespace lockstep
