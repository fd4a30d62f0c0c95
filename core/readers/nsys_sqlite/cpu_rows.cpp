// What the operating system did with the CPUs: scheduling, and samples, which are counted only.
#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/readers/nsys_sqlite/table_readers.h"

namespace lockstep {

namespace {

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

// A thread runs from a switch in to its next switch. A switch out without one before it belongs to an interval that
// began before the capture.
void addRunning(TableScan& scan, std::vector<Switch>& switches)
{
    std::ranges::stable_sort(switches, {}, [](const Switch& s) { return std::pair(s.globalTid, s.time_ns); });
    CpuNames names(scan.reading().builder);
    for (size_t i = 0; i < switches.size(); ++i) {
        const Switch& in = switches[i];
        if (!in.isIn) {
            const bool isPaired = i > 0 && switches[i - 1].isIn && switches[i - 1].globalTid == in.globalTid;
            if (!isPaired) {
                scan.notes().add("scheduling.no_start", NoteSeverity::info,
                                 "threads switched out whose switch in came before the capture; not drawn",
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
            scan.note("scheduling.bad_time", NoteSeverity::dataLoss, "thread switches without a time; not shown");
        }
    }
    addRunning(scan, switches);
}

void countRows(TableScan& scan)
{
    while (scan.next()) scan.count(scan.reader().counted);
    if (scan.rows() > 0) {
        scan.notes().add("sample.counted_only", NoteSeverity::info, "CPU samples are counted, not drawn",
                         std::string(scan.reader().table), scan.rows());
    }
}

} // namespace lockstep
