// SPDX-License-Identifier: Apache-2.0
// Tests the program as scripts use it: exit statuses, one clear line per bad input, whole files or none,
// equal bytes.

#include <csignal>

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "tests/support/gzip_text.h"
#include "tests/support/places.h"
#include "tests/support/program_run.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using lockstep::test::builtProgram;
using lockstep::test::gzipped;
using lockstep::test::ProgramRun;
using lockstep::test::runLockstep;
using lockstep::test::TempDir;

namespace {

// A Kineto trace of `kernels` kernels of 2 us each, cut after `size` bytes if given.
std::string kinetoText(int rank, int kernels, size_t size = std::string::npos)
{
    std::string text = "{\"schemaVersion\": 1, \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": " +
                       std::to_string(rank) + ", \"world_size\": 2}, \"traceEvents\": [\n";
    for (int i = 0; i < kernels; ++i) {
        text += "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"gemm\", \"pid\": 0, \"tid\": 7, \"ts\": " +
                std::to_string(1'694'128'201'000'000 + 10 * i) +
                ", \"dur\": 2, \"args\": {\"device\": 0, \"stream\": 7, \"correlation\": " +
                std::to_string(i + 1) + "}},\n";
    }
    text += "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 0, \"args\": {\"name\": \"python\"}}\n]}\n";
    return text.substr(0, size);
}

QString path(const std::filesystem::path& file)
{
    return QString::fromStdString(file.string());
}

QByteArray contentOf(const QString& name)
{
    QFile file(name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("absent");
}

QStringList filesIn(const QString& folder)
{
    return QDir(folder).entryList(QDir::Files | QDir::Hidden, QDir::Name);
}

} // namespace

class ExportTest : public QObject {
    Q_OBJECT

  private slots:
    void badInputs_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("rows"); // of the kernel table, which is still written
        const auto row = [](const char* what, const char* name, const std::string& bytes, int status,
                            const char* rows) {
            QTest::newRow(what) << name << QByteArray::fromStdString(bytes) << status << QByteArray(rows);
        };
        const std::string whole = gzipped(kinetoText(0, 2000));
        row("truncated gzip", "cut.json.gz", whole.substr(0, whole.size() * 2 / 3), 3, "100.0,");
        row("truncated JSON", "cut.json", kinetoText(0, 100, 9000), 3, "100.0,");
        row("empty file", "empty.json", "", 1, "");
        row("text named .sqlite", "text.sqlite", "just some words\n", 1, "");
        row("truncated report", "cut.nsys-rep",
            "NVIDIA Tegra Profiler Report 2024@6@2@225-246235244400v0." + std::string(7, '\0'), 1, "");
        row("JSON that is not a trace", "list.json", "{\"a\": [1, 2, 3]}", 1, "");
    }
    void badInputs()
    {
        QFETCH(QString, name);
        QFETCH(QByteArray, bytes);
        QFETCH(int, status);
        QFETCH(QByteArray, rows);
        const TempDir folder;
        const QString file = path(folder.write(name.toStdString(), bytes.toStdString()));
        const ProgramRun run = runLockstep({"--export", "cuda_gpu_kern_sum", file});
        QVERIFY2(run.status == status, run.errors + run.output);
        QCOMPARE(run.errorLines().size(), 1);
        QVERIFY2(run.errors.startsWith("lockstep: " + file.toUtf8() + ": "), run.errors);
        if (!rows.isEmpty()) QVERIFY2(run.output.split('\n').at(1).startsWith(rows), run.output);
        if (rows.isEmpty()) QCOMPARE(run.output, QByteArray());
    }

    void anotherDatabaseIsRefused()
    {
        const TempDir folder;
        const auto file = folder.path() / "shop.sqlite";
        QVERIFY(test::runSql(file, "CREATE TABLE orders(id INTEGER)"));
        const ProgramRun run = runLockstep({"--export", "inventory", path(file)});
        QCOMPARE(run.status, 1);
        QCOMPARE(run.errorLines().size(), 1);
        QVERIFY2(run.errors.startsWith("lockstep: " + path(file).toUtf8() + ": "), run.errors);
        QVERIFY(run.output.contains("shop.sqlite")); // the inventory lists failed inputs
    }

    void foldersWithoutReports()
    {
        const TempDir folder;
        folder.write("a.txt", "words");
        folder.write("b/c.png", "\x89PNG");
        const ProgramRun quiet = runLockstep({"--export", "inventory", path(folder.path())});
        QCOMPARE(quiet.status, 1);
        QCOMPARE(quiet.errorLines().size(), 1);
        QVERIFY2(quiet.errors.contains("no report among the inputs (files examined: 2"), quiet.errors);
        const ProgramRun verbose = runLockstep({"-v", "--export", "inventory", path(folder.path())});
        QCOMPARE(verbose.errorLines().size(), 3);
        QVERIFY(verbose.errors.contains("c.png: skipped: "));
    }

    void partOfTheInputs()
    {
        const TempDir folder;
        folder.write("a.json", kinetoText(0, 3));
        const QString broken = path(folder.write("b.json", ""));
        const ProgramRun run =
            runLockstep({"--export", "cuda_gpu_kern_sum", path(folder.path() / "a.json"), broken});
        QCOMPARE(run.status, 3);
        QCOMPARE(run.errorLines().size(), 1);
        QVERIFY(run.output.contains("100.0,6000,3,2000.0,2000.0,2000,2000,0.0,gemm\n"));
    }

    void otherFilesAreSkippedAndCounted()
    {
        const TempDir folder;
        folder.write("a.json", kinetoText(0, 3));
        folder.write("c.png", "\x89PNG");
        QVERIFY(test::runSql(folder.path() / "wandb.db", "CREATE TABLE runs(id INTEGER)"));
        const ProgramRun run = runLockstep({"--export", "cuda_gpu_kern_sum", path(folder.path())});
        QCOMPARE(run.status, 0);
        QCOMPARE(run.errorLines().size(), 1);
        QVERIFY2(run.errors.contains("files skipped: 2"), run.errors);
        QCOMPARE(runLockstep({"-q", "--export", "cuda_gpu_kern_sum", path(folder.path())}).errors,
                 QByteArray());
    }

    void noRowsAfterAFailureProveNothing()
    {
        const TempDir folder;
        const QString a = path(folder.write("a.json", kinetoText(0, 3)));
        const QString broken = path(folder.write("b.json", ""));
        const ProgramRun run = runLockstep({"--export", "osrt_sum", a, broken});
        QCOMPARE(run.status, 3);
        QVERIFY2(run.errors.contains("osrt_sum: no rows, but 1 of 2 inputs could not be read"), run.errors);
        QVERIFY(!run.errors.contains("holds no"));
        QVERIFY(runLockstep({"--export", "osrt_sum", a}).errors.contains("contain no OS runtime calls"));
    }

    void lostRowsMeanPartialResults()
    {
        const TempDir folder;
        const auto file = folder.path() / "a.sqlite";
        QVERIFY(test::runSql(file, R"(
            CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);
            CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
            INSERT INTO StringIds VALUES(1, 'gemm');
            CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT, end INT, deviceId INT, contextId INT, streamId INT,
                correlationId INT, globalPid INT, demangledName INT, shortName INT);
            INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(10, 20, 0, 1, 7, 5, 281474993487872, 1, 1);
            INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(40, 30, 0, 1, 7, 6, 281474993487872, 1, 1);)"));
        const ProgramRun run = runLockstep({"--export", "cuda_gpu_kern_sum", path(file)});
        QCOMPARE(run.status, 3);
        QCOMPARE(run.errorLines().size(), 1);
        QVERIFY2(run.errors.contains("CUPTI_ACTIVITY_KIND_KERNEL row 2"), run.errors);
        QVERIFY(run.output.contains("100.0,10,1,10.0"));
    }

    void groupsFiltersAndStandardInput()
    {
        const TempDir folder;
        const QString a = path(folder.write("a.json", kinetoText(0, 3)));
        const QString b = path(folder.write("b.json", kinetoText(1, 5)));
        const QByteArray list = (a + "\n" + b + "\n").toUtf8();
        const ProgramRun byRank =
            runLockstep({"--export", "cuda_gpu_kern_sum", "--by", "rank", "--timeunit", "us", "-"}, list);
        QCOMPARE(byRank.status, 0);
        QCOMPARE(byRank.output,
                 QByteArray("Rank,Time (%),Total Time (us),Instances,Avg (us),Med (us),Min (us),Max "
                            "(us),StdDev (us),Name\n"
                            "0,100.0,6.000,3,2.0000,2.0000,2.000,2.000,0.0000,gemm\n"
                            "1,100.0,10.000,5,2.0000,2.0000,2.000,2.000,0.0000,gemm\n"));
        const ProgramRun one = runLockstep(
            {"--export", "cuda_gpu_kern_sum", "--filter", "rank=1", "--time-range", "11us..35us", a, b});
        // Kernels begin every 10 us: half of the second, all of the third, and the first two of the fourth.
        QVERIFY2(one.output.contains("100.0,5000,3,"), one.output);
    }

    void identityFilesOverride()
    {
        const TempDir folder;
        const QString a = path(folder.write("a.json", kinetoText(0, 3)));
        const QString who = path(folder.write("who.csv", "path,rank,role\n*.json,7,actor\n"));
        const ProgramRun run = runLockstep(
            {"--export", "osrt_sum,cuda_gpu_kern_sum", "--by", "rank", "--identity", who, "-q", a});
        QCOMPARE(run.status, 0);
        QVERIFY2(run.output.contains("\n7,100.0,6000,"), run.output);
        const ProgramRun broken = runLockstep({"--export", "inventory", "--identity", a, a});
        QCOMPARE(broken.status, 2);
    }

    void filesAreCompleteAndEqual()
    {
        const TempDir folder;
        const QString a = path(folder.write("a.json", kinetoText(0, 50)));
        const QStringList arguments{"--export", "inventory,alignment,cuda_gpu_kern_sum:base", "--format",
                                    "json", a};
        for (const QString& to : {path(folder.path() / "one"), path(folder.path() / "two")}) {
            QCOMPARE(runLockstep(QStringList{"-o", to} + arguments).status, 0);
            QCOMPARE(filesIn(to),
                     (QStringList{"alignment.json", "cuda_gpu_kern_sum+base.json", "inventory.json"}));
        }
        for (const QString& name : filesIn(path(folder.path() / "one"))) {
            const QByteArray first = contentOf(path(folder.path() / "one") + "/" + name);
            QCOMPARE(first, contentOf(path(folder.path() / "two") + "/" + name));
            QJsonParseError error;
            const QJsonObject document = QJsonDocument::fromJson(first, &error).object();
            QCOMPARE(error.error, QJsonParseError::NoError);
            QCOMPARE(document["provenance"]["inputs"][0]["sha256"].toString().size(), 64);
            QCOMPARE(document["tables"].toArray().size(), 1);
        }
        QCOMPARE(runLockstep(arguments).output, runLockstep(QStringList{"--jobs", "1"} + arguments).output);
    }

    void fileNameSelectsTheFormat()
    {
        const TempDir folder;
        const QString a = path(folder.write("a.json", kinetoText(0, 3)));
        const QString out = path(folder.path() / "t.md");
        QCOMPARE(runLockstep({"--export", "cuda_gpu_kern_sum", "-o", out, a}).status, 0);
        QVERIFY(contentOf(out).startsWith("### CUDA GPU kernel summary"));
        const QString csv = path(folder.path() / "t.csv");
        QCOMPARE(runLockstep({"--export", "cuda_gpu_kern_sum", "--provenance", "-o", csv, a}).status, 0);
        QVERIFY(contentOf(csv).startsWith("# lockstep "));
        QVERIFY(contentOf(csv + ".provenance.json").startsWith("{\"program\""));
    }

    void invalidOutputs()
    {
        const TempDir folder;
        const QString a = path(folder.write("a.json", kinetoText(0, 3)));
        const ProgramRun absent =
            runLockstep({"--export", "cuda_gpu_kern_sum", "-o", path(folder.path() / "no" / "t.csv"), a});
        QCOMPARE(absent.status, 1);
        QCOMPARE(absent.errorLines().size(), 1);
        const ProgramRun several = runLockstep({"--export", "cuda_gpu_kern_sum,osrt_sum", "-o", a, a});
        QCOMPARE(several.status, 2);
        QCOMPARE(contentOf(a), QByteArray::fromStdString(kinetoText(0, 3)));
    }

    void conditionsAndUsage()
    {
        const TempDir folder;
        const QString a = path(folder.write("a.json", kinetoText(0, 3)));
        QCOMPARE(runLockstep({"--export", "inventory", "--fail-on", "kernel_total > 5us", a}).status, 4);
        QCOMPARE(runLockstep({"--export", "inventory", "--fail-on", "kernel_total > 6us", a}).status, 0);
        const ProgramRun usage = runLockstep({"--export", "bogus", a});
        QCOMPARE(usage.status, 2);
        QCOMPARE(usage.errorLines().size(), 1);
        const ProgramRun help = runLockstep({"--help"});
        QCOMPARE(help.status, 0);
        QVERIFY(help.output.contains("cuda_gpu_kern_sum[:nvtx-name][:base][:mangled]"));
        QVERIFY(runLockstep({"--version"}).output.startsWith("lockstep "));
    }

    void interruptsLeaveNothing()
    {
        const TempDir folder;
        QProcess process;
        process.setReadChannel(QProcess::StandardError);
        process.start(builtProgram("lockstep"),
                      {"-v", "--export", "inventory", "-o", path(folder.path() / "out.csv"), "-"});
        QByteArray said;
        while (!said.contains("standard input") && process.waitForReadyRead(test::kPatience_ms)) {
            said += process.readAllStandardError();
        }
        QVERIFY2(said.contains("reading paths"), said);
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        QVERIFY(process.waitForFinished(test::kPatience_ms));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 130);
        QCOMPARE(filesIn(path(folder.path())), QStringList());
    }

    void windowWithoutDisplayShowsARemedy_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("display");
        QTest::newRow("file") << QStringList{"a.json"} << QString();
        QTest::newRow("no arguments") << QStringList() << QString();
        QTest::newRow("unreachable display") << QStringList{"a.json"} << QString("127.0.0.1:987");
    }

    void windowWithoutDisplayShowsARemedy()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QString, display);
        const TempDir folder;
        folder.write("a.json", kinetoText(0, 3));
        QProcess process;
        QProcessEnvironment environment;
        environment.insert("HOME", path(folder.path()));
        if (!display.isEmpty()) environment.insert("DISPLAY", display);
        process.setProcessEnvironment(environment);
        process.setWorkingDirectory(path(folder.path()));
        process.start(builtProgram("lockstep"), arguments);
        QVERIFY(process.waitForFinished(test::kPatience_ms));
        const QByteArray said = process.readAllStandardError();
        if (said.contains("has no window")) QSKIP("this build has no window");
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 2);
        QVERIFY2(said.startsWith("lockstep: cannot open a window: "), said);
        QVERIFY2(said.contains("lockstep --export timeline -o timeline.png"), said);
        QVERIFY2(display.isEmpty() ? said.contains("DISPLAY nor") : said.contains(display.toUtf8()), said);
        QVERIFY2(!said.contains("platform plugin"), said);
    }

    void picturesNeedNoDisplay()
    {
        const TempDir folder;
        const QString a = path(folder.write("a.json", kinetoText(0, 3)));
        const ProgramRun run = runLockstep({"--export", "timeline", "--size", "400x300", a});
        if (run.errors.contains("window library")) QSKIP("this build draws no pictures");
        QCOMPARE(run.status, 0);
        QCOMPARE(run.errors, QByteArray());
        QVERIFY(run.output.startsWith("\x89PNG"));
        const QString out = path(folder.path() / "t.svg");
        QCOMPARE(runLockstep({"--export", "timeline", "--format", "svg", "-o", out, a}).status, 0);
        QVERIFY(contentOf(out).contains("<svg"));
    }

    void picturesAreTheSameForAnyNumberOfWorkers()
    {
        const TempDir folder;
        for (int rank = 0; rank < 5; ++rank)
            folder.write("r" + std::to_string(rank) + ".json", kinetoText(rank, 20'000));
        QByteArray first;
        for (const char* const jobs : {"1", "2", "3", "8", "8", "8"}) {
            const ProgramRun run =
                runLockstep({"--export", "timeline", "--format", "svg", "--jobs", jobs, path(folder.path())});
            if (run.errors.contains("window library")) QSKIP("this build draws no pictures");
            QCOMPARE(run.status, 0);
            if (first.isEmpty()) first = run.output;
            QVERIFY2(run.output == first, jobs);
        }
    }

    // Data that does not fit in memory is stored on disk with the same content; the next time no input is
    // read again.
    void memoryLimitPutsInputsOnDisk()
    {
        const TempDir folder("/var/tmp");
        const QString a = path(folder.write("a.json", kinetoText(0, 300)));
        const QString cache = path(folder.path() / "cache");
        for (const QString what : {"cuda_gpu_kern_sum,inventory", "timeline"}) {
            const QStringList asked{"--export", what, "--format", what == "timeline" ? "svg" : "json", a};
            const ProgramRun inMemory = runLockstep(asked);
            if (inMemory.errors.contains("window library")) continue;
            QCOMPARE(inMemory.status, 0);
            for (int time = 0; time < 2; ++time) {
                const ProgramRun onDisk =
                    runLockstep(QStringList{"--memory-limit", "1000", "--cache", cache} + asked);
                QVERIFY2(onDisk.status == 0, onDisk.errors);
                QCOMPARE(onDisk.output, inMemory.output);
                QCOMPARE(filesIn(cache).size(), 1);
            }
        }
    }

    void inputsThatFitNowhereAreLeftOut()
    {
        const TempDir folder;
        const QString a = path(folder.write("a.json", kinetoText(0, 3)));
        const QString cache = path(folder.write("no folder", ""));
        const ProgramRun run =
            runLockstep({"--export", "cuda_gpu_kern_sum", "--memory-limit", "1000", "--cache", cache, a});
        QCOMPARE(run.status, 1);
        QVERIFY2(run.errors.contains("raise --memory-limit"), run.errors);
        QVERIFY2(run.errors.contains("cannot be placed on disk either: " + cache.toUtf8()), run.errors);
    }
};

LOCKSTEP_TEST(ExportTest, "export_test")
#include "export_test.moc"
