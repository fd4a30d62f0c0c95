// SPDX-License-Identifier: Apache-2.0
// Tests lockstep_capture.py: every range of a Python program is recorded, and an unrecorded program is not
// affected.
#include <limits>
#include <map>

#include "tests/capture/captured_run.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

QStringList programArguments(const std::filesystem::path& log, const char* mode)
{
    const auto source = [](const char* path) { return QString::fromStdString(sourceFolder() / path); };
    return {source("tests/capture/programs/python_program.py"), source("capture/python"),
            QString::fromStdString(log), mode};
}

} // namespace

class CapturedPythonTest : public QObject {
    Q_OBJECT

  private slots:
    void everyRangeIsRecorded_data()
    {
        QTest::addColumn<QString>("mode");
        QTest::addColumn<int>("status");
        QTest::addColumn<size_t>("reports");
        QTest::newRow("threads") << "threads" << 0 << size_t(1);
        QTest::newRow("fork") << "fork" << 0 << size_t(2);
        QTest::newRow("early") << "early" << 7 << size_t(1);
    }

    void everyRangeIsRecorded()
    {
        QFETCH(QString, mode);
        const TempDir folder;
        const auto log = folder.path() / "log";
        const CapturedRun run = runCaptured("python3", programArguments(log, mode.toLatin1()),
                                            folder.path() / "out", {{"PYTHONDONTWRITEBYTECODE", "1"}});
        QTEST(run.status, "status");
        QVERIFY2(run.errors.isEmpty(), run.errors.constData());
        QTEST(run.reports.size(), "reports");
        std::vector<std::string> rows, calls = linesOf(contentOf(log));
        for (const auto& report : run.reports) {
            const std::vector<std::string> lines = rangeLines(*report);
            rows.insert(rows.end(), lines.begin(), lines.end());
        }
        std::ranges::sort(rows);
        std::ranges::sort(calls);
        QVERIFY(!calls.empty());
        QVERIFY(rows == calls);
    }

    void programsOwnProfilerOpensTheRange()
    {
        const TempDir folder;
        const CapturedRun run =
            runCaptured("python3", programArguments(folder.path() / "log", "profiler"), folder.path() / "out",
                        {{"PYTHONDONTWRITEBYTECODE", "1"}, {"LOCKSTEP_CAPTURE_RANGE", "cudaProfilerApi"}});
        QCOMPARE(run.status, 0);
        QVERIFY2(run.errors.isEmpty(), run.errors.constData());
        QCOMPARE(run.output.trimmed(), QByteArray("liblockstep_capture"));
        QCOMPARE(run.reports.size(), 2u); // steps 2 and 3 joined, and 5
        QCOMPARE(rangeLines(*run.reports[0]).size(), 2u);
        QCOMPARE(rangeLines(*run.reports[1]).size(), 1u);
    }

    // The same calls from C give the same rows, whatever the group's name, and no sequence number where none
    // is counted.
    void collectivesDeclaredByTheProgram()
    {
        const TempDir folder;
        const CapturedRun run = runCaptured("python3", programArguments(folder.path() / "log", "collectives"),
                                            folder.path() / "out", {{"PYTHONDONTWRITEBYTECODE", "1"}});
        QCOMPARE(run.status, 0);
        QVERIFY2(run.errors.isEmpty(), run.errors.constData());
        QCOMPARE(run.reports.size(), 1u);
        const Report& report = *run.reports[0];
        QCOMPARE(report.collectives.size(), 5u);
        std::map<std::string, CollectiveOp> last;
        for (size_t i = 0; i < report.collectives.size(); ++i) {
            const CollectiveOp& op = report.collectives[i];
            QCOMPARE(report.slices.category[op.slice.value], SliceCategory::communication);
            last[std::string(report.nameOf(op.slice))] = op;
        }
        const CollectiveOp& reduce = last.at("AllReduce");
        QCOMPARE(std::string(report.strings.at(reduce.group)), std::string("data parallel"));
        QCOMPARE(reduce.message_bytes, uint64_t(1) << 20);
        QCOMPARE(reduce.sequence, uint64_t(3));
        QCOMPARE(reduce.groupSize, 8u);
        QCOMPARE(reduce.rankInGroup, 3u);
        QCOMPARE(std::string(report.strings.at(last.at("Barrier").group)), std::string("Gruppe ß"));
        QCOMPARE(last.at("Barrier").sequence, std::numeric_limits<uint64_t>::max());
        QVERIFY(last.contains("Broadcast")); // ended by an error
    }

    // A program's own information overrides that of the session for all its processes. A program that reports
    // several roles has no single role.
    void rolesDeclaredByTheProgram()
    {
        const TempDir folder;
        const auto record = [&](const char* mode, const char* name, Settings settings,
                                const char* told = "worker") {
            settings.emplace_back("PYTHONDONTWRITEBYTECODE", "1");
            settings.emplace_back("LOCKSTEP_ROLE", told);
            return runCaptured("python3", programArguments(folder.path() / "log", mode), folder.path() / name,
                               settings);
        };
        const auto areOf = [](const CapturedRun& run, size_t reports, const char* inName,
                              const char* inside) {
            QCOMPARE(run.status, 0);
            QVERIFY2(run.errors.isEmpty(), run.errors.constData());
            QCOMPARE(run.reports.size(), reports);
            for (size_t i = 0; i < reports; ++i) {
                QVERIFY2(run.names[i].starts_with(std::string(inName) + "_rank"), run.names[i].c_str());
                QCOMPARE(run.reports[i]->identity.role.value.value_or(""), std::string(inside));
            }
        };
        areOf(record("roles", "steps", {{"LOCKSTEP_STEPS", "1,2"}}), 2, "critic", "critic");
        // A report that began before the program reported anything gets the information in its metadata.
        areOf(record("roles", "whole", {}), 1, "worker", "critic");
        areOf(record("roles", "untold", {}, ""), 1, "process", "critic");
        areOf(record("hybrid", "hybrid", {}), 1, "worker", "worker");
        areOf(record("hybrid", "hybrid untold", {}, ""), 1, "process", "critic"); // the first
        // A stage's report has the stage's role.
        areOf(record("hybrid", "stages", {{"LOCKSTEP_STEPS", "1,2"}, {"LOCKSTEP_DISCRETE", "1"}}), 2, "actor",
              "actor");
        // A program without its own information has that of the session.
        areOf(record("collectives", "silent", {}), 1, "worker", "worker");
    }

    void withoutTheLibraryNothingHappens()
    {
        const TempDir folder;
        QProcess process;
        QProcessEnvironment environment;
        environment.insert("PATH", qEnvironmentVariable("PATH"));
        environment.insert("PYTHONDONTWRITEBYTECODE", "1");
        process.setProcessEnvironment(environment);
        process.start("python3", programArguments(folder.path() / "log", "nothing"));
        QVERIFY(process.waitForFinished(kPatience_ms));
        QCOMPARE(process.exitCode(), 0);
        QCOMPARE(process.readAllStandardOutput().trimmed(), QByteArray("none"));
        QCOMPARE(process.readAllStandardError(), QByteArray());
    }
};

LOCKSTEP_TEST(CapturedPythonTest, "captured_python_test")
#include "captured_python_test.moc"
