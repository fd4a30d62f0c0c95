// SPDX-License-Identifier: Apache-2.0
// Tests ResultCache: it only returns results for the same scene, scope and arguments, and stays within its
// byte limit.
#include "core/analysis/result_cache.h"

#include <array>
#include <atomic>
#include <thread>

#include "tests/support/made_table.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

ScenePtr sceneOf(uint64_t generation)
{
    auto scene = std::make_shared<Scene>();
    scene->generation = generation;
    return scene;
}

} // namespace

class ResultCacheTest : public QObject {
    Q_OBJECT

  private slots:
    void equalRequestsAreCached()
    {
        ResultCache cache;
        const ScenePtr scene = sceneOf(1);
        const auto table = test::madeTable();
        QVERIFY(cache.find(scene, {}, "made") == nullptr);
        cache.keep(scene, {}, "made", table);
        QVERIFY(cache.find(scene, {}, "made") == table);
        QVERIFY(cache.size_bytes() >= tableBytes(*table));
    }

    void differentRequestsAreSeparate()
    {
        ResultCache cache;
        const ScenePtr scene = sceneOf(1);
        cache.keep(scene, {}, "made", test::madeTable());
        QVERIFY(cache.find(scene, {}, "made:base") == nullptr);
        std::vector<Scope> others(8);
        others[0].by = GroupBy::rank;
        others[1].ranks = {{0, 1}};
        others[2].steps = {{0, 1}};
        others[3].roles = {"actor"};
        others[4].hosts = {"actor"};
        others[5].time = TimeRange{{0}, {1}};
        others[6].clip = Clip::exclude;
        others[7].name = *Pattern::compile("gemm");
        for (const Scope& scope : others)
            QVERIFY(cache.find(scene, scope, "made") == nullptr);
        for (const Scope& scope : others)
            cache.keep(scene, scope, "made", test::madeTable());
        QCOMPARE(cache.tableCount(), others.size() + 1);
        // Names that are equal when they are concatenated.
        Scope one, two;
        one.roles = {"a,b"};
        two.roles = {"a", "b"};
        cache.keep(scene, one, "made", test::madeTable());
        QVERIFY(cache.find(scene, two, "made") == nullptr);
    }

    // A job of the previous scene that ends late neither returns its result nor evicts others.
    void staleResultIsNeverReturned()
    {
        ResultCache cache;
        const ScenePtr old = sceneOf(1), now = sceneOf(2), alike = sceneOf(2);
        cache.keep(old, {}, "made", test::madeTable());
        QVERIFY(cache.find(now, {}, "made") == nullptr);
        QCOMPARE(cache.tableCount(), size_t(0));
        const auto table = test::madeTable();
        cache.keep(now, {}, "made", table);
        cache.keep(old, {}, "made", test::madeTable());
        QVERIFY(cache.find(now, {}, "made") == table);
        QVERIFY(cache.find(old, {}, "made") == nullptr);
        QVERIFY(cache.find(now, {}, "made") == table);
        QVERIFY(cache.find(alike, {}, "made") == nullptr); // another line, with equal counts
    }

    void leastRecentlyUsedIsEvictedFirst()
    {
        const auto table = test::madeTable();
        ResultCache cache(3 * tableBytes(*table) + 600);
        const ScenePtr scene = sceneOf(1);
        for (const char* const what : {"a", "b", "c"})
            cache.keep(scene, {}, what, table);
        QVERIFY(cache.find(scene, {}, "a") == table);
        cache.keep(scene, {}, "d", table);
        QVERIFY(cache.find(scene, {}, "b") == nullptr);
        QVERIFY(cache.find(scene, {}, "a") == table);
        for (int i = 0; i < 1000; ++i)
            cache.keep(scene, {}, "n" + std::to_string(i), table);
        QVERIFY(cache.size_bytes() <= 3 * tableBytes(*table) + 600);
        ResultCache small(10);
        small.keep(scene, {}, "a", table);
        QCOMPARE(small.tableCount(), size_t(0));
        QCOMPARE(small.size_bytes(), size_t(0));
    }

    void manyThreads()
    {
        ResultCache cache(1 << 16);
        std::vector<std::jthread> threads;
        const std::array scenes{sceneOf(1), sceneOf(2), sceneOf(3)};
        std::atomic<int> wrong = 0;
        for (int thread = 0; thread < 4; ++thread) {
            threads.emplace_back([&, thread] {
                for (int i = 0; i < 300; ++i) {
                    const ScenePtr& scene = scenes[static_cast<size_t>((i + thread) % 3)];
                    const std::string what = std::to_string(i % 5);
                    auto table = std::make_shared<Table>(std::to_string(scene->generation) + what, "");
                    cache.keep(scene, {}, what, table);
                    const auto found = cache.find(scene, {}, what);
                    if (found && found->name() != table->name()) ++wrong;
                }
            });
        }
        threads.clear();
        QCOMPARE(wrong.load(), 0);
    }
};

LOCKSTEP_TEST(ResultCacheTest, "result_cache_test")
#include "result_cache_test.moc"
