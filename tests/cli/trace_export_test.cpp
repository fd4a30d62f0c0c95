// SPDX-License-Identifier: Apache-2.0
// Tests tables that are written row by row, for scripts: the same bytes for any number of workers, row
// limits, provenance, and the message where there is nothing to list.
#include <map>

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "tests/support/launch_run.h"
#include "tests/support/program_run.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep::test;

namespace {

constexpr const char* kRowByRow = "cuda_gpu_trace,cuda_api_trace,cuda_kern_exec_trace,cuda_gpu_kern_gb_sum";

QString textOf(const std::filesystem::path& path)
{
    return QString::fromStdString(path.string());
}

// The export of a run with many launches, and its name.
QString madeExport(const TempDir& folder, int64_t launches)
{
    LaunchRun run;
    for (int64_t n = 0; n < launches; ++n)
        run.rows.push_back(variedLaunch(n));
    run.ranges = {{0, 100'000}, {2'000, 9'000}};
    const std::filesystem::path path = folder.path() / "run.sqlite";
    return runSql(path, run.nsysSql()) ? textOf(path) : QString();
}

} // namespace

class TraceExportTest : public QObject {
    Q_OBJECT

  private slots:
    void sameBytesWithAnyJobs()
    {
        const TempDir folder;
        const QString made = madeExport(folder, 2'000);
        std::map<QString, QByteArray> first;
        for (int round = 0; round < 20; ++round) {
            const QString jobs = QStringList{"1", "2", "8"}.at(round % 3);
            const QString format = QStringList{"csv", "json"}.at(round % 2);
            const ProgramRun run =
                runLockstep({"--export", kRowByRow, "--format", format, "--jobs", jobs, "-o", "-", made});
            QCOMPARE(run.status, 0);
            QVERIFY(run.output.count('\n') > 5'000);
            QVERIFY(run.output == first.try_emplace(format, run.output).first->second);
        }
    }

    void limitsAndProvenance()
    {
        const TempDir folder;
        const QString made = madeExport(folder, 300), out = textOf(folder.path() / "trace.json");
        const ProgramRun run =
            runLockstep({"--export", "cuda_gpu_trace:nvtx-name:base", "--rows", "7", "-o", out, made});
        QCOMPARE(run.status, 0);
        QFile file(out);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QJsonObject document = QJsonDocument::fromJson(file.readAll()).object();
        const QJsonObject table = document["tables"].toArray().at(0).toObject();
        QCOMPARE(table["rows"].toArray().size(), 7);
        QCOMPARE(table["rows"].toArray().at(1).toObject()["Name"].toString(), QString(":range 0/kernel_1"));
        const QJsonObject source = document["provenance"].toObject()["tables"].toArray().at(0).toObject();
        QCOMPARE(source["rows"].toString(), QString("slices of kind kernel, memcpy and memset"));
    }

    void nothingToList()
    {
        const TempDir folder;
        const QString made = madeExport(folder, 0);
        const ProgramRun run = runLockstep({"--export", kRowByRow, "--format", "csv", "-o", "-", made});
        QCOMPARE(run.status, 0);
        QVERIFY(run.errors.contains(
            "cuda_gpu_trace: no rows. The reports contain no kernels, copies or memsets"));
        QVERIFY(run.errors.contains("cuda_api_trace: no rows"));
        QVERIFY(run.errors.contains("cuda_gpu_kern_gb_sum: no rows"));
        QVERIFY(run.output.startsWith("Start (ns),Duration (ns),CorrId,"));
        const ProgramRun both = runLockstep({"--export", "cuda_gpu_trace:base:mangled", made});
        QCOMPARE(both.status, 2);
        QVERIFY(both.errors.contains("give only one of them"));
    }
};

LOCKSTEP_TEST(TraceExportTest, "trace_export_test")
#include "trace_export_test.moc"
