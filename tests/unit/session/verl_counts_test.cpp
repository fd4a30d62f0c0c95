// SPDX-License-Identifier: Apache-2.0
// Tests how many reports a run of verl writes, and from which processes, in cases that its recipe decides by
// keys of the command. The source of each fact is in resources/recipes/verl.yaml.
#include <QTest>

#include "tests/support/test_registry.h"
#include "tests/support/verl_sessions.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr const char* kPpo = "python3, \"-m\", verl.trainer.main_ppo";

std::string ppoWith(const std::string& overrides)
{
    return std::string(kPpo) + (overrides.empty() ? "" : ", " + overrides);
}

} // namespace

class VerlCountsTest : public QObject {
    Q_OBJECT

  private slots:
    void referenceHasItsOwnBlock();
    void rolesOfAProcessShareReports();
    void criticExistsOnlyIfUsed();
    void enginesWriteAFilePerGpu();
    void scheduleWritesAFilePerCycle();
    void localStepsRepeatStages();
    void relocationNeedsRaysDefaultFolder();
};

// The reference reads its own block up to 0.7.1; from 0.8.0 on, it is part of the actor.
void VerlCountsTest::referenceHasItsOwnBlock()
{
    const std::string session = "tool: nsys\nsteps: [2]\nroles: {ref: {enable: true, ranks: [0]}}\n";
    for (const char* schema : {"0.6.0", "0.7.0", "0.7.1"}) {
        const SessionConfig config = sessionOf(schema, session, kPpo);
        QVERIFY2(fileOf(forecastFiles(config, {}), "ref") != nullptr, schema);
        QVERIFY2(findRule(preflight(config, {}), "verl.ref_only") == nullptr, schema);
    }
    for (const char* schema : {"0.8.0", "0.9.0", "head"}) {
        const SessionConfig config = sessionOf(schema, session, kPpo);
        QVERIFY2(forecastFiles(config, {}).empty(), schema);
        QVERIFY2(isRefused(config, "verl.ref_only"), schema);
    }
    const std::string both =
        "tool: nsys\nsteps: [2]\ndiscrete: true\nroles: {actor: {enable: true, ranks: [0]}, "
        "ref: {enable: true, ranks: [1]}}\n";
    const auto files = forecastFiles(sessionOf("0.7.1", both, kPpo), {});
    QCOMPARE(fileOf(files, "ref")->ranks, std::vector<int64_t>{1});
    QCOMPARE(fileOf(files, "ref")->reportsPerRank, int64_t(1));
    QVERIFY(fileOf(forecastFiles(sessionOf("0.8.0", both, kPpo), {}), "ref") == nullptr);
}

void VerlCountsTest::rolesOfAProcessShareReports()
{
    const std::string roles = "steps: [2, 5]\nsave_path: /p\nroles: {actor: {enable: true, ranks: [0, 1]}, "
                              "critic: {enable: true, ranks: [1, 8]}}\n";
    for (const char* tool : {"nsys", "torch", "torch_memory"}) {
        const auto files =
            forecastFiles(sessionOf("0.9.0", "tool: " + std::string(tool) + "\n" + roles, kPpo), {});
        QCOMPARE(fileOf(files, "actor")->ranks, (std::vector<int64_t>{0, 1, 8}));
        QCOMPARE(fileOf(files, "actor")->reportsPerRank, int64_t(2));
        QVERIFY2(fileOf(files, "critic") == nullptr, tool);
    }
    const auto stages = forecastFiles(sessionOf("0.9.0", "tool: nsys\ndiscrete: true\n" + roles, kPpo), {});
    QCOMPARE(fileOf(stages, "actor")->ranks, std::vector<int64_t>{0});
    QCOMPARE(fileOf(stages, "actor, critic")->ranks, std::vector<int64_t>{1});
    QCOMPARE(fileOf(stages, "critic")->ranks, std::vector<int64_t>{8});
}

void VerlCountsTest::criticExistsOnlyIfUsed()
{
    const std::string session = "tool: nsys\nsteps: [2]\nroles: {critic: {enable: true, ranks: [0]}}\n";
    const auto hasCritic = [&](const std::string& overrides) {
        return fileOf(forecastFiles(sessionOf("head", session, ppoWith(overrides)), {}), "critic") != nullptr;
    };
    QVERIFY(hasCritic("") && hasCritic("algorithm.adv_estimator=gae"));
    QVERIFY(!hasCritic("algorithm.adv_estimator=grpo"));
    QVERIFY(hasCritic("algorithm.adv_estimator=grpo, critic.enable=True"));
    QVERIFY(!hasCritic("critic.enable=False"));
    const SessionConfig grpo = sessionOf("head", session, ppoWith("algorithm.adv_estimator=grpo"));
    QVERIFY(findRule(preflight(grpo, {}), "verl.no_critic") != nullptr);
}

// Every GPU of a replica writes a file. Ranks of the rollout are replica numbers up to 0.9.0.
void VerlCountsTest::enginesWriteAFilePerGpu()
{
    const std::string session = "tool: torch\nsteps: [2]\ntorch: {discrete: true}\n"
                                "roles: {rollout: {enable: true, ranks: [1]}}\n";
    const std::string tp = "actor_rollout_ref.rollout.tensor_model_parallel_size=4";
    const auto ranks = [&](const char* schema, const std::string& overrides) {
        return fileOf(forecastFiles(sessionOf(schema, session, ppoWith(overrides)), {}), "rollout")->ranks;
    };
    QCOMPARE(ranks("head", tp), (std::vector<int64_t>{0, 1, 2, 3}));
    QCOMPARE(ranks("0.8.0", tp), (std::vector<int64_t>{4, 5, 6, 7}));
    QCOMPARE(ranks("head", ""), (std::vector<int64_t>{0, 1})); // verl's default is 2
    QCOMPARE(ranks("head", "actor_rollout_ref.rollout.tensor_model_parallel_size=1"),
             std::vector<int64_t>{1});
}

void VerlCountsTest::scheduleWritesAFilePerCycle()
{
    const std::string session = "tool: torch\nsteps: [2]\nroles: {actor: {enable: true, ranks: [0]}}\n"
                                "torch: {discrete: true, schedule: {active: 1, repeat: ";
    const auto files = forecastFiles(sessionOf("0.9.0", session + "3}}\n", kPpo), {});
    QCOMPARE(fileOf(files, "actor")->reportsPerRank, int64_t(5)); // two log-prob passes and three cycles
    const auto endless = forecastFiles(sessionOf("0.9.0", session + "0}}\n", kPpo), {});
    QVERIFY(!fileOf(endless, "actor")->isCountKnown());
}

void VerlCountsTest::localStepsRepeatStages()
{
    const std::string session =
        "tool: nsys\nsteps: [2]\ndiscrete: true\nroles: {actor: {enable: true, ranks: [0]}}\n";
    const auto each = [&](const char* schema, const std::string& command) {
        return fileOf(forecastFiles(sessionOf(schema, session, command), {}), "actor")->reportsPerRank;
    };
    const std::string separate = "trainer.v1.trainer_mode=separate_async";
    QCOMPARE(each("0.9.0", ppoWith("")), int64_t(3));
    QCOMPARE(each("0.9.0", ppoWith(separate)), int64_t(12)); // parameter_sync_step is 4 by default
    QCOMPARE(each("0.9.0", ppoWith(separate + ", trainer.v1.separate_async.parameter_sync_step=2")),
             int64_t(6));
    QCOMPARE(rangeEndOf(sessionOf("0.9.0", session, ppoWith(separate))), "repeat-shutdown:12");
    const std::string async = "python3, \"-m\", verl.experimental.fully_async_policy.fully_async_main";
    QCOMPARE(each("0.9.0", async), int64_t(12)); // four windows per parameter version by default
    QCOMPARE(each("0.7.1", async), int64_t(3));
}

// verl moves reports only from /tmp/ray.
void VerlCountsTest::relocationNeedsRaysDefaultFolder()
{
    const std::string session = "tool: nsys\nsteps: [2]\nsave_path: /p\nhooks: {relocate_results: true}\n"
                                "roles: {actor: {enable: true, ranks: [0]}}\n";
    QVERIFY(findRule(preflight(sessionOf("head", session, kPpo), {}), "verl.ray_temp") == nullptr);
    const SessionConfig moved = sessionOf("head", session, ppoWith("ray_kwargs.ray_init._temp_dir=/d/ray"));
    QVERIFY(findRule(preflight(moved, {}), "verl.ray_temp") != nullptr);
    QCOMPARE(fileOf(forecastFiles(moved, {}), "actor")->folder,
             std::string("/d/ray/session_latest/logs/nsight"));
}

LOCKSTEP_TEST(VerlCountsTest, "verl_counts_test")
#include "verl_counts_test.moc"
