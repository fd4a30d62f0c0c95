// SPDX-License-Identifier: Apache-2.0
// Compares the projected NVTX ranges of public nsys files with plain SQL on the files and, range by range,
// with the table nvtx_gpu_proj_trace.
#include <algorithm>
#include <array>
#include <map>

#include "core/analysis/analysis.h"
#include "core/lanes/range_projection.h"
#include "core/readers/reader.h"
#include "tests/support/made_reports.h"
#include "tests/support/places.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using lockstep::test::askSql;
using lockstep::test::sharedData;

namespace {

constexpr std::array kFiles{"nsys/h100_2gpu_nccl_2026.2.sqlite", "nsys/power_iteration_2025.3.sqlite",
                            "nsys/h100_matmul_2024.6.sqlite", "nsys/saxpy_mpi_2022.2.sqlite"};

// Projects each range of the file onto each GPU. The caller appends an aggregate of `id` (the row of the
// range), `device`, `begin`, `length` and `launches`.
std::string projectionSql(const std::string& aggregate, bool hasMemset)
{
    const std::string columns =
        "SELECT start, end, deviceId, correlationId, globalPid FROM CUPTI_ACTIVITY_KIND_";
    const std::string memset = hasMemset ? " UNION ALL " + columns + "MEMSET" : "";
    return "WITH work AS MATERIALIZED (" + columns + "KERNEL UNION ALL " + columns + "MEMCPY" + memset +
           "), launch AS MATERIALIZED (SELECT globalTid, r.start AS callStart, r.end AS callEnd,"
           " r.correlationId AS call, w.start AS start, w.end AS end, deviceId"
           " FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN work w ON w.correlationId = r.correlationId"
           " AND w.globalPid = r.globalTid / 16777216 * 16777216),"
           " projection AS (SELECT n.rowid AS id, deviceId AS device, min(l.start) AS begin,"
           " max(l.end) - min(l.start) AS length, count(DISTINCT l.call) AS launches"
           " FROM NVTX_EVENTS n JOIN launch l ON l.globalTid = n.globalTid AND l.callStart >= n.start"
           " AND l.callEnd <= n.end WHERE n.eventType IN (59, 60, 70, 71) GROUP BY n.rowid, deviceId)"
           " SELECT " +
           aggregate + " FROM projection";
}

std::shared_ptr<const Report> opened(const char* file)
{
    return readReport(sharedData(file), Progress(test::workers())).value();
}

// Calls visit(projection, range) for each projected range of a report.
template<class Visit>
void forEachRange(const std::vector<RangeProjection>& projections, const Visit& visit)
{
    for (const RangeProjection& projection : projections) {
        for (uint16_t depth = 0; depth < projection.depthCount(); ++depth) {
            const LodRow row = projection.row(depth);
            for (uint32_t i = 0; i < row.count(); ++i)
                visit(projection, row.sliceAt(i));
        }
    }
}

// Start and duration of a range and of its projection, and the number of launches.
using RangeFacts = std::array<int64_t, 5>;

} // namespace

class RangeProjectionFilesTest : public QObject {
    Q_OBJECT

  private slots:
    void projectionsAreThoseOfPlainSql()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        for (const char* const file : kFiles) {
            const std::shared_ptr<const Report> report = opened(file);
            int64_t count = 0, sum = 0;
            const auto projections = findRangeProjections(*report, Progress(test::workers()));
            forEachRange(projections, [&](const RangeProjection& projection, SliceId range) {
                const ProjectedSpan span = projection.of(range).value();
                const auto id = static_cast<int64_t>(report->slices.source[range.value].row());
                const int device = report->devices[projection.device().value].ordinal;
                ++count;
                sum += (span.range.begin.ns % 1'000'003 + span.range.length().ns % 1'000'033 * 7 +
                        span.launches * int64_t(49)) *
                       (id + device);
            });
            const bool hasMemset =
                askSql(sharedData(file), "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_MEMSET").has_value();
            const auto ask = [&](const char* aggregate) {
                return askSql(sharedData(file), projectionSql(aggregate, hasMemset)).value_or(-1);
            };
            QVERIFY2(count > 0, file);
            QCOMPARE(count, ask("count(*)"));
            QCOMPARE(sum,
                     ask("sum((begin % 1000003 + length % 1000033 * 7 + launches * 49) * (id + device))"));
        }
    }

    void projectionsOfAllGpusAreThoseOfTheTable()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        for (const char* const file : kFiles) {
            Workspace workspace;
            workspace.add(opened(file));
            const Report& report = workspace.report(ReportKey(0u));
            std::map<SliceId, ProjectedSpan> spans; // over all GPUs
            const auto projections = findRangeProjections(report, Progress(test::workers()));
            forEachRange(projections, [&](const RangeProjection& projection, SliceId range) {
                const ProjectedSpan span = projection.of(range).value();
                ProjectedSpan& all = spans.try_emplace(range, ProjectedSpan{span.range}).first->second;
                all.range = all.range.unitedWith(span.range);
                all.launches += span.launches;
            });
            std::vector<RangeFacts> ours, theirs;
            for (const auto& [range, span] : spans)
                ours.push_back({report.slices.start(range).ns, report.slices.duration(range).ns,
                                span.range.begin.ns, span.range.length().ns, span.launches});
            const ScenePtr scene = makeHeadlessScene(workspace, alignReports(workspace, {}));
            const Table table =
                runAnalysis("nvtx_gpu_proj_trace", *scene, {}, Progress(test::workers())).value();
            for (size_t row = 0; row < table.rowCount(); ++row) {
                const auto number = [&](const char* column) {
                    return table.number(table.columnNamed(column), row);
                };
                theirs.push_back({number("Orig Start"), number("Orig Duration"), number("Projected Start"),
                                  number("Projected Duration"), number("NumGPUOps")});
            }
            std::ranges::sort(ours);
            std::ranges::sort(theirs);
            QVERIFY2(ours == theirs, file);
        }
    }

    // These Kineto files contain annotations on the GPU, so nothing is projected.
    void annotationsOnTheGpuAreNotRepeated()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        const std::shared_ptr<const Report> report = opened("kineto/nccl_metadata.json.gz");
        QVERIFY(std::ranges::find(report->slices.kind, RowKind::gpuAnnotation) != report->slices.kind.end());
        QVERIFY(findRangeProjections(*report, Progress(test::workers())).empty());
    }
};

LOCKSTEP_TEST(RangeProjectionFilesTest, "range_projection_files_test")
#include "range_projection_files_test.moc"
