// SPDX-License-Identifier: Apache-2.0
// Tests the reduction of reports on their node to the bytes that are transferred.
#include <QTest>

#include "core/base/sha256.h"
#include "core/readers/reader.h"
#include "core/readers/workspace_file/workspace_file.h"
#include "tests/support/agent_run.h"
#include "tests/support/nsys_sql.h"
#include "tests/support/nsys_training_export.h"
#include "tests/support/report_text.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

class AgentReduceTest : public QObject {
    Q_OBJECT

  private slots:
    void reducedReportEqualsTheReport();
    void aHundredMegabytes();
    void otherFilesAreRefusedWithAReason();
    void outputsReplaceOnlyWorkspaces();
};

void AgentReduceTest::reducedReportEqualsTheReport()
{
    TempDir folder;
    const auto first = folder.path() / "a:b 'c'\n.sqlite", second = folder.path() / "-o.sqlite";
    QVERIFY(runSql(first, kSessionSql + kGpuSql + kCpuSql));
    QVERIFY(runSql(second, kSessionSql + kGpuSql));
    const AgentAnswer answer =
        runAgent(folder.path(), {"reduce", "./a:b 'c'\n.sqlite", "./-o.sqlite", "-o", "out put.lockstep"});
    QVERIFY2(answer.status == 0, answer.errors);
    const auto contents = openWorkspaceFile(folder.path() / "out put.lockstep", Progress());
    QVERIFY2(contents, contents ? "" : contents.error().message.c_str());
    QCOMPARE(contents->workspace.size(), size_t(2));
    for (const auto& [path, id] :
         {std::pair(first, ReportKey(uint32_t(0))), std::pair(second, ReportKey(uint32_t(1)))}) {
        const auto whole = readReport(path, Progress());
        QVERIFY(whole);
        const Report& reduced = contents->workspace.report(id);
        QCOMPARE(QString::fromStdString(reportText(reduced)), QString::fromStdString(reportText(**whole)));
        QCOMPARE(reduced.provenance.path.string(), path.string());
        const QByteArray digest = QByteArray::fromStdString(*sha256OfFile(path, Progress()));
        QVERIFY(contents->sections.at("reduced").find(digest.toStdString()) != std::string::npos);
        QVERIFY(answer.output.contains(digest));
    }
}

void AgentReduceTest::aHundredMegabytes()
{
    TempDir folder;
    TrainingExportSize size;
    QVERIFY(writeTrainingExport(folder.path() / "big.sqlite", 345, size));
    const auto raw_bytes = std::filesystem::file_size(folder.path() / "big.sqlite");
    QVERIFY(raw_bytes > 95'000'000);
    const AgentAnswer answer = runAgent(folder.path(), {"reduce", "big.sqlite", "-o", "big.lockstep"});
    QVERIFY2(answer.status == 0, answer.errors);
    const auto reduced_bytes = std::filesystem::file_size(folder.path() / "big.lockstep");
    QCOMPARE(qint64(reduced_bytes), answer.objects().first()["size_bytes"].toInteger());
    qInfo("reduce: %lld bytes of %lld cross the link, one in %.1f", static_cast<long long>(reduced_bytes),
          static_cast<long long>(raw_bytes), double(raw_bytes) / double(reduced_bytes));
    QVERIFY(reduced_bytes * 20 <= raw_bytes);
    const auto contents = openWorkspaceFile(folder.path() / "big.lockstep", Progress());
    QVERIFY(contents);
    QCOMPARE(int64_t(contents->workspace.report(ReportKey(uint32_t(0))).slices.size()),
             size.kernels + size.calls + size.ranges);
}

void AgentReduceTest::otherFilesAreRefusedWithAReason()
{
    TempDir folder;
    folder.write("trace.json", R"({"traceEvents": [{"ph": "X", "ts": 1, "dur": 1, "name": "x"}]})");
    const AgentAnswer refused = runAgent(folder.path(), {"reduce", "trace.json", "-o", "out.lockstep"});
    QCOMPARE(refused.status, 1);
    QVERIFY2(refused.errors.contains("fetched whole"), refused.errors);
    QVERIFY(!std::filesystem::exists(folder.path() / "out.lockstep"));
    QVERIFY(runSql(folder.path() / "x.sqlite", kSessionSql + kGpuSql));
    const AgentAnswer partly =
        runAgent(folder.path(), {"reduce", "trace.json", "x.sqlite", "none", "-o", "out.lockstep"});
    QCOMPARE(partly.status, 3);
    QCOMPARE(partly.objects().first()["failed"].toArray().size(), 2);
    QCOMPARE(runAgent(folder.path(), {"reduce", "x.sqlite"}).status, 2);
    QCOMPARE(runAgent(folder.path(), {"reduce", "x.sqlite", "-o", "/no/such/folder/x.lockstep"}).status, 1);
}

void AgentReduceTest::outputsReplaceOnlyWorkspaces()
{
    TempDir folder;
    QVERIFY(runSql(folder.path() / "a.sqlite", kSessionSql + kGpuSql));
    folder.write("letter", "dear");
    std::filesystem::create_symlink("a.sqlite", folder.path() / "same");
    const std::string before = contentOf(folder.path() / "a.sqlite");
    for (const char* output : {"a.sqlite", "./a.sqlite", "same", "letter"}) {
        const AgentAnswer answer = runAgent(folder.path(), {"reduce", "a.sqlite", "-o", output});
        QVERIFY2(answer.status == 2, output + answer.errors);
    }
    QVERIFY(contentOf(folder.path() / "a.sqlite") == before);
    QCOMPARE(contentOf(folder.path() / "letter"), std::string("dear"));
    for (int i = 0; i < 2; ++i)
        QCOMPARE(runAgent(folder.path(), {"reduce", "a.sqlite", "-o", "out.lockstep"}).status, 0);
}

LOCKSTEP_TEST(AgentReduceTest, "agent_reduce_test")
#include "agent_reduce_test.moc"
