// SPDX-License-Identifier: Apache-2.0
// Tests that a trace that was written for other tools can be opened again, and that its tables equal those of
// the original files.
#include "core/export/trace_events.h"

#include "core/analysis/analysis.h"
#include "core/export/chrome_trace.h"
#include "core/export/perfetto_trace.h"
#include "core/readers/reader.h"
#include "core/sql/sql_query.h"
#include "tests/support/made_reports.h"
#include "tests/support/places.h"
#include "tests/support/table_text.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

ScenePtr sceneOf(const Workspace& workspace)
{
    return makeHeadlessScene(workspace, alignReports(workspace, {}));
}

using WriteTrace = Status (*)(const Scene&, const TextSink&, const Progress&);

struct TraceFormat {
    const char* name;
    WriteTrace write;
    const char* file;
};

constexpr TraceFormat kFormats[] = {{"chrome", writeChromeTrace, "again.json"},
                                    {"perfetto", writePerfettoTrace, "again.pftrace"}};

std::shared_ptr<const Report> reread(const Scene& scene, const TraceFormat& format, const TempDir& folder)
{
    std::string text;
    const Status written = format.write(
        scene, [&](std::string_view piece) { text += piece; }, Progress());
    if (!written) return nullptr;
    const auto report = readReport(folder.write(format.file, text), Progress(test::workers()));
    if (!report) qWarning("%s", report.error().message.c_str());
    return report ? *report : nullptr;
}

ScenePtr sceneOf(const std::shared_ptr<const Report>& report)
{
    if (report == nullptr) return nullptr;
    for (const ImportNote& note : report->notes.all()) {
        if (note.severity == NoteSeverity::dataLoss) qWarning("%s: %s", note.kind.c_str(), note.text.c_str());
    }
    Workspace workspace;
    workspace.add(report);
    return sceneOf(workspace);
}

QString table(std::string_view what, const ScenePtr& scene)
{
    return QString::fromStdString(tableText(runAnalysis(what, *scene, {}, Progress()).value()));
}

// Values that the files themselves record.
uint64_t otherLinks(const ScenePtr& scene)
{
    uint64_t count = 0;
    for (const ReportKey key : scene->shown.keys()) {
        const auto& links = scene->shown.report(key).links.all();
        count += links.size() - uint64_t(std::ranges::count(links, LinkKind::launch, &Link::kind));
    }
    return count;
}

void compareTables(const ScenePtr& before, const ScenePtr& after)
{
    QVERIFY(after != nullptr);
    for (const char* what :
         {"cuda_gpu_kern_sum", "cuda_gpu_mem_time_sum", "cuda_gpu_mem_size_sum", "cuda_api_sum"})
        QCOMPARE(table(what, after), table(what, before));
    // Exact up to the rounding of the axis: nothing moves, no launch is lost.
    uint64_t links = 0;
    for (const ReportKey key : before->shown.keys())
        links += uint64_t(
            std::ranges::count(before->shown.report(key).links.all(), LinkKind::launch, &Link::kind));
    const auto& again = after->shown.report(after->shown.keys().front());
    QCOMPARE(uint64_t(std::ranges::count(again.links.all(), LinkKind::launch, &Link::kind)), links);
    QCOMPARE(otherLinks(after), otherLinks(before));
    const auto all = [](const ScenePtr& scene) {
        const auto answer =
            runQuery("SELECT count(*), max(end_ns) - min(start_ns), sum(duration_ns) FROM slice", scene, {},
                     Progress());
        return QString::fromStdString(tableText(answer.value().front()));
    };
    QCOMPARE(all(after), all(before));
}

} // namespace

class TraceEventsTest : public QObject {
    Q_OBJECT

  private slots:
    void realFiles_data()
    {
        QTest::addColumn<QByteArray>("name");
        for (const char* name : {"", "nsys/cloverleaf_2024.5.sqlite", "nsys/power_iteration_2025.3.sqlite",
                                 "kineto/ns_resolution.rank-0.pt.trace.json.gz", "kineto/bert_h100.json.gz"})
            QTest::newRow(*name == 0 ? "two hosts" : name) << QByteArray(name);
    }
    void realFiles()
    {
        QFETCH(QByteArray, name);
        Workspace workspace = madeWorkspace(2, 1);
        if (!name.isEmpty()) {
            LOCKSTEP_NEED_SHARED_DATA();
            workspace = Workspace();
            workspace.add(readReport(sharedData(name.toStdString()), Progress(test::workers())).value());
        }
        const ScenePtr before = sceneOf(workspace);
        const TempDir folder;
        for (const TraceFormat& format : kFormats) {
            qInfo("%s", format.name);
            compareTables(before, sceneOf(reread(*before, format, folder)));
        }
    }
};

LOCKSTEP_TEST(TraceEventsTest, "trace_events_test")
#include "trace_events_test.moc"
