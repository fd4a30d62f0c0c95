// SPDX-License-Identifier: Apache-2.0
// A trace that was written for other tools opens here again, and its tables are those of the files it was
// made of.
#include "core/export/chrome_trace.h"

#include "core/analysis/analysis.h"
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
    return makeUndrawnScene(workspace, alignReports(workspace, {}));
}

ScenePtr reread(const Scene& scene, const TempDir& folder)
{
    std::string text;
    const Status written = writeChromeTrace(
        scene, [&](std::string_view piece) { text += piece; }, Progress());
    if (!written) return nullptr;
    const auto report = readReport(folder.write("again.json", text), Progress(test::workers()));
    if (!report) {
        qWarning("%s", report.error().message.c_str());
        return nullptr;
    }
    for (const ImportNote& note : (*report)->notes.all()) {
        if (note.severity == NoteSeverity::dataLoss) qWarning("%s: %s", note.kind.c_str(), note.text.c_str());
    }
    Workspace workspace;
    workspace.add(*report);
    return sceneOf(workspace);
}

QString table(std::string_view what, const ScenePtr& scene)
{
    return QString::fromStdString(tableText(runAnalysis(what, *scene, {}, Progress()).value()));
}

void compareTables(const ScenePtr& before, const ScenePtr& after)
{
    QVERIFY(after != nullptr);
    for (const char* what :
         {"cuda_gpu_kern_sum", "cuda_gpu_mem_time_sum", "cuda_gpu_mem_size_sum", "cuda_api_sum"})
        QCOMPARE(table(what, after), table(what, before));
    // To the rounding of the axis: nothing moves, no launch is lost.
    uint64_t links = 0;
    for (const ReportKey key : before->shown.keys())
        links += uint64_t(
            std::ranges::count(before->shown.report(key).links.all(), LinkKind::launch, &Link::kind));
    const auto& again = after->shown.report(after->shown.keys().front());
    QCOMPARE(uint64_t(std::ranges::count(again.links.all(), LinkKind::launch, &Link::kind)), links);
    const auto all = [](const ScenePtr& scene) {
        const auto answer =
            runQuery("SELECT count(*), max(end_ns) - min(start_ns), sum(duration_ns) FROM slice", scene, {},
                     Progress());
        return QString::fromStdString(tableText(answer.value().front()));
    };
    QCOMPARE(all(after), all(before));
}

} // namespace

class ChromeTraceTest : public QObject {
    Q_OBJECT

  private slots:
    void twoHosts()
    {
        const ScenePtr before = sceneOf(madeWorkspace(2, 1));
        const TempDir folder;
        compareTables(before, reread(*before, folder));
    }

    void realFiles_data()
    {
        QTest::addColumn<QByteArray>("name");
        for (const char* name : {"nsys/cloverleaf_2024.5.sqlite", "nsys/power_iteration_2025.3.sqlite",
                                 "kineto/ns_resolution.rank-0.pt.trace.json.gz", "kineto/bert_h100.json.gz"})
            QTest::newRow(name) << QByteArray(name);
    }
    void realFiles()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        QFETCH(QByteArray, name);
        Workspace workspace;
        workspace.add(readReport(sharedData(name.toStdString()), Progress(test::workers())).value());
        const ScenePtr before = sceneOf(workspace);
        const TempDir folder;
        compareTables(before, reread(*before, folder));
    }
};

LOCKSTEP_TEST(ChromeTraceTest, "chrome_trace_test")
#include "chrome_trace_test.moc"
