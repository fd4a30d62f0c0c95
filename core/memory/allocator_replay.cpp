// SPDX-License-Identifier: Apache-2.0
#include "core/memory/allocator_replay.h"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "core/memory/allocator_rules.h"
#include "core/memory/block_pairing.h"
#include "core/memory/segment_history.h"

namespace lockstep {

namespace {

// findBlockSizes() computes the allocated size of each block, which the history does not record. This is the
// second half of a replay. It replays blocks and segments in address order and applies the allocator's
// splitting rules to free blocks.

constexpr uint32_t kNoLife = 0xFFFFFFFFu;

class SizeWalk {
  public:
    SizeWalk(const AllocatorRules& rules, const SegmentHistory& segments, PairedBlocks& paired,
             ImportNotes& notes)
        : m_rules(rules), m_segments(segments), m_paired(paired), m_blocks(paired.blocks), m_notes(notes)
    {
    }

    void walk(ReplayWatch& watch)
    {
        placePreexisting();
        size_t implied = 0;
        for (size_t i = 0; i < m_paired.lifeOf.size(); ++i) {
            if (watch.advanceAndCheckStop()) return;
            m_now = static_cast<MemoryMoment>(i + 1);
            m_segments.goTo(m_now);
            for (; implied < m_paired.impliedFrees.size() && m_paired.impliedFrees[implied].first == m_now;
                 ++implied) {
                removeBlock(m_paired.impliedFrees[implied].second);
            }
            const uint32_t life = m_paired.lifeOf[i];
            if (life == kNoLife) continue;
            if (m_blocks.allocated[life] == m_now) {
                place(life);
            } else if (m_blocks.freed[life] == m_now) {
                removeBlock(life);
            }
        }
    }

    const std::vector<uint32_t>& late() const { return m_late; }

  private:
    uint64_t endOf(uint32_t life) const { return m_blocks.address[life] + m_blocks.size_bytes[life]; }

    void placePreexisting()
    {
        m_segments.goTo(0);
        for (uint32_t life = 0; life < m_blocks.size() && m_blocks.isPreexisting(life); ++life)
            m_live.emplace_hint(m_live.end(), m_blocks.address[life], life);
        uint64_t end = 0;
        for (const auto& [address, life] : m_live) {
            if (address < end) noteOverlap(life);
            findSizeBefore(life);
            end = std::max(end, endOf(life));
        }
    }

    void removeBlock(uint32_t life)
    {
        const auto at = m_live.find(m_blocks.address[life]);
        if (at != m_live.end() && at->second == life) m_live.erase(at);
    }

    // Returns the number of free bytes starting at the block's address as if the block did not exist; 0 if
    // the address is not in a known segment.
    uint64_t roomFor(uint32_t life, const SegmentLife* segment) const
    {
        if (segment == nullptr) return 0;
        const uint64_t address = m_blocks.address[life];
        const auto next = m_live.upper_bound(address);
        const uint64_t end = next == m_live.end() ? segment->end() : std::min(segment->end(), next->first);
        return end - address;
    }

    void findSizeBefore(uint32_t life)
    {
        if (m_blocks.size_bytes[life] > 0) return; // size known from the dump
        const uint64_t rounded = m_rules.rounded(m_blocks.requested_bytes[life]);
        m_blocks.size_bytes[life] = rounded;
        const SegmentLife* const segment = m_segments.at(m_blocks.address[life]);
        if (m_rules.recordsAllocatedSizes || m_rules.isSmall(rounded) ||
            (segment != nullptr && segment->isExpandable))
            return;
        const uint64_t room = roomFor(life, segment);
        if (room >= rounded && (room - rounded <= kLargestSmall_bytes || rounded >= m_rules.maxSplit_bytes)) {
            m_blocks.size_bytes[life] = m_rules.allocatedSize(rounded, room);
        } else {
            m_blocks.flags[life] |= blockFlag::kSizeGuessed;
        }
    }

    void place(uint32_t life)
    {
        const uint64_t address = m_blocks.address[life];
        const uint64_t rounded = m_rules.rounded(m_blocks.requested_bytes[life]);
        clear(life, address, std::max(rounded, m_blocks.size_bytes[life]));
        setGuessedEnd(address);
        if (m_blocks.size_bytes[life] == 0) {
            const SegmentLife* const segment = m_segments.at(address);
            const bool isCut = m_rules.recordsAllocatedSizes || m_rules.isSmall(rounded) ||
                               (segment != nullptr && segment->isExpandable);
            if (!isCut && segment == nullptr) m_blocks.flags[life] |= blockFlag::kSizeGuessed;
            m_blocks.size_bytes[life] =
                isCut ? rounded : m_rules.allocatedSize(rounded, roomFor(life, segment));
        }
        m_live.emplace(address, life);
    }

    // A block with a guessed size whose end is up to 1 MiB before this address ends exactly here.
    void setGuessedEnd(uint64_t address)
    {
        const auto at = m_live.lower_bound(address);
        if (at == m_live.begin()) return;
        const uint32_t before = std::prev(at)->second;
        if ((m_blocks.flags[before] & blockFlag::kSizeGuessed) == 0 || endOf(before) > address ||
            address - endOf(before) > kLargestSmall_bytes) {
            return;
        }
        const SegmentLife* const segment = m_segments.at(m_blocks.address[before]);
        if (segment == nullptr || address >= segment->end()) return;
        m_blocks.size_bytes[before] = address - m_blocks.address[before];
        m_blocks.flags[before] &= static_cast<uint8_t>(~blockFlag::kSizeGuessed);
    }

    // Handles blocks in [address, address + size). A block that is known only from the dump is newer than the
    // history and is removed. If the other block is also from the history, the file contradicts itself, and
    // both blocks remain.
    void clear(uint32_t life, uint64_t address, uint64_t size)
    {
        auto at = m_live.lower_bound(address);
        if (at != m_live.begin() && endOf(std::prev(at)->second) > address) --at;
        bool isNoted = false;
        while (at != m_live.end() && at->first - std::min(address, at->first) < size) {
            const uint32_t other = at->second;
            const bool onlyInDump =
                m_blocks.isPreexisting(other) && m_blocks.isNeverFreed(other) &&
                (m_blocks.freeRequested[other] == 0 || m_blocks.freeRequested[other] == kNeverFreed);
            if (onlyInDump) {
                m_late.push_back(other);
                at = m_live.erase(at);
                continue;
            }
            if (!isNoted) noteOverlap(life);
            isNoted = true;
            break; // one contradiction is enough
        }
    }

    void noteOverlap(uint32_t life)
    {
        m_notes.add("memory.blocks_overlap", NoteSeverity::warning,
                    "a block was allocated in memory that another block occupies; both are shown",
                    "address " + std::to_string(m_blocks.address[life]));
    }

    const AllocatorRules& m_rules;
    ReservedSegments m_segments;
    PairedBlocks& m_paired;
    BlockLifeTable& m_blocks;
    ImportNotes& m_notes;
    std::map<uint64_t, uint32_t> m_live; // address -> life
    std::vector<uint32_t> m_late;
    MemoryMoment m_now = 0;
};

template<class Column>
void dropRows(Column& column, const std::vector<uint32_t>& placeOf)
{
    size_t kept = 0;
    for (size_t row = 0; row < column.size(); ++row) {
        if (placeOf[row] != kNoLife) column[kept++] = column[row];
    }
    column.resize(kept);
}

// Removes rows that no entry refers to.
void removeBlocks(PairedBlocks& paired, const std::vector<uint32_t>& late)
{
    std::vector<uint32_t> placeOf(paired.blocks.size(), 0);
    for (const uint32_t life : late)
        placeOf[life] = kNoLife;
    uint32_t place = 0;
    for (uint32_t& row : placeOf) {
        if (row != kNoLife) row = place++;
    }
    BlockLifeTable& b = paired.blocks;
    dropRows(b.address, placeOf);
    dropRows(b.requested_bytes, placeOf);
    dropRows(b.size_bytes, placeOf);
    dropRows(b.allocated, placeOf);
    dropRows(b.freeRequested, placeOf);
    dropRows(b.freed, placeOf);
    dropRows(b.stack, placeOf);
    dropRows(b.dumpBlock, placeOf);
    dropRows(b.flags, placeOf);
    for (uint32_t& life : paired.lifeOf) {
        if (life != kNoLife) life = placeOf[life];
    }
    for (auto& [moment, life] : paired.impliedFrees)
        life = placeOf[life];
    std::erase_if(paired.annotations, [&](const auto& text) { return placeOf[text.first] == kNoLife; });
    for (auto& [life, text] : paired.annotations)
        life = placeOf[life];
}

// Fills blocks.size_bytes; blocks in the dump keep their sizes. Blocks in the small pool and in expandable
// segments have exactly the rounded size. In other segments every piece, used or free, is larger than 1 MiB.
// A smaller gap after a block therefore belongs to the block. A block from before the recording that is
// followed by a larger gap may own up to 1 MiB of the gap (kSizeGuessed), unless a later neighbor shows where
// the block ends. A block in the dump that overlaps memory allocated to other blocks in the history must have
// been allocated after the history; it is removed and counted in the notes. O(n log live).
void findBlockSizes(const AllocatorRules& rules, const SegmentHistory& segments, PairedBlocks& paired,
                    ImportNotes& notes, ReplayWatch& watch)
{
    SizeWalk walk(rules, segments, paired, notes);
    walk.walk(watch);
    if (walk.late().empty()) return;
    notes.add("memory.later_than_history", NoteSeverity::warning,
              "a block in the dump overlaps memory that the history allocates to other blocks; it must have "
              "been allocated after the last entry (the file is truncated, or old entries were dropped), so "
              "it was skipped",
              "address " + std::to_string(paired.blocks.address[walk.late().front()]), walk.late().size());
    removeBlocks(paired, walk.late());
}

constexpr size_t kMaxEntries = 0x7FFFFFFFu;

} // namespace

// DeviceReplayer creates the replay for one device.
class DeviceReplayer {
  public:
    DeviceReplayer(const MemorySnapshot& snapshot, const AllocatorRules& rules, ImportNotes& notes)
        : m_snapshot(snapshot), m_rules(rules), m_notes(notes)
    {
    }

    Result<DeviceReplay> replay(int32_t device, std::vector<uint32_t> rows, ReplayWatch& watch)
    {
        m_out.device = device;
        m_out.rows = std::move(rows);
        m_out.segments = segmentHistory(m_snapshot, device, m_out.rows, m_notes, watch);
        LOCKSTEP_TRY(watch.status());
        PairedBlocks paired = pairBlocks(m_snapshot, device, m_out.rows, m_notes, watch);
        LOCKSTEP_TRY(watch.status());
        findBlockSizes(m_rules, m_out.segments, paired, m_notes, watch);
        LOCKSTEP_TRY(watch.status());
        m_out.blocks = std::move(paired.blocks);
        m_out.lifeOf = std::move(paired.lifeOf);
        m_out.impliedFrees = std::move(paired.impliedFrees);
        m_out.annotations = std::move(paired.annotations);
        m_out.findLastFrees();
        findTimes();
        findLevels(watch);
        LOCKSTEP_TRY(watch.status());
        noteStart();
        return std::move(m_out);
    }

  private:
    void findTimes()
    {
        const auto& times_ns = m_snapshot.entries.time_ns;
        if (times_ns.empty()) return;
        uint64_t back = 0;
        for (size_t i = 1; i < m_out.rows.size(); ++i) {
            if (times_ns[m_out.rows[i]] >= times_ns[m_out.rows[i - 1]]) continue;
            if (back++ == 0) m_firstBack = m_out.rows[i];
        }
        if (back == 0) return;
        m_notes.add("memory.time_goes_back", NoteSeverity::warning,
                    "the timestamp of an entry is earlier than that of the previous entry; the order of "
                    "entries is kept, and the entry gets the latest earlier timestamp",
                    m_snapshot.rowText(m_firstBack), back);
        int64_t latest_ns = times_ns[m_out.rows[0]];
        m_out.m_steadyTimes_ns.reserve(m_out.rows.size());
        for (const uint32_t row : m_out.rows) {
            latest_ns = std::max(latest_ns, times_ns[row]);
            m_out.m_steadyTimes_ns.push_back(latest_ns);
        }
    }

    MemoryLevels levelsBefore() const
    {
        const BlockLifeTable& blocks = m_out.blocks;
        MemoryLevels levels;
        for (size_t life = 0; life < blocks.size() && blocks.isPreexisting(life); ++life) {
            levels.active += static_cast<int64_t>(blocks.size_bytes[life]);
            levels.requested += static_cast<int64_t>(blocks.requested_bytes[life]);
            if (blocks.freeRequested[life] > 0)
                levels.allocated += static_cast<int64_t>(blocks.size_bytes[life]);
        }
        levels.reserved = m_out.segments.reservedAt(0);
        return levels;
    }

    void findLevels(ReplayWatch& watch)
    {
        MemoryLevels levels = levelsBefore();
        const MemoryPeak first{0, levels};
        MemoryPeaks& peaks = m_out.peaks;
        peaks = {first, first, first, first};
        m_out.m_levels.push_back(levels);
        m_out.m_stridePeaks.push_back({levels.active, 0});
        for (MemoryMoment moment = 1; moment <= m_out.lastMoment(); ++moment) {
            if (watch.advanceAndCheckStop()) return;
            m_out.apply(moment, levels);
            if (moment % DeviceReplay::kLevelStride == 0) {
                m_out.m_levels.push_back(levels);
                m_out.m_stridePeaks.push_back({levels.active, moment});
            } else if (levels.active > m_out.m_stridePeaks.back().active) {
                m_out.m_stridePeaks.back() = {levels.active, moment};
            }
            if (levels.active > peaks.active.levels.active) peaks.active = {moment, levels};
            if (levels.allocated > peaks.allocated.levels.allocated) peaks.allocated = {moment, levels};
            if (levels.requested > peaks.requested.levels.requested) peaks.requested = {moment, levels};
            if (levels.reserved > peaks.reserved.levels.reserved) peaks.reserved = {moment, levels};
            compareWithSnapshot(moment, levels);
            compareWithTotals(moment, levels);
        }
    }

    // Compares the replay with the totals that history entries from other recorders may contain.
    void compareWithTotals(MemoryMoment moment, const MemoryLevels& levels)
    {
        if (m_snapshot.entries.recorded_bytes.empty()) return;
        const uint32_t row = m_out.rows[moment - 1];
        const int64_t recorded = m_snapshot.entries.recorded_bytes[row];
        if (recorded == kNotRecorded || recorded == levels.allocated) return;
        m_notes.add("memory.total_disagrees", NoteSeverity::warning,
                    "a recorded total of allocated bytes differs from the sum of the blocks: rows are "
                    "missing, or rows of two threads are out of order",
                    m_snapshot.rowText(row) + ": " + std::to_string(recorded) + " B recorded, " +
                        std::to_string(levels.allocated) + " B replayed");
    }

    // A snapshot entry records the active bytes (total_active in snapshot()). Ascend NPUs write 0.
    void compareWithSnapshot(MemoryMoment moment, const MemoryLevels& levels)
    {
        const uint32_t row = m_out.rows[moment - 1];
        const uint64_t recorded = m_snapshot.entries.size_bytes[row];
        if (m_snapshot.entries.action[row] != MemoryAction::snapshot || recorded == 0) return;
        if (static_cast<int64_t>(recorded) == levels.active) return;
        m_notes.add(
            "memory.snapshot_disagrees", NoteSeverity::warning,
            "the active bytes of a `snapshot` entry differ from the replay: the history lacks entries, "
            "or sizes of earlier blocks are unknown",
            "device_traces row " + std::to_string(row) + ": " + std::to_string(recorded) + " recorded, " +
                std::to_string(levels.active) + " replayed");
    }

    void noteStart()
    {
        const BlockLifeTable& blocks = m_out.blocks;
        uint64_t before = 0, guessed = 0, bytes = 0;
        for (size_t life = 0; life < blocks.size() && blocks.isPreexisting(life); ++life) {
            ++before;
            bytes += blocks.size_bytes[life];
            guessed += (blocks.flags[life] & blockFlag::kSizeGuessed) != 0;
        }
        if (before > 0 && !m_out.rows.empty()) {
            m_notes.add("memory.before_history", NoteSeverity::info,
                        "a block was allocated before the recording began (time and, mostly, stack unknown)",
                        "device " + std::to_string(m_out.device) + ": " + std::to_string(bytes) +
                            " B in such blocks",
                        before);
        }
        if (guessed > 0) {
            m_notes.add(
                "memory.size_unknown", NoteSeverity::info,
                "only the requested size is known for a large block allocated before the recording and "
                "freed during it: while it was live, active and allocated memory may be up to 1 MiB "
                "higher per block",
                "device " + std::to_string(m_out.device), guessed);
        }
    }

    const MemorySnapshot& m_snapshot;
    const AllocatorRules& m_rules;
    ImportNotes& m_notes;
    DeviceReplay m_out;
    uint32_t m_firstBack = 0;
};

std::optional<uint32_t> AllocatorReplay::entryOf(const DeviceReplay& device, BlockLifeId life) const
{
    const MemoryMoment allocated = device.blocks.allocated[life.value];
    if (allocated == 0) return std::nullopt;
    return device.rows[allocated - 1];
}

namespace {

// Returns the dump's segment that contains an address on a device.
std::optional<size_t> dumpSegmentAt(const MemorySnapshot& snapshot, int32_t device, uint64_t address)
{
    const MemorySegmentTable& segments = snapshot.segments;
    for (size_t i = 0; i < segments.size(); ++i) {
        if (segments.device[i] == device && address - segments.address[i] < segments.total_bytes[i]) return i;
    }
    return std::nullopt;
}

} // namespace

std::optional<std::array<uint64_t, 2>> AllocatorReplay::poolOf(const DeviceReplay& device,
                                                               BlockLifeId life) const
{
    const auto entry = entryOf(device, life);
    if (entry && !snapshot->entries.pool.empty() &&
        snapshot->entries.pool[*entry] != std::array<uint64_t, 2>{}) {
        return snapshot->entries.pool[*entry];
    }
    const auto segment = dumpSegmentAt(*snapshot, device.device, device.blocks.address[life.value]);
    if (!segment) return std::nullopt;
    return snapshot->segments.pool[*segment];
}

std::optional<uint64_t> AllocatorReplay::streamOf(const DeviceReplay& device, BlockLifeId life) const
{
    if (!snapshot->recording(device.device).hasStreams) return std::nullopt;
    if (const auto entry = entryOf(device, life)) return snapshot->entries.stream[*entry];
    const BlockLifeTable& blocks = device.blocks;
    if (!blocks.isNeverFreed(life.value))
        return snapshot->entries.stream[device.rows[blocks.freed[life.value] - 1]];
    const auto segment = dumpSegmentAt(*snapshot, device.device, blocks.address[life.value]);
    if (!segment) return std::nullopt;
    return snapshot->segments.stream[*segment];
}

StringId AllocatorReplay::metadataOf(const DeviceReplay& device, BlockLifeId life) const
{
    const auto set =
        std::ranges::upper_bound(device.annotations, life.value, {}, &std::pair<uint32_t, StringId>::first);
    if (set != device.annotations.begin() && std::prev(set)->first == life.value)
        return std::prev(set)->second;
    const auto entry = entryOf(device, life);
    return entry && !snapshot->entries.userMetadata.empty() ? snapshot->entries.userMetadata[*entry]
                                                            : StringId(0u);
}

StringId AllocatorReplay::compileContextOf(const DeviceReplay& device, BlockLifeId life) const
{
    const auto entry = entryOf(device, life);
    return entry && !snapshot->entries.compileContext.empty() ? snapshot->entries.compileContext[*entry]
                                                              : StringId(0u);
}

size_t AllocatorReplay::residentBytes() const
{
    size_t bytes = 0;
    for (const DeviceReplay& device : devices)
        bytes += device.residentBytes();
    return bytes;
}

Result<AllocatorReplay> replayAllocator(std::shared_ptr<const MemorySnapshot> snapshot,
                                        const AllocatorRules& rules, const Progress& progress)
{
    if (!snapshot) return makeError(ErrorKind::invalid, "no memory snapshot to replay");
    if (snapshot->entries.size() > kMaxEntries)
        return makeError(ErrorKind::unsupported, "the history has more than 2147483647 entries (not "
                                                 "supported)");
    AllocatorReplay out;
    out.snapshot = snapshot;
    out.rules = rules;
    constexpr uint64_t kWalks = 4; // passes over segments, blocks, sizes, and levels
    ReplayWatch watch(progress, snapshot->entries.size() * kWalks);
    for (const int32_t device : snapshot->devices) {
        LOCKSTEP_TRY(watch.status());
        std::vector<uint32_t> rows;
        const auto& of = snapshot->entries.device;
        rows.reserve(static_cast<size_t>(std::ranges::count(of, device)));
        for (uint32_t row = 0; row < of.size(); ++row) {
            if (of[row] == device) rows.push_back(row);
        }
        DeviceReplayer replayer(*snapshot, rules, out.notes);
        out.devices.push_back(LOCKSTEP_TRY(replayer.replay(device, std::move(rows), watch)));
    }
    return out;
}

namespace {

// Newer PyTorch records in allocator_settings whether the history's ring buffer overflowed.
void noteOverflow(const std::vector<Fact>& facts, ImportNotes& notes)
{
    if (std::ranges::find(facts, Fact{"allocator.trace_alloc_overflowed", "true"}) == facts.end()) return;
    notes.add("memory.history_overflowed", NoteSeverity::dataLoss,
              "the history exceeded its limit (trace_alloc_max_entries): its oldest entries are lost",
              "allocator.trace_alloc_overflowed");
}

} // namespace

Result<AllocatorReplay> replayAllocator(const Report& report, const Progress& progress)
{
    if (!report.memory) {
        return makeError(ErrorKind::invalid, report.provenance.path.string() + ": not a memory snapshot");
    }
    AllocatorReplay replay =
        LOCKSTEP_TRY(replayAllocator(report.memory, allocatorRules(report.facts, *report.memory), progress));
    noteOverflow(report.facts, replay.notes);
    return replay;
}

} // namespace lockstep
