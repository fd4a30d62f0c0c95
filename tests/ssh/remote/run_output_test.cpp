// SPDX-License-Identifier: Apache-2.0
// Tests this machine's disks during a run: an output that cannot be written, a log that cannot be written, a
// full home, and the remaining files afterwards. Runs on this machine; no sshd is needed.
#include <fstream>

#include <QTest>

#include "tests/support/lockstep_process.h"
#include "tests/support/small_disk.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep::test;

namespace fs = std::filesystem;

namespace {

constexpr const char* kWriteTrace =
    "mkdir -p reports; echo '{\"schemaVersion\":1,\"traceEvents\":[{\"ph\":\"X\",\"name\":\"k\",\"pid\":0,\"tid\":7,"
    "\"ts\":1,\"dur\":2}]}' > reports/rank0.json";

struct Ended {
    int status = -1;
    QByteArray output, errors;
};

// A session on this machine, and its folders.
class LocalSite {
  public:
    explicit LocalSite(const std::string& command)
    {
        for (const char* folder : {"home", "work", "out"})
            fs::create_directories(path(folder));
        std::ofstream(path("s.yaml"))
            << "lockstep_session: 1\nname: here\nframework: command\n"
               "launcher: {kind: local}\ntool: torch\nsave_path: reports\nworking_folder: "
            << path("work").string() << "\ncommand: [bash, " << path("run.sh").string() << "]\n";
        std::ofstream(path("run.sh")) << command << "\n";
    }

    fs::path path(const fs::path& below) const { return m_folder.path() / below; }
    QStringList run(const fs::path& output) const
    {
        return {"--run", text(path("s.yaml")), "-o", text(output)};
    }
    static QString text(const fs::path& path) { return QString::fromStdString(path.string()); }

    Ended start(const QStringList& arguments, const QString& outputFile = {}) const
    {
        QProcess process;
        QProcessEnvironment environment;
        environment.insert("LC_ALL", "C");
        environment.insert("PATH", "/usr/local/bin:/usr/bin:/bin");
        environment.insert("HOME", text(path("home")));
        addSanitizerOptions(environment);
        process.setProcessEnvironment(environment);
        if (!outputFile.isEmpty()) process.setStandardOutputFile(outputFile);
        process.start(builtProgram("lockstep"), arguments);
        Ended ended;
        if (process.waitForFinished(kPatience_ms) && process.exitStatus() == QProcess::NormalExit)
            ended.status = process.exitCode();
        ended.output = process.readAllStandardOutput();
        ended.errors = process.readAllStandardError();
        return ended;
    }
    size_t runs() const
    {
        std::error_code error;
        const auto all = fs::directory_iterator(path("home/.local/state/lockstep/runs"), error);
        return error ? 0 : static_cast<size_t>(std::distance(begin(all), end(all)));
    }

  private:
    TempDir m_folder;
};

} // namespace

class RunOutputTest : public QObject {
    Q_OBJECT

  private slots:
    void unwritableLogMeansPartialSuccess()
    {
        const LocalSite site(kWriteTrace);
        const Ended ended = site.start(site.run(site.path("out/run.lockstep")), "/dev/full");
        QCOMPARE(ended.status, 3);
        QVERIFY2(ended.errors.contains("standard output: cannot write: No space left on device"),
                 ended.errors.constData());
        QVERIFY(fs::exists(site.path("out/run.lockstep"))); // the run itself was not affected
        QCOMPARE(site.start(site.run(site.path("out/run2.lockstep")), "/dev/null").status, 0);
    }

    void unwritableOutputIsFoundBeforeTheLaunch()
    {
        const LocalSite site(kWriteTrace);
        const SmallDisk disk(site.path("full"), "64k");
        std::ofstream(site.path("out/taken")) << "not a folder";
        std::vector<std::pair<fs::path, const char*>> outputs{
            {site.path("out"), "it is a folder"},
            {"/dev/full", "it is not a regular file"},
            {site.path("out/taken.lockstep"), "but a file has this name"},
            {site.path("out/taken/run.lockstep"), "is not a folder"},
            {site.path("out") / (std::string(260, 'n') + ".lockstep"), "the file name is too long"}};
        if (disk.isMounted) outputs.emplace_back(site.path("full/run.lockstep"), "No space left on device");
        for (const auto& [output, why] : outputs) {
            const Ended ended = site.start(site.run(output));
            QCOMPARE(ended.status, 1);
            QVERIFY2(ended.errors.contains(why) && ended.errors.contains("nothing was started"),
                     ended.errors.constData());
        }
        QCOMPARE(site.runs(), size_t(0));
        QVERIFY(!fs::exists(site.path("work/reports")));
        // Without an extension, the workspace and the folder of reports would have the same name.
        QCOMPARE(site.start(site.run(site.path("out/plain"))).status, 0);
        QVERIFY(fs::is_regular_file(site.path("out/plain")) &&
                fs::is_directory(site.path("out/plain.reports")));
    }

    void failedWriteNamesARemedy()
    {
        LocalSite site(std::string(kWriteTrace) + "; dd if=/dev/zero of=../small/filler bs=4k; true");
        const SmallDisk disk(site.path("small"), "1m");
        if (!disk.isMounted) QSKIP("this user may not mount a small disk");
        const Ended failed = site.start(site.run(site.path("small/run.lockstep")));
        QCOMPARE(failed.status, 1);
        const QByteArray way = "-o OTHER_FILE collects the run again";
        QVERIFY2(failed.errors.contains("lockstep --attach ") && failed.errors.contains(way),
                 failed.errors.constData());
        const Ended again =
            site.start({"--attach", "here", "-o", LocalSite::text(site.path("out/again.lockstep"))});
        QVERIFY2(again.status == 0, again.errors.constData());
        QVERIFY(fs::exists(site.path("out/again.lockstep")));
    }

    void fullHomeDoesNotDelayTheEnd()
    {
        // 30 MB of output to a disk of 24 MB, then an end with a specific exit status.
        const LocalSite site("yes 0123456789012345678901234567890123456789 | head -c 30000000; exit 5");
        const SmallDisk disk(site.path("home"), "24m");
        if (!disk.isMounted) QSKIP("this user may not mount a small disk");
        const Ended ended = site.start(site.run(site.path("out/run.lockstep")));
        QCOMPARE(ended.status, 3);
        QVERIFY2(ended.errors.contains("ended with status 5"), ended.errors.constData());
        QVERIFY2(ended.errors.contains("of output lost"), ended.errors.constData());
    }

    void permanentlyFullHomeEndsTheWait()
    {
        // All space that becomes free is used up: not even the end of the run fits. The size of each write is
        // limited, and the program ends before the small disk is unmounted; otherwise it would fill the disk
        // of this machine.
        const LocalSite site(
            "touch ../fill ../filling; ( while [ -e ../fill ]; do head -c 30000000 /dev/zero "
            ">> \"$HOME/filler\" 2> /dev/null; done; rm ../filling ) & sleep 3; exit 5");
        const SmallDisk disk(site.path("home"), "24m");
        if (!disk.isMounted) QSKIP("this user may not mount a small disk");
        const Ended ended =
            site.start(site.run(site.path("out/run.lockstep")) + QStringList{"--patience", "3"});
        fs::remove(site.path("fill"));
        QTRY_VERIFY(!fs::exists(site.path("filling")));
        QCOMPARE(ended.status, 3);
        QVERIFY2(ended.errors.contains("localhost: failed: ended; waiting for disk space"),
                 ended.errors.constData());
    }

    void oldRunsAreRemoved()
    {
        const LocalSite site(kWriteTrace);
        QCOMPARE(site.start(site.run(site.path("out/run.lockstep"))).status, 0);
        const fs::path onHost = site.path("home/.local/state/lockstep/agent-runs");
        QCOMPARE(site.runs(), size_t(1));
        QVERIFY(!fs::is_empty(onHost));
        const Ended young = site.start({"--remove-runs"});
        QCOMPARE(young.status, 0);
        QVERIFY2(young.errors.contains("no ended run is older than 30 days"), young.errors.constData());
        QCOMPARE(site.runs(), size_t(1));
        const Ended removed = site.start({"--remove-runs", "--older-than", "0"});
        QVERIFY2(removed.status == 0, removed.errors.constData());
        QVERIFY2(removed.output.startsWith("removed "), removed.output.constData());
        QCOMPARE(site.runs(), size_t(0));
        QVERIFY(fs::is_empty(onHost));
        QVERIFY(fs::exists(site.path("out/run.lockstep")) &&
                fs::exists(site.path("work/reports/rank0.json")));
    }
};

LOCKSTEP_TEST(RunOutputTest, "run_output_test")
#include "run_output_test.moc"
