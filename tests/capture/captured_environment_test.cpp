// SPDX-License-Identifier: Apache-2.0
// Tests that settings which would crash or stop a program are refused, and the program continues.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/inject/settings.h"
#include "tests/capture/captured_run.h"
#include "tests/support/test_registry.h"

using namespace lockstep::test;

namespace {

CapturedRun runWith(const std::filesystem::path& folder, const Settings& settings)
{
    return runCaptured(builtProgram("capture-ranges"), {"plain", "/dev/null"}, folder, settings);
}

} // namespace

class CapturedEnvironmentTest : public QObject {
    Q_OBJECT

  private slots:
    void deeplyNestedFileIsRefused()
    {
        const TempDir folder;
        const auto file = folder.write("config.json", "{\"steps\": " + std::string(900'000, '[') + "1");
        const CapturedRun run =
            runWith(folder.path() / "out", {{"LOCKSTEP_CONFIG", QString::fromStdString(file)}});
        QCOMPARE(run.status, 0);
        QCOMPARE(run.reports.size(), 1u);
        QVERIFY2(run.log.find("LOCKSTEP_CONFIG") != std::string::npos, run.log.c_str());
    }

    void listsAreReadAsBefore()
    {
        using lockstep::capture::flatJson;
        QCOMPARE(flatJson(R"({"steps": [1, 2, 5]})").at("steps"), std::string("1,2,5"));
        QVERIFY(flatJson("{\"steps\": " + std::string(20, '[') + "1" + std::string(20, ']') + "}").empty());
    }

    void fifoIsNotWaitedFor_data()
    {
        QTest::addColumn<QString>("setting");
        for (const char* const setting :
             {"LOCKSTEP_CONFIG", "LOCKSTEP_CAPTURE_LOG", "LOCKSTEP_CAPTURE_CUPTI"})
            QTest::newRow(setting) << setting;
    }

    void fifoIsNotWaitedFor()
    {
        QFETCH(QString, setting);
        const TempDir folder;
        const std::string fifo = folder.path() / "fifo";
        QCOMPARE(mkfifo(fifo.c_str(), 0600), 0);
        const CapturedRun run = runWith(folder.path() / "out", {{setting, QString::fromStdString(fifo)},
                                                                {"LOCKSTEP_CAPTURE_WHEN_FULL", "neither"}});
        QCOMPARE(run.status, 0);
        QCOMPARE(run.reports.size(), 1u);
    }

    // Writing to a pipe that is no longer read would end the program by SIGPIPE.
    void logMustNotBeAPipe()
    {
        const TempDir folder;
        const std::string fifo = folder.path() / "fifo";
        QCOMPARE(mkfifo(fifo.c_str(), 0600), 0);
        const int reader = open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        const CapturedRun run =
            runWith(folder.path() / "out", {{"LOCKSTEP_LOG", QString::fromStdString(fifo)},
                                            {"LOCKSTEP_CAPTURE_WHEN_FULL", "neither"}});
        char byte = 0;
        QVERIFY(read(reader, &byte, 1) <= 0);
        close(reader);
        QCOMPARE(run.status, 0);
    }

    // The program's own limit on file sizes would end it by SIGXFSZ.
    void logAtTheFileSizeLimitIsAbandoned()
    {
        const TempDir folder;
        const CapturedRun run = runCaptured(
            "/bin/sh", {"-c", "ulimit -f 0; exec \"$0\" plain /dev/null", builtProgram("capture-ranges")},
            folder.path() / "out", {{"LOCKSTEP_CAPTURE_WHEN_FULL", "neither"}});
        QCOMPARE(run.status, 0);
    }

    void reportNameIsNeverHidden_data()
    {
        QTest::addColumn<QString>("role");
        QTest::addColumn<QString>("begin");
        QTest::newRow("..") << ".."
                            << "process_rank";
        QTest::newRow("../etc") << "../etc"
                                << "etc_rank";
        QTest::newRow(".hidden") << ".hidden"
                                 << "hidden_rank";
        QTest::newRow("-rf") << "-rf"
                             << "rf_rank";
        QTest::newRow("a.b") << "a.b"
                             << "a.b_rank";
    }

    void reportNameIsNeverHidden()
    {
        QFETCH(QString, role);
        QFETCH(QString, begin);
        const TempDir folder;
        const CapturedRun run = runWith(folder.path() / "out", {{"LOCKSTEP_ROLE", role}});
        QCOMPARE(run.names.size(), 1u);
        QVERIFY2(run.names[0].starts_with(begin.toStdString()), run.names[0].c_str());
    }
};

LOCKSTEP_TEST(CapturedEnvironmentTest, "captured_environment_test")
#include "captured_environment_test.moc"
