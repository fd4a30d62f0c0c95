// SPDX-License-Identifier: Apache-2.0
// Tests LoadWatch: reading a report stops when the process exceeds the limit, before a large block is
// allocated and while small ones add up, on every thread that reads it.
#include <QtTest>

#include <atomic>
#include <memory>
#include <vector>

#include "core/base/load_watch.h"
#include "core/base/memory_budget.h"
#include "core/base/workers.h"
#include "tests/support/slowness.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

constexpr size_t kMiB = size_t(1) << 20;
constexpr size_t kLarge_bytes = 256 * kMiB;
constexpr uint64_t kLow_bytes = 1; // the watch allows 64 MiB more than the process uses

} // namespace

class LoadWatchTest : public QObject {
    Q_OBJECT

  private slots:
    void largeBlocksAreCheckedFirst()
    {
        LoadWatch watch(kLow_bytes, false);
        QVERIFY(watch.admit(kMiB) && !watch.isOver() && watch.status());
        std::vector<char>().reserve(kLarge_bytes); // on a thread that doesn't read
        QVERIFY(LoadScope::admit(kLarge_bytes));
        {
            const LoadScope scope(&watch);
            QVERIFY_THROWS_EXCEPTION(std::bad_alloc, std::vector<char>().reserve(kLarge_bytes));
        }
        QVERIFY(watch.isOver() && watch.stopToken().stop_requested());
        QVERIFY(watch.grown_bytes() >= kLarge_bytes);
        QCOMPARE(watch.status().error().kind, ErrorKind::io);
        QVERIFY(watch.status().error().message.find("than the limit of 1 B") != std::string::npos);
    }

    void workersOfTheReportAreChecked()
    {
        const Workers workers(std::make_shared<TaskPool>(3));
        LoadWatch watch(kLow_bytes, false);
        std::atomic<int> refused = 0, marked = 0;
        {
            const LoadScope scope(&watch);
            workers.run(8, [&](size_t, size_t) {
                try {
                    std::vector<char>().reserve(kLarge_bytes);
                } catch (const std::bad_alloc&) {
                    ++refused;
                }
            });
        }
        QCOMPARE(refused.load(), 8);
        workers.run(8, [&](size_t, size_t) { marked += LoadScope::current() != nullptr ? 1 : 0; });
        QCOMPARE(marked.load(), 0);
    }

    void smallBlocksAddUp()
    {
        LoadWatch watch(kLow_bytes, false);
        std::vector<std::unique_ptr<char[]>> blocks;
        for (int i = 0; i < 128; ++i)
            blocks.push_back(std::make_unique<char[]>(kMiB)); // zeros: touched
        QTRY_VERIFY(watch.isOver());
    }

    // If two reports are on the heap, the one that began last is stopped; reports already on disk come last.
    void theLastToBeginIsStoppedFirst()
    {
        const uint64_t limit_bytes = privateMemory_bytes() + 1024 * kMiB;
        LoadWatch onDisk(limit_bytes, true), first(limit_bytes, false), last(limit_bytes, false);
        std::vector<std::unique_ptr<char[]>> blocks;
        while (privateMemory_bytes() <= limit_bytes + kMiB)
            blocks.push_back(std::make_unique<char[]>(kMiB));
        QTRY_VERIFY(last.isOver());
        QVERIFY(!first.isOver() && !onDisk.isOver());
    }
};

LOCKSTEP_TEST(LoadWatchTest, "load_watch_test")
#include "load_watch_test.moc"
