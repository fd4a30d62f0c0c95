// SPDX-License-Identifier: Apache-2.0
// Tests comparisons of two runs from a script: every format has both sides, conditions on changes set the
// exit status, incomparable data is reported, and the number of workers changes no byte.
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "tests/support/places.h"
#include "tests/support/program_run.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using lockstep::test::ProgramRun;
using lockstep::test::runLockstep;
using lockstep::test::TempDir;

namespace {

// A trace of four steps of 100 us, each with a kernel of the given length in us.
std::string stepTraceText(int kernel_us, const char* gpu = "NVIDIA H100")
{
    std::string text = "{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0, \"name\": \"" +
                       std::string(gpu) +
                       "\"}], \"distributedInfo\": {\"rank\": 0, \"world_size\": 1}, \"traceEvents\": [\n";
    const auto event = [&](const char* category, const std::string& name, int at_us, int length_us,
                           const char* arguments) {
        text += "{\"ph\": \"X\", \"cat\": \"" + std::string(category) + "\", \"name\": \"" + name +
                "\", \"pid\": 4, \"tid\": " + (category[0] == 'k' ? "7" : "4") +
                ", \"ts\": " + std::to_string(1'694'128'201'000'000 + at_us) +
                ", \"dur\": " + std::to_string(length_us) + ", \"args\": {" + arguments + "}},\n";
    };
    for (int step = 0; step < 4; ++step) {
        event("user_annotation", "ProfilerStep#" + std::to_string(step), 100 * step, 100, "");
        event("kernel", "gemm", 100 * step + 10, kernel_us + step,
              "\"device\": 0, \"stream\": 7, \"correlation\": 1");
    }
    return text +
           "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 4, \"args\": {\"name\": \"python\"}}\n]}\n";
}

QString nameOf(const std::filesystem::path& file)
{
    return QString::fromStdString(file.string());
}

} // namespace

class BaselineTest : public QObject {
    Q_OBJECT

  private slots:
    // The baseline comes first, then the inputs; the bytes are equal with any number of workers, and
    // differences are given as text.
    void pictureOfBothRuns_data()
    {
        QTest::addColumn<QString>("format");
        QTest::addColumn<QByteArray>("begin");
        QTest::newRow("png") << "png" << QByteArray("\x89PNG");
        QTest::newRow("svg") << "svg" << QByteArray("<?xml");
        QTest::newRow("pdf") << "pdf" << QByteArray("%PDF");
    }
    void pictureOfBothRuns()
    {
        QFETCH(QString, format);
        QFETCH(QByteArray, begin);
        const TempDir folder;
        const QString a = nameOf(folder.write("a.json", stepTraceText(20))),
                      b = nameOf(folder.write("b.json", stepTraceText(30)));
        const auto draw = [&](const QString& to, const QString& jobs, const QString& before) {
            const ProgramRun run =
                runLockstep({"--export", "timeline", "--format", format, "--size", "900x500", "--jobs", jobs,
                             "-o", nameOf(folder.path() / to.toStdString()), "--baseline", before, b});
            QFile file(nameOf(folder.path() / to.toStdString()));
            return std::pair(run, file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray());
        };
        const auto [run, bytes] = draw("one", "1", a);
        QCOMPARE(run.status, 0);
        QVERIFY(bytes.startsWith(begin));
        QVERIFY2(run.errors.contains("8 of 8 slices in both, changed: 4"), run.errors);
        QCOMPARE(draw("four", "4", a).second, bytes);
        const auto [equal, same] = draw("same", "1", b);
        QVERIFY2(equal.errors.contains("8 of 8 slices in both, changed: 0"), equal.errors);
        QVERIFY(same != bytes);
        if (format != "svg") return;
        QVERIFY(bytes.contains("changed: 4"));
        QVERIFY(bytes.contains("a.json") && bytes.contains("b.json") && bytes.contains("B \xe2\x88\x92 A"));
    }
    void fileNameSelectsTheFormat()
    {
        const TempDir folder;
        const QString a = nameOf(folder.write("a.json", stepTraceText(20)));
        for (const auto& [name, begin] :
             {std::pair("x.SVG", QByteArray("<?xml")), std::pair("x.pdf", QByteArray("%PDF")),
              std::pair("x", QByteArray("\x89PNG"))}) {
            QCOMPARE(runLockstep({"--export", "timeline", "-o", nameOf(folder.path() / name), a}).status, 0);
            QFile file(nameOf(folder.path() / name));
            QVERIFY(file.open(QIODevice::ReadOnly));
            QVERIFY2(file.readAll().startsWith(begin), name);
        }
    }
    void pictureThatIsTooSmall()
    {
        const TempDir folder;
        const QString a = nameOf(folder.write("a.json", stepTraceText(20)));
        const ProgramRun run = runLockstep({"--export", "timeline", "--size", "900x150", "-o",
                                            nameOf(folder.path() / "x.png"), "--baseline", a, a});
        QVERIFY(run.status != 0);
        QVERIFY2(run.errors.contains("a comparison picture must be at least"), run.errors);
        QVERIFY(!QFile::exists(nameOf(folder.path() / "x.png")));
    }

    void conditionsOnChanges_data()
    {
        QTest::addColumn<QString>("condition");
        QTest::addColumn<int>("status");
        QTest::newRow("increase") << "kernel_total>+5%" << 4;
        QTest::newRow("smaller increase") << "kernel_total>+60%" << 0;
        QTest::newRow("decrease") << "kernel_total<-5%" << 0;
        QTest::newRow("one row") << "step_statistics.mean>+40%" << 4;
        QTest::newRow("a total") << "step_breakdown.busy_ns>+40%" << 4;
        QTest::newRow("row count") << "step_breakdown>0" << 4;
        QTest::newRow("no such column") << "step_breakdown.speed>+5%" << 2;
    }
    void conditionsOnChanges()
    {
        QFETCH(QString, condition);
        QFETCH(int, status);
        const TempDir folder;
        const QString a = nameOf(folder.write("a.json", stepTraceText(20))),
                      b = nameOf(folder.write("b.json", stepTraceText(30)));
        const ProgramRun run =
            runLockstep({"--export", "cuda_gpu_kern_sum", "-o", nameOf(folder.path() / "out.csv"),
                         "--baseline", a, "--fail-on", condition, b});
        QCOMPARE(run.status, status);
        QCOMPARE(run.errorLines().size(), status == 0 ? 0 : 1);
    }

    void everyFormatHasBothRuns()
    {
        const TempDir folder;
        const QString a = nameOf(folder.write("a.json", stepTraceText(20))),
                      b = nameOf(folder.write("b.json", stepTraceText(30)));
        const auto text = [&](const char* format) {
            return runLockstep({"--export", "step_statistics", "--format", format, "--provenance",
                                "--baseline", a, b})
                .output;
        };
        for (const char* const format : {"csv", "tsv", "markdown", "jsonl", "table"})
            QVERIFY2(text(format).contains("mean_before"), format);
        QVERIFY(text("csv").contains("# baseline: " + a.toUtf8() + " sha256="));
        const QJsonObject json = QJsonDocument::fromJson(text("json")).object();
        const QJsonObject provenance = json["provenance"].toObject();
        QCOMPARE(provenance["inputs"].toArray()[0].toObject()["path"].toString(), b);
        const QJsonObject before = provenance["baseline"].toObject()["inputs"].toArray()[0].toObject();
        QCOMPARE(before["path"].toString(), a);
        QCOMPARE(before["sha256"].toString().size(), qsizetype(64));
        QCOMPARE(provenance["baseline"].toObject()["differences"].toArray().size(), qsizetype(0));
        QJsonObject busy;
        for (const QJsonValue row : json["tables"].toArray()[0].toObject()["rows"].toArray()) {
            if (row["metric"] == "busy") busy = row.toObject();
        }
        // Steps 1, 2 and 3 take 21, 22 and 23 us before, and 31, 32 and 33 us after.
        QCOMPARE(busy["mean_change_ns"].toDouble(), 10'000.0);
        QCOMPARE(busy["mean_change_pctg"].toDouble(), 45.45);
        QCOMPARE(busy["beyond_noise"].toString(), QString("yes"));
        QVERIFY(busy["mean_change_low_ns"].toDouble() > 0);
    }

    void differencesAreReported()
    {
        const TempDir folder;
        const QString a = nameOf(folder.write("a.json", stepTraceText(20, "NVIDIA A100"))),
                      b = nameOf(folder.write("b.json", stepTraceText(30)));
        const ProgramRun run = runLockstep(
            {"--export", "step_statistics", "--format", "csv", "--provenance", "--baseline", a, b});
        QCOMPARE(run.status, 0);
        QCOMPARE(
            run.errorLines(),
            QList<QByteArray>{
                "lockstep: the inputs differ from the baseline in GPU: before NVIDIA A100; after NVIDIA H100"});
        QVERIFY(run.output.contains("#   differs: GPU: before NVIDIA A100; after NVIDIA H100"));
        QVERIFY(run.output.contains("rule: the runs differ in GPU: before NVIDIA A100; after NVIDIA H100"));
    }

    void runsWithNothingInCommonAreReported()
    {
        const TempDir folder;
        const QString a = nameOf(folder.write("a.json", stepTraceText(20))),
                      b = nameOf(folder.write(
                          "b.json",
                          QString::fromStdString(stepTraceText(20)).replace("gemm", "relu").toStdString()));
        const ProgramRun run =
            runLockstep({"--export", "cuda_gpu_kern_sum", "--format", "csv", "--baseline", a, b});
        QCOMPARE(run.status, 0);
        QCOMPARE(run.errorLines(),
                 QList<QByteArray>{
                     "lockstep: cuda_gpu_kern_sum: no row exists in both runs, so nothing was compared"});
        QVERIFY(run.output.contains("relu,after") && run.output.contains("gemm,before"));
    }

    void unreadableBaselineIsAnError()
    {
        const TempDir folder;
        const QString b = nameOf(folder.write("b.json", stepTraceText(30)));
        const QString broken = nameOf(folder.write("broken.sqlite", "SQLite format 3\0 and no more"));
        for (const QString& baseline : {broken, nameOf(folder.path() / "absent")}) {
            const QString out = nameOf(folder.path() / "out.csv");
            const ProgramRun run =
                runLockstep({"--export", "step_statistics", "-o", out, "--baseline", baseline, b});
            QCOMPARE(run.status, 1);
            QVERIFY(!run.errorLines().isEmpty());
            QVERIFY(!QFile::exists(out));
        }
    }

    void numberOfWorkersChangesNoByte()
    {
        const TempDir folder;
        const QString a = nameOf(folder.write("a.json", stepTraceText(20))),
                      b = nameOf(folder.write("b.json", stepTraceText(30)));
        const QString what =
            "step_breakdown,role_breakdown,step_statistics,step_statistics:series,cuda_gpu_kern_sum";
        QByteArray first;
        for (const char* const jobs : {"1", "8"}) {
            const ProgramRun run =
                runLockstep({"--export", what, "--format", "json", "--jobs", jobs, "--baseline", a, b});
            QCOMPARE(run.status, 0);
            if (first.isEmpty()) first = run.output;
            QCOMPARE(run.output, first);
        }
        QVERIFY(first.size() > 1000);
    }

    void usage()
    {
        const TempDir folder;
        const QString b = nameOf(folder.write("b.json", stepTraceText(30)));
        QCOMPARE(runLockstep({"--export", "inventory", "--fail-on", "kernel_total>+5%", b}).status, 2);
        QCOMPARE(runLockstep({"--export", "inventory", "--clip", "exclude", b}).status, 2);
        const ProgramRun communicators =
            runLockstep({"--export", "cuda_gpu_kern_sum", "--by", "communicator", b});
        QCOMPARE(communicators.status, 2);
        QCOMPARE(communicators.errorLines(),
                 QList<QByteArray>{"lockstep: cuda_gpu_kern_sum: rows have no communicator; tables with "
                                   "communicators: stragglers, collectives, comm_comp_overlap"});
    }
};

LOCKSTEP_TEST(BaselineTest, "baseline_test")
#include "baseline_test.moc"
