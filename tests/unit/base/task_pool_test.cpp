// SPDX-License-Identifier: Apache-2.0
// Tests the task pool: each index runs once, no worker runs two at a time, nested loops use the same threads,
// and exceptions are passed to the caller.
#include <QtTest>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include "core/base/workers.h"
#include "tests/support/test_registry.h"
#include "tests/support/watched_pool.h"
#include "tests/support/workers.h"

using namespace lockstep;

class TaskPoolTest : public QObject {
    Q_OBJECT

  private slots:
    void everyIndexOnceAndNoWorkerTwice()
    {
        TaskPool pool(3);
        for (const size_t most : {size_t(1), size_t(2), size_t(4), size_t(64)}) {
            std::vector<std::atomic<int>> seen(5'000);
            std::vector<std::atomic<int>> inside(64);
            std::atomic<bool> isTwice = false;
            pool.run(seen.size(), most, [&](size_t index, size_t worker) {
                if (worker >= most || ++inside[worker] != 1) isTwice = true;
                ++seen[index];
                --inside[worker];
            });
            QVERIFY(!isTwice);
            QVERIFY(std::ranges::all_of(seen, [](const auto& count) { return count == 1; }));
        }
        pool.run(0, 4, [](size_t, size_t) { throw std::logic_error("no index"); });
    }

    // Loops of loops from several callers never run on more threads than the callers and the pool's.
    void nestedLoopsShareThreads()
    {
        constexpr size_t kThreads = 2, kCallers = 3;
        TaskPool pool(kThreads);
        std::atomic<int> now = 0, most = 0;
        std::atomic<int> done = 0;
        const auto caller = [&] {
            pool.run(8, 8, [&](size_t, size_t) {
                pool.run(8, 8, [&](size_t, size_t) {
                    const int running = ++now;
                    for (int seen = most; running > seen && !most.compare_exchange_weak(seen, running);) {
                    }
                    std::this_thread::yield();
                    --now;
                    ++done;
                });
            });
        };
        {
            std::vector<std::jthread> callers;
            for (size_t i = 0; i < kCallers; ++i)
                callers.emplace_back(caller);
        }
        QCOMPARE(done.load(), int(kCallers * 64));
        QVERIFY(most <= int(kThreads + kCallers));
    }

    // A forked process has the pool's locks in their current state, and none of its threads.
    void aForkedProcessWorksAlone()
    {
        const Workers workers(std::make_shared<TaskPool>(2));
        auto forkedPool = std::make_shared<TaskPool>(2);
        const std::jthread busy([own = workers](const std::stop_token& stop) {
            while (!stop.stop_requested())
                own.run(64, [](size_t, size_t) {});
        });
        for (int i = 0; i < 50; ++i) {
            const pid_t child = ::fork();
            if (child == 0) {
                ::alarm(20);
                std::atomic<size_t> sum = 0;
                workers.run(100, [&](size_t index, size_t) { sum += index; });
                forkedPool.reset(); // waits for no thread
                ::_exit(sum == 4950 ? 0 : 1);
            }
            int status = -1;
            QVERIFY(::waitpid(child, &status, 0) == child);
            QVERIFY2(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the copy hangs");
        }
    }

    void exceptionsArePropagated()
    {
        TaskPool pool(2);
        // The indices after the one that throws are slow, so that it throws before all are done even on a
        // busy machine.
        constexpr size_t kIndices = 100'000;
        std::atomic<size_t> calls = 0;
        const auto run = [&] {
            pool.run(kIndices, 3, [&](size_t index, size_t) {
                ++calls;
                if (index == 10) throw std::bad_alloc();
                if (index > 10) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            });
        };
        QVERIFY_THROWS_EXCEPTION(std::bad_alloc, run());
        QVERIFY(calls < kIndices);
        // The pool remains usable.
        std::atomic<size_t> sum = 0;
        pool.run(100, 3, [&](size_t index, size_t) { sum += index; });
        QCOMPARE(sum.load(), size_t(4950));
        for (const Workers& workers : {Workers(), test::workers()}) {
            QVERIFY_THROWS_EXCEPTION(std::bad_alloc,
                                     workers.run(10, [](size_t, size_t) { throw std::bad_alloc(); }));
        }
    }

    void workerCountIsAsGiven()
    {
        QCOMPARE(Workers().count(), size_t(1));
        QCOMPARE(Workers::ofMachine(1).count(), size_t(1));
        QCOMPARE(Workers::ofMachine().count(), std::max<size_t>(1, std::thread::hardware_concurrency()));
        const auto pool = std::make_shared<test::WatchedPool>(3);
        const Workers all(pool);
        QCOMPARE(all.count(), size_t(4));
        QCOMPARE(all.limitedTo(2).count(), size_t(2));
        QCOMPARE(all.limitedTo(9).count(), size_t(4));
        QCOMPARE(all.limitedTo(0).count(), size_t(1));
        QCOMPARE(all.limitedTo(2).limitedTo(4).count(), size_t(2));
        std::atomic<bool> isBeyond = false;
        all.limitedTo(2).run(1'000, [&](size_t, size_t worker) { isBeyond = isBeyond || worker >= 2; });
        QVERIFY(!isBeyond);
        QVERIFY(pool->mostAtOnce() <= 2);
        QCOMPARE(pool->threadsSeen(), size_t(2));
        // No other thread joins a caller that works alone.
        std::set<std::thread::id> threads;
        Workers().run(100, [&](size_t, size_t) { threads.insert(std::this_thread::get_id()); });
        QCOMPARE(threads, std::set{std::this_thread::get_id()});
    }
};

LOCKSTEP_TEST(TaskPoolTest, "task_pool_test")
#include "task_pool_test.moc"
