// SPDX-License-Identifier: Apache-2.0
#include "core/memory/allocator_replay.h"

#include <algorithm>
#include <string>

#include "core/memory/block_pairing.h"
#include "core/memory/block_sizes.h"

namespace lockstep {

namespace {

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
            compareWithStated(moment, levels);
        }
    }

    // Compares the replay with the totals that history entries from other recorders may contain.
    void compareWithStated(MemoryMoment moment, const MemoryLevels& levels)
    {
        if (m_snapshot.entries.recorded_bytes.empty()) return;
        const uint32_t row = m_out.rows[moment - 1];
        const int64_t stated = m_snapshot.entries.recorded_bytes[row];
        if (stated == kNotRecorded || stated == levels.allocated) return;
        m_notes.add("memory.total_disagrees", NoteSeverity::warning,
                    "a recorded total of allocated bytes differs from the sum of the blocks: rows are "
                    "missing, or rows of two threads are out of order",
                    m_snapshot.rowText(row) + ": " + std::to_string(stated) + " B recorded, " +
                        std::to_string(levels.allocated) + " B replayed");
    }

    // A snapshot entry records the active bytes (total_active in snapshot()). Ascend NPUs write 0.
    void compareWithSnapshot(MemoryMoment moment, const MemoryLevels& levels)
    {
        const uint32_t row = m_out.rows[moment - 1];
        const uint64_t stated = m_snapshot.entries.size_bytes[row];
        if (m_snapshot.entries.action[row] != MemoryAction::snapshot || stated == 0) return;
        if (static_cast<int64_t>(stated) == levels.active) return;
        m_notes.add(
            "memory.snapshot_disagrees", NoteSeverity::warning,
            "the active bytes of a `snapshot` entry differ from the replay: the history lacks entries, "
            "or sizes of earlier blocks are unknown",
            "device_traces row " + std::to_string(row) + ": " + std::to_string(stated) + " recorded, " +
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
    const MemoryMoment born = device.blocks.born[life.value];
    if (born == 0) return std::nullopt;
    return device.rows[born - 1];
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
