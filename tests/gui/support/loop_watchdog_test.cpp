// SPDX-License-Identifier: Apache-2.0
// Tests LoopWatchdog: a stall inside one delivered event is reported, whether it computes or waits. The
// test's own body, many short events and a nested wait do not count as stalls.
#include "tests/support/loop_watchdog.h"

#include <fstream>
#include <thread>

#include <QTimer>

#include "tests/support/test_registry.h"

using namespace lockstep;
using test::LoopWatchdog;

namespace {

constexpr int64_t kTooMuchWork_ms = LoopWatchdog::kLongestWork_ms * 3 / 2;
const std::chrono::milliseconds kTooLong(LoopWatchdog::kLongestWait_ms * 3 / 2);

void compute()
{
    timespec at{};
    const auto ran_ms = [&at] {
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
        return int64_t(at.tv_sec) * 1'000 + at.tv_nsec / 1'000'000;
    };
    for (const int64_t began_ms = ran_ms(); ran_ms() - began_ms < kTooMuchWork_ms;) {
    }
}

} // namespace

class LoopWatchdogTest : public QObject {
    Q_OBJECT

  private slots:
    void reportsAnEventThatComputes()
    {
        LoopWatchdog::Collector collector;
        bool isDone = false;
        QTimer::singleShot(0, this, [&] {
            compute();
            isDone = true;
        });
        QTRY_VERIFY(isDone);
        QCOMPARE(collector.stalls.size(), 1);
        QVERIFY2(collector.stalls[0].contains("the event loop stood still: "),
                 qPrintable(collector.stalls[0]));
    }

    void reportsAnEventThatWaits()
    {
        // Where the kernel has no per-thread accounting, nothing is called blocked.
        const bool isAccounted = std::ifstream("/proc/thread-self/schedstat").good();
        LoopWatchdog::Collector collector;
        setObjectName("the sleeper");
        bool isDone = false;
        QMetaObject::invokeMethod(
            this,
            [&] {
                std::this_thread::sleep_for(kTooLong);
                isDone = true;
            },
            Qt::QueuedConnection);
        QTRY_VERIFY(isDone);
        QCOMPARE(collector.stalls.size(), isAccounted ? 1 : 0);
        if (!isAccounted) return;
        QVERIFY2(collector.stalls[0].contains("MetaCall for LoopWatchdogTest 'the sleeper'"),
                 qPrintable(collector.stalls[0]));
    }

    void ignoresTheTestItself()
    {
        compute();
        std::this_thread::sleep_for(kTooLong);
        QTest::qWait(1);
    }

    void ignoresManyShortEvents()
    {
        int count = 0;
        QTimer often;
        connect(&often, &QTimer::timeout, this, [&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
            ++count;
        });
        often.start(0);
        QTRY_VERIFY(count > LoopWatchdog::kLongestWait_ms / 2);
    }
};

LOCKSTEP_TEST(LoopWatchdogTest, "loop_watchdog_test")
#include "loop_watchdog_test.moc"
