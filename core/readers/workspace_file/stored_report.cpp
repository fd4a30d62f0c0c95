// SPDX-License-Identifier: Apache-2.0
#include "core/readers/workspace_file/stored_report.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <mutex>
#include <set>

#include "core/base/huge_pages.h"
#include "core/base/inflate.h"
#include "core/base/load_watch.h"
#include "core/readers/workspace_file/report_layout.h"
#include "core/trace/slice_batch.h"

namespace lockstep {

namespace {

constexpr size_t kHeaderLimit_bytes = size_t(1) << 31;
// Columns compress about 10 to 1, and constant columns far better. A file that claims a higher ratio than
// this is invalid.
constexpr uint64_t kUnpackFactor = 1000;
constexpr uint64_t kUnpackFloor_bytes = uint64_t(256) << 20;

template<class T>
void adoptRows(Column<T>& column, std::span<const T> rows, const std::shared_ptr<const void>& keeper)
{
    column = Column<T>(rows, keeper);
}

template<class T>
void adoptRows(std::vector<T>& column, std::span<const T> rows, const std::shared_ptr<const void>&)
{
    column.assign(rows.begin(), rows.end());
}

// Unpacker restores columns. Their memory is known once all rows are counted.
class Unpacker {
  public:
    Unpacker(const StoredReport& stored, const ColumnPlace& place) : m_stored(stored), m_place(place) {}

    template<class Values>
    void operator()(const ColumnFacts& facts, Values& values)
    {
        using T = typename Values::value_type;
        const auto column = std::ranges::find(m_stored.columns, facts.name, &StoredColumn::name);
        if (column == m_stored.columns.end()) {
            if (!facts.mayBeAbsent) setError("missing column ", facts.name);
            return;
        }
        m_known.insert(column->name);
        if (column->type != columnType<T>()) return setError("unknown row type in column ", facts.name);
        if (column->raw) return adopt(*column, values);
        reserve(*column, values);
    }

    Status run(const Progress& progress);
    // Returns the names of blocks that no column requested.
    std::vector<std::string> unknown() const
    {
        std::vector<std::string> out = m_stored.unknown;
        for (const StoredColumn& column : m_stored.columns) {
            if (!m_known.contains(column.name)) out.push_back(column.name);
        }
        return out;
    }

  private:
    struct Job {
        const ColumnChunk* chunk;
        size_t firstRow;
        ColumnSpace out;
    };

    // Reserves memory for the rows. The rows exist once run() has begun.
    template<class T>
    void makeRoom(std::vector<T>& values, size_t rows)
    {
        values.reserve(rows);
        adviseHugePages(values.data(), rows * sizeof(T));
        m_heap_bytes += rows * sizeof(T);
        m_resizes.push_back([&values, rows] { values.resize(rows); });
    }
    template<class T>
    void makeRoom(Column<T>& values, size_t rows)
    {
        if (!m_place.isHeap()) {
            values = m_place.column<T>(rows);
            return;
        }
        values.reserve(rows);
        adviseHugePages(values.data(), rows * sizeof(T));
        m_heap_bytes += rows * sizeof(T);
        m_resizes.push_back([&values, rows] { values.resize(rows); });
    }

    void setError(std::string_view what, std::string_view name)
    {
        m_error = Error{ErrorKind::corrupt, std::string(what) + std::string(name)};
    }

    template<class Values>
    void adopt(const StoredColumn& column, Values& values)
    {
        using T = typename Values::value_type;
        const auto address = reinterpret_cast<uintptr_t>(column.raw->data());
        if (address % alignof(T) != 0 || column.rows > column.raw->size() ||
            column.rows * sizeof(T) != column.raw->size())
            return setError("wrong number of rows in column ", column.name);
        const auto* const first = reinterpret_cast<const T*>(column.raw->data());
        adoptRows(values, std::span(first, column.raw->size() / sizeof(T)), m_stored.keeper);
    }

    template<class Values>
    void reserve(const StoredColumn& column, Values& values)
    {
        using T = typename Values::value_type;
        const bool hasFields = !fieldsOf(static_cast<const T*>(nullptr)).empty();
        const uint8_t width = wordBytes<T>(hasFields);
        const size_t wordsOfRow = sizeof(T) / width;
        size_t words = 0;
        for (const ColumnChunk& chunk : column.chunks)
            words += chunk.rows;
        if (words % wordsOfRow != 0) return setError("incomplete value in column ", column.name);
        const size_t rows = words / wordsOfRow;
        if (rows != column.rows) return setError("wrong number of rows in column ", column.name);
        makeRoom(values, rows);
        auto* const first = reinterpret_cast<std::byte*>(values.data());
        if (first == nullptr && rows > 0) return;     // the disk is full: the next check reports it
        const size_t lane = hasFields ? rows : words; // consecutive words
        const size_t stride = hasFields ? sizeof(T) : width;
        size_t word = 0;
        for (const ColumnChunk& chunk : column.chunks) {
            if (word % lane + chunk.rows > lane)
                return setError("chunks of unequal length in column ", column.name);
            std::byte* const at = first + word / lane * width + word % lane * stride;
            m_jobs.push_back({&chunk, word % lane, {at, chunk.rows, width, stride}});
            word += chunk.rows;
        }
    }

    const StoredReport& m_stored;
    const ColumnPlace& m_place;
    std::set<std::string_view> m_known;
    std::vector<std::function<void()>> m_resizes;
    uint64_t m_heap_bytes = 0; // memory that m_resizes will allocate
    std::vector<Job> m_jobs;
    std::optional<Error> m_error;
};

Status Unpacker::run(const Progress& progress)
{
    if (m_error) return tl::make_unexpected(*m_error);
    LOCKSTEP_TRY(progress.check());
    // if the memory does not fit, the next check reports this
    static_cast<void>(LoadScope::admit(m_heap_bytes));
    LOCKSTEP_TRY(progress.check());
    // The first access to the memory takes a large part of the opening time, so columns are touched in
    // parallel.
    progress.workers().run(m_resizes.size(), [&](size_t at, size_t) { m_resizes[at](); });
    std::mutex mutex;
    std::atomic<size_t> done = 0;
    progress.workers().run(m_jobs.size(), [&](size_t at, size_t) {
        const Job& job = m_jobs[at];
        if (progress.isCanceled()) return;
        const auto unpacked = unpackChunk(*job.chunk, job.firstRow, job.out);
        if (!unpacked) {
            const std::scoped_lock lock(mutex);
            m_error = unpacked.error();
        }
        progress.report(++done, m_jobs.size());
    });
    LOCKSTEP_TRY(progress.check());
    if (m_error) return tl::make_unexpected(*m_error);
    return {};
}

struct Texts {
    std::vector<uint32_t> lengths;
    std::vector<char> bytes;
};

Status restoreTexts(const Texts& texts, StringPool& pool, const Progress& progress)
{
    constexpr size_t kBetweenChecks = 65536;
    size_t at = 0;
    for (size_t i = 0; i < texts.lengths.size(); ++i) {
        if (i % kBetweenChecks == 0) LOCKSTEP_TRY(progress.check());
        if (texts.lengths[i] > texts.bytes.size() - at)
            return makeError(ErrorKind::corrupt, "the string table is cut short", HelpTopic::truncatedFile);
        const StringId id = pool.intern({texts.bytes.data() + at, texts.lengths[i]});
        if (id.value != i) return makeError(ErrorKind::corrupt, "duplicate string in the string table");
        at += texts.lengths[i];
    }
    pool.shrink();
    return {};
}

Status readHeader(const StoredReport& stored, Report& report, std::vector<MemoryFrame>& frames,
                  bool& hasMemory, const Progress& progress)
{
    const size_t limit_bytes = std::min(kHeaderLimit_bytes, stored.header.size() * 4096 + 65536);
    const Inflated header = LOCKSTEP_TRY(unzstd(stored.header, limit_bytes, progress));
    ByteReader reader(header.bytes);
    describeHeader(reader, report);
    describe(reader, hasMemory, frames);
    if (!header.isComplete || !reader.isAtEnd())
        return makeError(ErrorKind::corrupt, "the report header is corrupt");
    return {};
}

} // namespace

Status checkClaimedSize(uint64_t unpacked_bytes, uint64_t file_bytes)
{
    if (unpacked_bytes <= file_bytes * kUnpackFactor + kUnpackFloor_bytes) return {};
    return makeError(ErrorKind::corrupt, "the file claims to contain far more data than its size allows");
}

Result<std::unique_ptr<Report>> restoreReport(const StoredReport& stored, const Progress& progress)
{
    auto report = std::make_unique<Report>();
    const auto memory = std::make_shared<MemorySnapshot>();
    bool hasMemory = false;
    LOCKSTEP_TRY(readHeader(stored, *report, memory->frames, hasMemory, progress));
    Texts texts;
    report->place = progress.place();
    Unpacker unpacker(stored, progress.place());
    ReportColumns::visit(*report, unpacker);
    unpacker({kTextLengthsColumn, "bytes", ""}, texts.lengths);
    unpacker({kTextBytesColumn, "", ""}, texts.bytes);
    const auto rounds = std::ranges::find(stored.columns, kClockRoundsColumn.name, &StoredColumn::name);
    if (rounds != stored.columns.end()) unpacker(kClockRoundsColumn, report->clockRounds);
    if (hasMemory) visitMemoryColumns(*memory, unpacker);
    LOCKSTEP_TRY(unpacker.run(progress));
    LOCKSTEP_TRY(restoreTexts(texts, report->strings, progress));
    if (hasMemory) report->memory = memory;
    LOCKSTEP_TRY(checkReport(*report, progress.workers()));
    for (const std::string& name : unpacker.unknown()) {
        report->notes.add(
            "workspace.unknown_block", NoteSeverity::warning,
            "the workspace file contains more data about this report than this version of Lockstep "
            "knows; a newer version shows it",
            name);
    }
    return report;
}

namespace {

template<class Tag>
bool isWithin(Id<Tag> id, size_t rows)
{
    return !id.isValid() || id.value < rows;
}

template<class First, class... Rest>
bool sameLength(const First& first, const Rest&... rest)
{
    return ((rest.size() == first.size()) && ...);
}

template<class Column>
bool sameLengthOrEmpty(const Column& column, size_t rows)
{
    return column.empty() || column.size() == rows;
}

template<class Column>
bool allWithin(const Column& ids, size_t rows)
{
    return std::ranges::all_of(ids, [rows](auto id) { return isWithin(id, rows); });
}

bool areEntitiesValid(const Report& report)
{
    const size_t texts = report.strings.size();
    const size_t processes = report.processes.size();
    const auto process = [&](const Process& p) { return isWithin(p.name, texts); };
    const auto thread = [&](const Thread& t) {
        return isWithin(t.name, texts) && isWithin(t.process, processes);
    };
    const auto device = [&](const Device& d) {
        return isWithin(d.name, texts) && isWithin(d.uuid, texts) && isWithin(d.process, processes);
    };
    return std::ranges::all_of(report.processes, process) && std::ranges::all_of(report.threads, thread) &&
           std::ranges::all_of(report.devices, device);
}

// Returns true if tracks follow each other without gaps, and so do counter tracks.
bool areTracksValid(const Report& report)
{
    uint64_t next = 0;
    for (const Track& track : report.tracks) {
        const TrackKey& key = track.key;
        if (key.kind >= TrackKind::count || !isWithin(key.process, report.processes.size()) ||
            !isWithin(key.thread, report.threads.size()) || !isWithin(key.device, report.devices.size()) ||
            !isWithin(track.name, report.strings.size()) || track.firstSlice.value != next) {
            return false;
        }
        next += track.sliceCount;
    }
    if (next != report.slices.size()) return false;
    next = 0;
    for (const CounterTrack& track : report.counterTracks) {
        if (!isWithin(track.name, report.strings.size()) || !isWithin(track.unit, report.strings.size()) ||
            !isWithin(track.process, report.processes.size()) ||
            !isWithin(track.device, report.devices.size()) || track.shape > CounterShape::points ||
            track.firstSample != next) {
            return false;
        }
        next += track.sampleCount;
        if (next > report.counters.size()) return false;
        const auto first = report.counters.time_ns.begin() + track.firstSample;
        if (!std::is_sorted(first, first + track.sampleCount)) return false;
    }
    return next == report.counters.size();
}

bool areTrackRowsValid(const Report& report, const Track& track)
{
    const SliceTable& slices = report.slices;
    const uint32_t first = track.firstSlice.value;
    const auto texts = static_cast<uint32_t>(report.strings.size());
    bool good = true;
    for (uint32_t row = first; row < first + track.sliceCount; ++row) {
        const uint32_t parent = slices.parent[row].value;
        good &= isPlausible(slices.start_ns[row], slices.duration_ns[row]);
        good &= row == first || slices.start_ns[row - 1] <= slices.start_ns[row];
        good &= slices.name[row].value < texts;
        good &= parent == SliceId::kNone || (parent >= first && parent < row);
        good &= slices.depth[row] < track.depthCount;
        good &= slices.kind[row] < RowKind::count && slices.category[row] < SliceCategory::count;
    }
    return good;
}

bool areSlicesValid(const Report& report, const Workers& workers)
{
    const SliceTable& s = report.slices;
    if (!sameLength(s.start_ns, s.duration_ns, s.source, s.name, s.parent, s.depth, s.kind, s.category,
                    s.flags)) {
        return false;
    }
    if (!sameLength(report.counters.time_ns, report.counters.value) || !areTracksValid(report)) return false;
    std::atomic<bool> good = true;
    workers.run(report.tracks.size(), [&](size_t track, size_t) {
        if (!areTrackRowsValid(report, report.tracks[track])) good = false;
    });
    return good;
}

bool areSideTablesValid(const Report& report)
{
    const size_t rows = report.slices.size();
    const size_t texts = report.strings.size();
    const auto link = [&](const Link& l) {
        return l.cause.value < rows && l.effect.value < rows && l.kind <= LinkKind::recordWait;
    };
    const auto op = [&](const MemoryOp& m) { return m.slice.value < rows; };
    const auto color = [&](const auto& c) { return c.first.value < rows; };
    const auto shortName = [&](const auto& n) { return n.first.value < texts && n.second.value < texts; };
    const auto collective = [&](const CollectiveOp& c) {
        uint8_t flag = 0; // raw byte from the file, which must be checked before it is used as a bool
        std::memcpy(&flag, &c.isPointToPoint, sizeof flag);
        if (flag > 1) return false;
        const auto isTextValid = [&](StringId id) { return !id.isValid() || id.value < texts; };
        return c.slice.value < rows && isTextValid(c.collective) && isTextValid(c.group) &&
               isTextValid(c.groupRanks) && isTextValid(c.dataType);
    };
    const auto round = [&](const ClockRound& r) {
        return isWithin(r.peer, texts) && isWithin(r.boot, texts) && isWithin(r.peerBoot, texts) &&
               isPlausibleRound(r);
    };
    return std::ranges::all_of(report.clockRounds, round) &&
           std::ranges::all_of(report.collectives, collective) &&
           std::ranges::is_sorted(report.collectives, {}, &CollectiveOp::slice) &&
           std::ranges::all_of(report.links.all(), link) && report.links.isInOrder() &&
           std::ranges::all_of(report.memoryOps, op) && std::ranges::all_of(report.colors, color) &&
           std::ranges::all_of(report.shortNames, shortName) &&
           std::ranges::is_sorted(report.memoryOps, {}, &MemoryOp::slice) &&
           std::ranges::is_sorted(report.colors) && std::ranges::is_sorted(report.shortNames) &&
           report.rowFacts.holds(rows, texts) && report.samples.holds(rows, texts, report.processes.size());
}

bool areSegmentsValid(const MemorySnapshot& memory, size_t texts)
{
    const MemorySegmentTable& s = memory.segments;
    const MemoryBlockTable& b = memory.blocks;
    if (!sameLength(s.address, s.device, s.total_bytes, s.allocated_bytes, s.active_bytes, s.requested_bytes,
                    s.stream, s.pool, s.type, s.isExpandable, s.stack, s.firstBlock, s.blockCount)) {
        return false;
    }
    if (!sameLength(b.address, b.size_bytes, b.requested_bytes, b.state, b.stack)) return false;
    for (size_t i = 0; i < s.size(); ++i) {
        if (uint64_t(s.firstBlock[i]) + s.blockCount[i] > b.size()) return false;
    }
    const auto state = [](BlockState value) { return value < BlockState::count; };
    return allWithin(s.type, texts) && allWithin(s.stack, memory.stackCount()) &&
           allWithin(b.stack, memory.stackCount()) && std::ranges::all_of(b.state, state);
}

bool areEntriesValid(const MemorySnapshot& memory, size_t texts)
{
    const MemoryEntryTable& e = memory.entries;
    const size_t rows = e.size();
    if (!sameLength(e.address, e.device, e.action, e.size_bytes, e.stream, e.stack)) return false;
    const auto action = [](MemoryAction value) { return value < MemoryAction::count; };
    return sameLengthOrEmpty(e.time_ns, rows) && sameLengthOrEmpty(e.forwardStack, rows) &&
           sameLengthOrEmpty(e.userMetadata, rows) && sameLengthOrEmpty(e.compileContext, rows) &&
           sameLengthOrEmpty(e.pool, rows) && sameLengthOrEmpty(e.recorded_bytes, rows) &&
           sameLengthOrEmpty(e.reserved_bytes, rows) && std::ranges::all_of(e.action, action) &&
           allWithin(e.stack, memory.stackCount()) && allWithin(e.forwardStack, memory.stackCount()) &&
           allWithin(e.userMetadata, texts) && allWithin(e.compileContext, texts);
}

// Returns true if there are no subjects, or if there is one per device and the devices are sorted.
bool areSubjectsValid(const MemorySnapshot& memory, size_t processes)
{
    const MemorySubjectTable& p = memory.subjects;
    if (!sameLength(p.recorder, p.kind, p.ordinal, p.process, p.before)) return false;
    if (p.recorder.empty()) return true;
    const auto device = [&](int32_t number) { return std::ranges::binary_search(memory.devices, number); };
    const auto recorder = [](MemoryRecorder value) { return value < MemoryRecorder::count; };
    const auto kind = [](MemoryKind value) { return value <= MemoryKind::unknown; };
    return p.recorder.size() == memory.devices.size() && std::ranges::is_sorted(memory.devices) &&
           std::ranges::all_of(memory.entries.device, device) && std::ranges::all_of(p.recorder, recorder) &&
           std::ranges::all_of(p.kind, kind) && allWithin(p.process, processes) &&
           allWithin(p.before, memory.stackCount());
}

bool isMemoryValid(const MemorySnapshot& memory, size_t texts, size_t processes)
{
    if (memory.stackBegin.empty() || memory.stackBegin.front() != 0 ||
        !std::ranges::is_sorted(memory.stackBegin) || memory.stackBegin.back() != memory.stackFrames.size()) {
        return false;
    }
    const auto frame = [&](const MemoryFrame& f) {
        return isWithin(f.function, texts) && isWithin(f.file, texts) && isWithin(f.graphNode, texts);
    };
    const auto known = [&](MemoryFrameId id) { return id.value < memory.frames.size(); };
    return std::ranges::all_of(memory.frames, frame) && std::ranges::all_of(memory.stackFrames, known) &&
           areSegmentsValid(memory, texts) && areEntriesValid(memory, texts) &&
           areSubjectsValid(memory, processes);
}

} // namespace

Status checkReport(const Report& report, const Workers& workers)
{
    if (report.slices.size() >= SliceId::kNone)
        return makeError(ErrorKind::corrupt, "more slices than Lockstep can number");
    if (!areEntitiesValid(report))
        return makeError(ErrorKind::corrupt,
                         "a process, thread or device refers to an entry that does not exist");
    if (!areSlicesValid(report, workers))
        return makeError(ErrorKind::corrupt, "tracks, slices or counters are inconsistent");
    if (!areSideTablesValid(report))
        return makeError(ErrorKind::corrupt, "links or details refer to slices that do not exist");
    if (report.memory && !isMemoryValid(*report.memory, report.strings.size(), report.processes.size())) {
        return makeError(ErrorKind::corrupt, "the tables of the allocator snapshot are inconsistent");
    }
    return {};
}

} // namespace lockstep
