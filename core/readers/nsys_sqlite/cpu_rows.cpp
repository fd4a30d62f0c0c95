// SPDX-License-Identifier: Apache-2.0
// Reads operating system activity: scheduling, CPU samples, file access and GPU context switches.
#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/readers/nsys_sqlite/table_readers.h"

namespace lockstep {

namespace {

// TrackKey::lane for data that shares a track kind with other data of the same thread.
constexpr int64_t kSampleLane = 1;
constexpr int64_t kFileLane = 1;
constexpr int64_t kSwitchLane = 1 << 16;

struct Switch {
    uint64_t globalTid = 0;
    int64_t time_ns = 0;
    int64_t cpu = 0;
    SourceRow source;
    bool isIn = false;
};

class CpuNames {
  public:
    explicit CpuNames(ReportBuilder& builder) : m_builder(builder) {}
    StringId of(int64_t cpu)
    {
        const auto [entry, isNew] = m_names.try_emplace(cpu);
        if (isNew) entry->second = m_builder.intern("CPU " + std::to_string(cpu));
        return entry->second;
    }

  private:
    ReportBuilder& m_builder;
    std::unordered_map<int64_t, StringId> m_names;
};

// A thread runs from one switch-in to its next switch of any kind. A switch-out without a previous switch-in
// belongs to an interval that began before the capture.
void addRunning(TableScan& scan, std::vector<Switch>& switches)
{
    std::ranges::stable_sort(switches, {}, [](const Switch& s) { return std::pair(s.globalTid, s.time_ns); });
    CpuNames names(scan.reading().builder);
    for (size_t i = 0; i < switches.size(); ++i) {
        const Switch& in = switches[i];
        if (!in.isIn) {
            const bool isPaired = i > 0 && switches[i - 1].isIn && switches[i - 1].globalTid == in.globalTid;
            if (!isPaired) {
                scan.result().notes.add(
                    "scheduling.no_start", NoteSeverity::info,
                    "threads switched out after a switch-in before the capture: not drawn",
                    "SCHED_EVENTS row " + std::to_string(in.source.row()));
            }
            continue;
        }
        SliceRow row;
        row.source = in.source;
        row.name = names.of(in.cpu);
        row.kind = RowKind::scheduling;
        row.category = SliceCategory::scheduling;
        const TrackId track = scan.tracks().cpu(TrackKind::scheduling, in.globalTid);
        if (i + 1 < switches.size() && switches[i + 1].globalTid == in.globalTid) {
            scan.addSlice(track, row, in.time_ns, switches[i + 1].time_ns);
        } else {
            scan.addOpen(track, row, in.time_ns);
        }
    }
}

} // namespace

void readScheduling(TableScan& scan)
{
    enum : int { kStart, kCpu, kIsIn, kThread };
    std::vector<Switch> switches;
    while (scan.next()) {
        scan.count(CountedRows::scheduling);
        if (const auto start = scan.optionalInteger(kStart)) {
            switches.push_back({scan.globalId(kThread), *start, scan.integer(kCpu), scan.source(),
                                scan.integer(kIsIn) != 0});
        } else {
            scan.note("scheduling.bad_time", NoteSeverity::dataLoss,
                      "thread switches without a time: not shown");
        }
    }
    addRunning(scan, switches);
}

void readSampleSymbols(TableScan& scan)
{
    enum : int { kId, kSymbol, kDepth };
    while (scan.next()) {
        if (scan.integer(kDepth) != 0 || scan.isNull(kId)) continue;
        scan.result().findings.sampleSymbols.push_back({scan.integer(kId), scan.name(kSymbol)});
    }
}

void readSamples(TableScan& scan)
{
    enum : int { kStart, kThread };
    const auto& symbols = scan.reading().sampleSymbols;
    const StringId unnamed = scan.reading().builder.intern("CPU sample");
    while (scan.next()) {
        scan.count(CountedRows::sample);
        if (scan.isNull(kStart) || scan.isNull(kThread)) {
            scan.note("sample.counted_only", NoteSeverity::info,
                      "CPU samples without a time or a thread: counted, not drawn");
            continue;
        }
        SliceRow row;
        row.source = scan.source();
        const auto symbol =
            std::ranges::lower_bound(symbols, scan.rowId(), {}, &std::pair<int64_t, StringId>::first);
        row.name = symbol != symbols.end() && symbol->first == scan.rowId() ? symbol->second : unnamed;
        row.kind = RowKind::instant;
        row.category = SliceCategory::scheduling;
        const TrackId track =
            scan.tracks().cpu(TrackKind::scheduling, scan.globalId(kThread), kSampleLane, "samples");
        scan.addInstant(track, row, scan.optionalInteger(kStart));
    }
}

// The table has plain pids and tids, and its timestamps have different column names.
void readFileAccess(TableScan& scan)
{
    enum : int { kStart, kEnd, kFile, kThread, kType };
    static constexpr std::array<std::string_view, 7> kTypes{"file access", "open",  "close",   "read",
                                                            "write",       "other", "metadata"};
    const FileAccesses& files = scan.reading().files;
    while (scan.next()) {
        scan.count(CountedRows::fileAccess);
        const FileAccesses::File* const file = files.find(scan.integer(kFile));
        const int64_t type = scan.integer(kType);
        SliceRow row;
        row.source = scan.source();
        std::string name(kTypes[type > 0 && type < int64_t(kTypes.size()) ? static_cast<size_t>(type) : 0]);
        if (file != nullptr) name += " " + file->path;
        row.name = scan.reading().builder.intern(name);
        row.kind = RowKind::fileAccess;
        row.category = SliceCategory::osRuntime;
        const uint64_t process = file != nullptr ? file->processKey : 0;
        const uint64_t globalTid = process | (scan.globalId(kThread) & 0xFFFFFF);
        const TrackId track = scan.tracks().cpu(TrackKind::osRuntime, globalTid, kFileLane, "file access");
        scan.addSlice(track, row, scan.optionalInteger(kStart), scan.optionalInteger(kEnd));
    }
}

void readContextSwitches(TableScan& scan)
{
    enum : int { kTime, kGlobalPid, kGpu, kTag };
    while (scan.next()) {
        scan.count(CountedRows::contextSwitch);
        SliceRow row;
        row.source = scan.source();
        row.name = scan.reading().builder.intern("context switch, tag " + std::to_string(scan.integer(kTag)));
        row.kind = RowKind::instant;
        const int64_t gpu = scan.integer(kGpu);
        const TrackId track =
            scan.tracks().cpu(TrackKind::other, scan.globalId(kGlobalPid), kSwitchLane + (gpu & 0xFFFF),
                              "GPU " + std::to_string(gpu) + " context switches");
        scan.addInstant(track, row, scan.optionalInteger(kTime));
    }
}

} // namespace lockstep
