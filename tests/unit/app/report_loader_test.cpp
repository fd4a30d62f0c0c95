// SPDX-License-Identifier: Apache-2.0
// Tests loading many inputs without a window: within the memory budget, concurrently on the threads of one
// pool, and in the order of the inputs whichever finishes first.
#include <QtTest>

#include <atomic>

#include "app/cli/report_loader.h"
#include "tests/support/made_reports.h"
#include "tests/support/test_registry.h"
#include "tests/support/watched_pool.h"

using namespace lockstep;

namespace {

using lockstep::test::WatchedPool;

// Inputs with this forecast each.
FoundReports inputsOf(std::initializer_list<uint64_t> memory_bytes)
{
    FoundReports found;
    for (const uint64_t bytes : memory_bytes) {
        found.reports.push_back("/r/" + std::to_string(found.reports.size()));
        found.files.emplace_back().memory_bytes = bytes;
    }
    return found;
}

// Reads nothing; counts the concurrent readers.
struct CountedReads {
    std::atomic<int> now = 0, most = 0, all = 0;

    LoadOptions options()
    {
        LoadOptions options;
        options.read = [this](const std::filesystem::path&, const Progress&) -> Result<Workspace> {
            const int running = ++now;
            for (int seen = most; running > seen && !most.compare_exchange_weak(seen, running);) {
            }
            ++all;
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            --now;
            Workspace workspace;
            workspace.add(ReportBuilder().freeze(Progress()).value());
            return workspace;
        };
        return options;
    }
};

std::string messageOf(const LoadedInputs& loaded, size_t input)
{
    return loaded.files[input].error ? loaded.files[input].error->message : "";
}

} // namespace

class ReportLoaderTest : public QObject {
    Q_OBJECT

  private slots:
    void loadsBeyondTheLimitNeverRunTogether()
    {
        const auto pool = std::make_shared<WatchedPool>(3);
        const Progress progress{Workers(pool)};
        for (int times = 0; times < 5; ++times) {
            MemoryBudget memory({.limit_bytes = 100 << 20, .advice = "give fewer", .measure_bytes = {}});
            CountedReads reads;
            const auto found = inputsOf({60 << 20, 60 << 20, 60 << 20});
            const LoadedInputs loaded = loadInputs(found, reads.options(), memory, progress).value();
            QCOMPARE(reads.most.load(), 1);
            // Each was smaller than forecast, so in the end there was room for all.
            QCOMPARE(reads.all.load(), 3);
            QCOMPARE(loaded.workspace.size(), size_t(3));
        }
        QVERIFY(pool->threadsSeen() > 1); // other threads were free to begin more
    }

    void inputsWithoutRoomAreSkipped()
    {
        const Progress progress{Workers(std::make_shared<TaskPool>(3))};
        MemoryBudget memory({.limit_bytes = 10 << 20, .advice = "give fewer", .measure_bytes = {}});
        const MemoryBudget::Lease held = memory.force(6 << 20);
        CountedReads reads;
        const auto found = inputsOf({5 << 20, 3 << 20, 20 << 20});
        const LoadedInputs loaded = loadInputs(found, reads.options(), memory, progress).value();
        QCOMPARE(reads.all.load(), 1);
        QVERIFY(
            messageOf(loaded, 0).starts_with("/r/0: not loaded: it needs about 5.00 MiB in addition to "));
        QVERIFY(messageOf(loaded, 1).empty());
        QVERIFY(messageOf(loaded, 2).find("limit of 10.0 MiB; give fewer") != std::string::npos);
        // Loaded reports count with their actual size for as long as they exist.
        QCOMPARE(memory.used_bytes(), (6 << 20) + loaded.workspace.report(ReportKey(0u)).residentBytes());
    }

    void theProcessItselfMayBeTooLarge()
    {
        MemoryBudget memory(
            {.limit_bytes = 1'000'000, .advice = "", .measure_bytes = [] { return 950'000; }});
        CountedReads reads;
        const LoadedInputs loaded =
            loadInputs(inputsOf({100'000}), reads.options(), memory, Progress()).value();
        QCOMPARE(reads.all.load(), 0);
        QVERIFY(!messageOf(loaded, 0).empty());
    }

    void inputsWithRoomLoadConcurrently()
    {
        const Progress progress{Workers(std::make_shared<TaskPool>(3))};
        MemoryBudget memory({.limit_bytes = 1'000'000, .advice = "", .measure_bytes = {}});
        CountedReads reads;
        const auto loaded = loadInputs(inputsOf({1, 1, 1, 1, 1, 1, 1, 1}), reads.options(), memory, progress);
        QVERIFY(loaded.has_value());
        QVERIFY(reads.most > 1 && reads.most <= 4);
    }

    // Nested loops of concurrent loads by several callers: never more threads than the pool's and the
    // callers'.
    void loadsShareThePool()
    {
        constexpr size_t kThreads = 3, kCallers = 2;
        const auto pool = std::make_shared<WatchedPool>(kThreads);
        const Workers workers(pool);
        const auto load = [&workers] {
            MemoryBudget memory({});
            LoadOptions options;
            options.read = [](const std::filesystem::path&, const Progress& progress) -> Result<Workspace> {
                std::atomic<int> sum = 0;
                for (int times = 0; times < 20; ++times)
                    progress.workers().run(16, [&](size_t, size_t) { ++sum; });
                return makeError(ErrorKind::corrupt, std::to_string(sum.load()));
            };
            return loadInputs(inputsOf({1, 1, 1, 1, 1, 1, 1, 1}), options, memory, Progress(workers)).value();
        };
        {
            std::vector<std::jthread> callers;
            for (size_t i = 0; i < kCallers; ++i) {
                callers.emplace_back([&load] {
                    const LoadedInputs loaded = load();
                    for (size_t input = 0; input < loaded.files.size(); ++input)
                        QCOMPARE(messageOf(loaded, input), std::string("320"));
                });
            }
        }
        QVERIFY(pool->mostAtOnce() > 1);
        QVERIFY(pool->mostAtOnce() <= kThreads + kCallers);
        QVERIFY(pool->threadsSeen() <= kThreads + kCallers);
    }
};

LOCKSTEP_TEST(ReportLoaderTest, "report_loader_test")
#include "report_loader_test.moc"
