// SPDX-License-Identifier: Apache-2.0
#include "core/memory/segment_history.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "core/memory/allocator_rules.h"

namespace lockstep {

namespace {

// AddressRanges stores address ranges and merges adjacent ones.
class AddressRanges {
  public:
    void add(uint64_t begin, uint64_t end)
    {
        auto at = m_ranges.lower_bound(begin);
        if (at != m_ranges.begin() && std::prev(at)->second >= begin) --at;
        while (at != m_ranges.end() && at->first <= end) {
            begin = std::min(begin, at->first);
            end = std::max(end, at->second);
            at = m_ranges.erase(at);
        }
        m_ranges.emplace(begin, end);
    }
    bool overlaps(uint64_t begin, uint64_t end) const
    {
        const auto at = m_ranges.lower_bound(end);
        return at != m_ranges.begin() && std::prev(at)->second > begin;
    }

  private:
    std::map<uint64_t, uint64_t> m_ranges;
};

// Replays the reservations and releases of address ranges in one pass. m_reserved maps the start of each
// reserved range to its life. Invariant: reserved ranges do not overlap. If part of a range is released, its
// life ends and the remaining parts continue as new lives, which m_cuts connects with it. Memory that is
// released without a reservation, or is in the dump without one, counts as reserved before the recording,
// unless m_seen shows that the history reserved it earlier. O(n log n).
class SegmentWalk {
  public:
    SegmentWalk(const MemorySnapshot& snapshot, ImportNotes& notes) : m_snapshot(snapshot), m_notes(notes) {}

    void walk(std::span<const uint32_t> rows, ReplayWatch& watch)
    {
        for (size_t i = 0; i < rows.size(); ++i) {
            if (watch.advanceAndCheckStop()) return;
            m_row = rows[i];
            m_now = static_cast<MemoryMoment>(i + 1);
            step(m_snapshot.entries.action[m_row]);
        }
    }

    // Ranges in the dump that the history never reserved were reserved before the recording.
    void applyDump(int32_t device)
    {
        for (size_t segment = 0; segment < m_snapshot.segments.size(); ++segment) {
            if (m_snapshot.segments.device[segment] == device)
                applyDumpSegment(static_cast<uint32_t>(segment));
        }
        // Ranges cut from a segment belong to the dump's segment that is the remainder of this segment.
        for (auto cut = m_cuts.rbegin(); cut != m_cuts.rend(); ++cut) {
            uint32_t& whole = m_out.lives[cut->first].dumpSegment;
            if (whole == kNoSegment) whole = m_out.lives[cut->second].dumpSegment;
        }
        for (const auto& [address, life] : m_reserved) {
            if (m_out.lives[life].dumpSegment != kNoSegment) continue;
            m_notes.add("memory.segment_not_in_dump", NoteSeverity::warning,
                        "memory that the history reserves and never releases is not in the dump; it is shown "
                        "as reserved until the end of the history",
                        "address " + std::to_string(address));
        }
    }

    SegmentHistory finish()
    {
        std::vector<std::pair<MemoryMoment, uint64_t>> changes;
        changes.emplace_back(0, 0);
        for (const SegmentLife& life : m_out.lives) {
            changes.emplace_back(life.reserved, life.size_bytes);
            if (life.freed != kNeverFreed) changes.emplace_back(life.freed, uint64_t(0) - life.size_bytes);
        }
        std::ranges::sort(changes, {}, &std::pair<MemoryMoment, uint64_t>::first);
        uint64_t level = 0;
        for (const auto& [moment, change] : changes) {
            level += change;
            if (m_out.reserved_bytes.empty() || m_out.reserved_bytes.back().first != moment)
                m_out.reserved_bytes.emplace_back(moment, 0);
            m_out.reserved_bytes.back().second = static_cast<int64_t>(level);
        }
        return std::move(m_out);
    }

  private:
    static constexpr uint32_t kNoSegment = 0xFFFFFFFFu;
    using ReservedRanges = std::map<uint64_t, uint32_t>; // by address: life that is currently reserved

    void step(MemoryAction action)
    {
        const bool reserves = action == MemoryAction::segmentAlloc || action == MemoryAction::segmentMap;
        if (!reserves && action != MemoryAction::segmentFree && action != MemoryAction::segmentUnmap) return;
        const uint64_t address = m_snapshot.entries.address[m_row];
        const uint64_t size = m_snapshot.entries.size_bytes[m_row];
        if (!isPossible(address, size)) {
            note("memory.impossible_size", "impossible size or address; the entry was skipped");
        } else if (reserves) {
            reserve(address, size, action == MemoryAction::segmentMap);
        } else {
            release(address, address + size, action == MemoryAction::segmentUnmap);
        }
    }

    // Checks a size, and adds it to the sum of all sizes so that totals remain below kLargestTotal_bytes.
    bool isPossible(uint64_t address, uint64_t size)
    {
        if (size == 0 || size > kLargestSize_bytes || address + size < address) return false;
        if (size > kLargestTotal_bytes - m_total_bytes) return false;
        m_total_bytes += size;
        return true;
    }

    void reserve(uint64_t address, uint64_t size, bool isExpandable)
    {
        if (firstIn(address, address + size) != m_reserved.end()) {
            note("memory.segment_twice",
                 "reserved memory was reserved again; its previous segment is assumed to be released "
                 "at this entry");
            removeRange(address, address + size);
        }
        SegmentLife life;
        life.address = address;
        life.size_bytes = size;
        life.reserved = m_now;
        life.stack = m_snapshot.entries.stack[m_row];
        life.stream = m_snapshot.entries.stream[m_row];
        life.isExpandable = isExpandable;
        addReserved(life);
    }

    // Ends the reserved ranges in [begin, end). If part of it is unknown, that part was reserved before the
    // recording.
    void release(uint64_t begin, uint64_t end, bool isExpandable)
    {
        uint64_t at = begin;
        for (auto reserved = firstIn(begin, end); reserved != m_reserved.end() && reserved->first < end;
             ++reserved) {
            if (reserved->first > at) addPreexisting(at, reserved->first, isExpandable);
            at = std::max(at, m_out.lives[reserved->second].end());
        }
        if (at < end) addPreexisting(at, end, isExpandable);
        removeRange(begin, end);
    }

    void addPreexisting(uint64_t begin, uint64_t end, bool isExpandable)
    {
        if (m_seen.overlaps(begin, end)) {
            note("memory.segment_free_twice", "memory that was not reserved was released; the entry "
                                              "was skipped");
            return;
        }
        SegmentLife life;
        life.address = begin;
        life.size_bytes = end - begin;
        life.freed = m_now;
        life.stream = m_snapshot.entries.stream[m_row];
        life.isExpandable = isExpandable;
        m_out.lives.push_back(life);
        m_seen.add(begin, end);
    }

    // Removes [begin, end) from the reserved ranges.
    void removeRange(uint64_t begin, uint64_t end)
    {
        for (auto reserved = firstIn(begin, end); reserved != m_reserved.end() && reserved->first < end;) {
            const uint32_t row = reserved->second;
            reserved = m_reserved.erase(reserved);
            const SegmentLife whole = m_out.lives[row];
            m_out.lives[row].freed = m_now;
            if (whole.address < begin) continueLife(row, whole.address, begin);
            if (whole.end() > end) continueLife(row, end, whole.end());
        }
    }

    void continueLife(uint32_t whole, uint64_t begin, uint64_t end)
    {
        SegmentLife rest = m_out.lives[whole];
        rest.address = begin;
        rest.size_bytes = end - begin;
        rest.reserved = m_now;
        rest.freed = kNeverFreed;
        m_cuts.emplace_back(whole, static_cast<uint32_t>(m_out.lives.size()));
        addReserved(rest);
    }

    void addReserved(const SegmentLife& life)
    {
        m_reserved.emplace(life.address, static_cast<uint32_t>(m_out.lives.size()));
        m_out.lives.push_back(life);
        m_seen.add(life.address, life.end());
    }

    void applyDumpSegment(uint32_t segment)
    {
        const MemorySegmentTable& segments = m_snapshot.segments;
        const uint64_t begin = segments.address[segment], end = begin + segments.total_bytes[segment];
        if (!isPossible(begin, segments.total_bytes[segment])) {
            m_notes.add("memory.impossible_size", NoteSeverity::dataLoss,
                        "impossible size or address; the entry was skipped",
                        "segment " + std::to_string(segment));
            return;
        }
        if (m_inDump.overlaps(begin, end)) {
            m_notes.add("memory.segments_overlap", NoteSeverity::dataLoss,
                        "two segments in the dump overlap; the second was skipped",
                        "segment " + std::to_string(segment));
            return;
        }
        m_inDump.add(begin, end);
        uint64_t at = begin;
        std::vector<std::pair<uint64_t, uint64_t>> before;
        for (auto reserved = firstIn(begin, end); reserved != m_reserved.end() && reserved->first < end;
             ++reserved) {
            SegmentLife& life = m_out.lives[reserved->second];
            if (life.address > at) before.emplace_back(at, life.address);
            at = std::max(at, life.end());
            life.dumpSegment = segment;
        }
        if (at < end) before.emplace_back(at, end);
        for (const auto& [from, to] : before)
            addFromDump(segment, from, to);
    }

    // Adds a range in a dump segment that no entry reserved and that is still reserved.
    void addFromDump(uint32_t segment, uint64_t begin, uint64_t end)
    {
        if (m_seen.overlaps(begin, end)) {
            m_notes.add("memory.segment_after_history", NoteSeverity::warning,
                        "the dump has memory that the history released; it must have been reserved after the "
                        "last entry, so it was skipped",
                        "segment " + std::to_string(segment));
            return;
        }
        const MemorySegmentTable& segments = m_snapshot.segments;
        SegmentLife life;
        life.address = begin;
        life.size_bytes = end - begin;
        life.dumpSegment = segment;
        life.stack = segments.stack[segment];
        life.stream = segments.stream[segment];
        life.isExpandable = segments.isExpandable[segment] != 0;
        addReserved(life);
    }

    // Returns the first reserved range that overlaps [begin, end).
    ReservedRanges::iterator firstIn(uint64_t begin, uint64_t end)
    {
        auto reserved = m_reserved.lower_bound(begin);
        if (reserved != m_reserved.begin()) {
            const auto before = std::prev(reserved);
            if (m_out.lives[before->second].end() > begin) return before;
        }
        return reserved != m_reserved.end() && reserved->first < end ? reserved : m_reserved.end();
    }

    void note(std::string_view kind, std::string_view text)
    {
        m_notes.add(kind, NoteSeverity::warning, text, m_snapshot.rowText(m_row));
    }

    const MemorySnapshot& m_snapshot;
    ImportNotes& m_notes;
    SegmentHistory m_out;
    ReservedRanges m_reserved;
    std::vector<std::pair<uint32_t, uint32_t>> m_cuts; // (ended life, life that continues as part of it)
    AddressRanges m_seen;                              // ranges that were ever reserved
    AddressRanges m_inDump;                            // ranges of the dump segments processed so far
    uint64_t m_total_bytes = 0;
    uint32_t m_row = 0;
    MemoryMoment m_now = 0;
};

} // namespace

int64_t SegmentHistory::reservedAt(MemoryMoment moment) const
{
    const auto after =
        std::ranges::upper_bound(reserved_bytes, moment, {}, &std::pair<MemoryMoment, int64_t>::first);
    return after == reserved_bytes.begin() ? 0 : std::prev(after)->second;
}

size_t SegmentHistory::residentBytes() const
{
    return lives.capacity() * sizeof(SegmentLife) + reserved_bytes.capacity() * sizeof(reserved_bytes[0]);
}

ReservedSegments::ReservedSegments(const SegmentHistory& history) : m_lives(history.lives)
{
    m_byReserved.resize(m_lives.size());
    std::iota(m_byReserved.begin(), m_byReserved.end(), 0u);
    m_byFreed = m_byReserved;
    std::ranges::stable_sort(m_byReserved, {}, [&](uint32_t life) { return m_lives[life].reserved; });
    std::ranges::stable_sort(m_byFreed, {}, [&](uint32_t life) { return m_lives[life].freed; });
}

void ReservedSegments::goTo(MemoryMoment moment)
{
    while (m_freedCount < m_byFreed.size() && m_lives[m_byFreed[m_freedCount]].freed <= moment)
        m_reserved.erase(m_lives[m_byFreed[m_freedCount++]].address);
    while (m_reservedCount < m_byReserved.size() &&
           m_lives[m_byReserved[m_reservedCount]].reserved <= moment) {
        const SegmentLife& life = m_lives[m_byReserved[m_reservedCount]];
        if (life.freed > moment) m_reserved[life.address] = m_byReserved[m_reservedCount];
        ++m_reservedCount;
    }
}

std::optional<uint32_t> ReservedSegments::rowAt(uint64_t address) const
{
    const auto reserved = m_reserved.upper_bound(address);
    if (reserved == m_reserved.begin()) return std::nullopt;
    const uint32_t row = std::prev(reserved)->second;
    if (address >= m_lives[row].end()) return std::nullopt;
    return row;
}

const SegmentLife* ReservedSegments::at(uint64_t address) const
{
    const auto row = rowAt(address);
    return row ? &m_lives[*row] : nullptr;
}

namespace {

SegmentHistory historyFromTotals(const MemorySnapshot& snapshot, std::span<const uint32_t> rows)
{
    SegmentHistory out;
    const std::vector<int64_t>& totals = snapshot.entries.reserved_bytes;
    out.isFromTotals = true;
    out.reserved_bytes.emplace_back(0, 0);
    bool isFirst = true;
    for (size_t i = 0; i < rows.size() && !totals.empty(); ++i) {
        const int64_t level = std::min(totals[rows[i]], static_cast<int64_t>(kLargestTotal_bytes));
        if (level == kNotRecorded) continue;
        if (isFirst) out.reserved_bytes.front().second = level;
        isFirst = false;
        if (level != out.reserved_bytes.back().second)
            out.reserved_bytes.emplace_back(static_cast<MemoryMoment>(i + 1), level);
    }
    out.isKnown = out.reserved_bytes.size() > 1 || out.reserved_bytes.front().second > 0;
    return out;
}

} // namespace

SegmentHistory segmentHistory(const MemorySnapshot& snapshot, int32_t device, std::span<const uint32_t> rows,
                              ImportNotes& notes, ReplayWatch& watch)
{
    if (!snapshot.isOfAllocator()) return historyFromTotals(snapshot, rows);
    SegmentWalk walk(snapshot, notes);
    walk.walk(rows, watch);
    walk.applyDump(device);
    return walk.finish();
}

} // namespace lockstep
