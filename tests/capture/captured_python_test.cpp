// SPDX-License-Identifier: Apache-2.0
// lockstep_capture.py: every range of a Python program arrives, and one that nobody records does not notice.
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
    void everyRangeArrives_data()
    {
        QTest::addColumn<QString>("mode");
        QTest::addColumn<int>("status");
        QTest::addColumn<size_t>("reports");
        QTest::newRow("threads") << "threads" << 0 << size_t(1);
        QTest::newRow("fork") << "fork" << 0 << size_t(2);
        QTest::newRow("early") << "early" << 7 << size_t(1);
    }

    void everyRangeArrives()
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

    void aProfilerOfItsOwnOpensTheRange()
    {
        const TempDir folder;
        const CapturedRun run =
            runCaptured("python3", programArguments(folder.path() / "log", "profiler"), folder.path() / "out",
                        {{"PYTHONDONTWRITEBYTECODE", "1"}, {"LOCKSTEP_CAPTURE_RANGE", "cudaProfilerApi"}});
        QCOMPARE(run.status, 0);
        QVERIFY2(run.errors.isEmpty(), run.errors.constData());
        QCOMPARE(run.output.trimmed(), QByteArray("liblockstep_capture"));
        QCOMPARE(run.reports.size(), 2u); // 2 and 3 joined, 5
        QCOMPARE(rangeLines(*run.reports[0]).size(), 2u);
        QCOMPARE(rangeLines(*run.reports[1]).size(), 1u);
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
        QVERIFY(process.waitForFinished(20'000));
        QCOMPARE(process.exitCode(), 0);
        QCOMPARE(process.readAllStandardOutput().trimmed(), QByteArray("none"));
        QCOMPARE(process.readAllStandardError(), QByteArray());
    }
};

LOCKSTEP_TEST(CapturedPythonTest, "captured_python_test")
#include "captured_python_test.moc"
