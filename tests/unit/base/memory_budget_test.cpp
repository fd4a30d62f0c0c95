// SPDX-License-Identifier: Apache-2.0
// Tests the memory budget: concurrent reservations never exceed the limit, released memory is available
// again, and a refusal states the limit, the reserved amount and the remedy.
#include <QtTest>

#include <atomic>
#include <thread>
#include <vector>

#include "core/base/memory_budget.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

class MemoryBudgetTest : public QObject {
    Q_OBJECT

  private slots:
    void refusalsSuggestARemedy()
    {
        MemoryBudget budget({.limit_bytes = 3 << 20, .advice = "close reports", .measure_bytes = {}});
        const auto first = budget.take(2 << 20, "a.sqlite");
        QVERIFY(first.has_value());
        const auto second = budget.take(3 << 19, "b.sqlite");
        QVERIFY(!second);
        QCOMPARE(second.error().kind, ErrorKind::io);
        for (const char* const word :
             {"b.sqlite: not loaded", "1.50 MiB", "2.00 MiB", "limit of 3.00 MiB", "close reports"})
            QVERIFY2(second.error().message.find(word) != std::string::npos, second.error().message.c_str());
        QCOMPARE(budget.used_bytes(), uint64_t(2 << 20));
        QVERIFY(budget.hasRoom(1 << 20) && !budget.hasRoom((1 << 20) + 1));
        QVERIFY(!budget.hasRoom(UINT64_MAX) && !budget.take(UINT64_MAX - (1 << 20), "a file that lies"));
    }

    void leasesReleaseTheirMemory()
    {
        MemoryBudget budget({.limit_bytes = 100, .advice = {}, .measure_bytes = {}});
        {
            MemoryBudget::Lease held = *budget.take(60, "a");
            QVERIFY(!budget.take(60, "b"));
            held.resize(40); // smaller than estimated
            MemoryBudget::Lease moved = std::move(held);
            QCOMPARE(budget.used_bytes(), uint64_t(40));
            moved = *budget.take(60, "b"); // its reservation is released once the other exists
            QCOMPARE(budget.used_bytes(), uint64_t(60));
            const MemoryBudget::Lease forced = budget.force(500);
            QCOMPARE(budget.used_bytes(), uint64_t(560));
            QVERIFY(!budget.take(1, "c"));
        }
        QCOMPARE(budget.used_bytes(), uint64_t(0));
        budget.setLimit(0);
        QVERIFY(budget.take(uint64_t(1) << 60, "without a limit").has_value());
    }

    void theGreaterOfLeasesAndProcessCounts()
    {
        std::atomic<uint64_t> resident_bytes = 10;
        MemoryBudget budget(
            {.limit_bytes = 100, .advice = {}, .measure_bytes = [&] { return resident_bytes.load(); }});
        const MemoryBudget::Lease held = *budget.take(50, "a");
        QCOMPARE(budget.used_bytes(), uint64_t(50));
        resident_bytes = 90;
        QCOMPARE(budget.used_bytes(), uint64_t(90));
        QVERIFY(!budget.take(20, "b"));
        QVERIFY(budget.take(10, "b").has_value());
    }

    // A container or a Slurm job may use less than the machine has.
    void limitsOfControlGroupsCount()
    {
        const test::TempDir root;
        root.write("memory.max", "max\n");
        root.write("slurm/memory.max", "3000000\n");
        root.write("slurm/job/memory.max", "max\n");
        root.write("slurm/job/step/memory.max", "4000000\n");
        root.write("other/memory.max", "max\n");
        const auto least = [&](std::string_view groups) {
            return cgroupMemoryLimit_bytes(root.path(), groups);
        };
        QCOMPARE(least("0::/slurm/job/step\n"), uint64_t(3'000'000));
        QCOMPARE(least("5:memory:/x\n0::/slurm\n"), uint64_t(3'000'000));
        QCOMPARE(least("0::/\n"), uint64_t(0));
        QCOMPARE(least("0::/other"), uint64_t(0));
        QCOMPARE(least("5:memory:/x\n"), uint64_t(0));
        QCOMPARE(least(""), uint64_t(0));
        QVERIFY(machineMemory_bytes() > 0);
    }

    void concurrentLeasesStayWithinTheLimit()
    {
        constexpr uint64_t kLimit = 10;
        MemoryBudget budget({.limit_bytes = kLimit, .advice = {}, .measure_bytes = {}});
        std::atomic<uint64_t> now = 0;
        std::atomic<bool> isBeyond = false;
        {
            std::vector<std::jthread> takers;
            for (int i = 0; i < 8; ++i) {
                takers.emplace_back([&] {
                    for (int times = 0; times < 2'000; ++times) {
                        const auto lease = budget.take(3, "x");
                        if (!lease) continue;
                        if ((now += 3) > kLimit) isBeyond = true;
                        now -= 3;
                    }
                });
            }
        }
        QVERIFY(!isBeyond);
        QCOMPARE(budget.used_bytes(), uint64_t(0));
    }
};

LOCKSTEP_TEST(MemoryBudgetTest, "memory_budget_test")
#include "memory_budget_test.moc"
