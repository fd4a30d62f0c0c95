// SPDX-License-Identifier: Apache-2.0
// Tests that a window that hangs is logged with the running code and its stack, and that a stopped program is
// not.
#include "app/window/hang_watch.h"

#include <QElapsedTimer>

#include "app/cli/crash_report.h"
#include "app/window/app_log.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

constexpr HangWatch::Limit kShort{std::chrono::milliseconds(20), 10};

bool logHas(const std::string& text)
{
    return programLog().text().find(text) != std::string::npos;
}

// Computes until the condition is true. Returns false on timeout.
template<class Is>
bool standUntil(const Is& is)
{
    QElapsedTimer since;
    since.start();
    while (!is()) {
        if (since.elapsed() > 60'000) return false;
    }
    return true;
}

} // namespace

class HangWatchTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { startLogging(); }

    void hangIsLoggedWithTheRunningCode()
    {
        const test::TempDir folder;
        int asked = 0;
        {
            const HangWatch watch(
                [&asked] {
                    ++asked;
                    return QString("opening 3 files, Kernels");
                },
                folder.path() / "crashes", kShort);
            QTRY_VERIFY(asked >= 2);
            // The report exists while the hang lasts.
            QVERIFY(standUntil([&] {
                std::error_code none;
                return std::filesystem::exists(folder.path() / "crashes", none) &&
                       test::filesIn(folder.path() / "crashes") == 1;
            }));
            QVERIFY(pendingCrashReports(folder.path() / "crashes").empty()); // of a running program
            const auto file = std::filesystem::directory_iterator(folder.path() / "crashes")->path();
            const std::string text = test::contentOf(file);
            QVERIFY2(text.find("was killed while its window did not respond") != std::string::npos,
                     text.c_str());
            QVERIFY2(text.find("Running jobs: opening 3 files, Kernels\n") != std::string::npos,
                     text.c_str());
            QVERIFY2(text.find("gui_tests") != std::string::npos, text.c_str()); // where it was
            QTRY_VERIFY(test::filesIn(folder.path() / "crashes") == 0);
        }
        QVERIFY(logHas("the window does not respond; running jobs: opening 3 files, Kernels"));
        QVERIFY(logHas("the window responds again after about "));
    }

    void hangIsReportedOnce()
    {
        BeatCount count(3);
        QCOMPARE(count.tick(1), BeatCount::Change::none);
        QCOMPARE(count.tick(1), BeatCount::Change::none);
        QCOMPARE(count.tick(1), BeatCount::Change::none);
        QCOMPARE(count.tick(1), BeatCount::Change::hung);
        for (int i = 0; i < 100; ++i)
            QCOMPARE(count.tick(1), BeatCount::Change::none);
        QCOMPARE(count.tick(2), BeatCount::Change::continues);
        QCOMPARE(count.missed(), 103);
    }

    // While the whole system sleeps, no time is counted: neither ticks nor heartbeats arrive, however long it
    // lasts.
    void tickAfterASleepIsNotAHang()
    {
        BeatCount count(3);
        for (uint64_t beats = 1; beats < 100; ++beats) {
            QCOMPARE(count.tick(beats), BeatCount::Change::none);
            QCOMPARE(count.tick(beats), BeatCount::Change::none);
        }
    }
};

LOCKSTEP_TEST(HangWatchTest, "hang_watch_test")
#include "hang_watch_test.moc"
