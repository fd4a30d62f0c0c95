// SPDX-License-Identifier: Apache-2.0
// Tests the keys that each release of verl and VeRL-Omni accepts: they are written where supported, refused
// with a finding where not, and read back.
#include <QRegularExpression>
#include <QTest>

#include <algorithm>

#include "core/session/expected_files.h"
#include "core/session/hydra_override.h"
#include "core/session/import_text.h"
#include "core/session/launch_plan.h"
#include "core/session/nsight_options.h"
#include "core/session/preflight.h"
#include "core/session/recipes/recipe_library.h"
#include "core/session/recipes/session_scope.h"
#include "core/session/session_yaml.h"
#include "core/session/typed_value.h"
#include "tests/support/hydra_grammar.h"
#include "tests/support/test_registry.h"
#include "tests/support/verl_sessions.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr const char* kBlockOfReward =
    "++reward_model.profiler.tool_config={nsys:{_target_:verl.utils.profiler.config.NsightToolConfig,"
    "discrete:True}}";

} // namespace

class VerlLayoutsTest : public QObject {
    Q_OBJECT

  private slots:
    void torchOf070AcceptsMiniBatches();
    void oldNsysOptionsGetAPlus();
    void importsKeepThePlus();
    void copiedBlocksAreWrittenCompletely();
    void copiedBlocksKeepHiddenKeys();
    void wholeBlocksReadBack();
    void stagesOfHeadAreOptional();
    void namesContainStepAndRank();
    void criticOfHeadCountsItsBatches();
    void diffusionRolloutCopiesNothing();
    void omniHasRewardServerAndCritic();
    void outputOptionNamesTheFiles();
    void everyKeyRoundTrips();
    void releasesThatRecordLess_data();
    void releasesThatRecordLess();
};

// Each fact was read in the source of the release, see resources/recipes/verl.yaml.
void VerlLayoutsTest::releasesThatRecordLess_data()
{
    QTest::addColumn<QString>("schema");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("rule");  // "" = none of these rules
    QTest::addColumn<QString>("roles"); // of the forecast
    const auto row = [](const char* name, const char* schema, const char* text, const char* rule,
                        const char* roles) { QTest::newRow(name) << schema << text << rule << roles; };
    const char* both =
        "tool: nsys\nsteps: [2]\nroles: {actor: {enable: true, ranks: [0]}, critic: {enable: true, ranks: [0]}}\n";
    row("critic of 0.8.0", "0.8.0", both, "verl.critic_0_8", "actor controller");
    row("critic of 0.9.0", "0.9.0", both, "",
        "actor controller"); // one process, one report
    const char* unranked = "tool: nsys\nsteps: [2]\nroles: {actor: {enable: true}}\n";
    row("no ranks in 0.6.0", "0.6.0", unranked, "verl.no_ranks", "");
    row("no ranks in 0.7.0", "0.7.0", unranked, "verl.no_ranks", "");
    row("no ranks in 0.7.1", "0.7.1", unranked, "", "actor controller");
    // Also one snapshot after every step: v0.7.0 verl/trainer/ppo/ray_trainer.py:1637-1642.
    row("memory without ranks in 0.7.0", "0.7.0",
        "tool: torch_memory\nsteps: [2]\nroles: {actor: {enable: true}}\n", "", "actor actor");
    row("torch of 0.7.0", "0.7.0", "tool: torch\nsteps: [2]\nroles: {actor: {enable: true, ranks: [0]}}\n",
        "verl.torch_0_7_0", "");
    const std::string engines = "tool: torch\nsteps: [2]\ntorch: {discrete: true}\nroles: {rollout: "
                                "{enable: true, ranks: [0]}}\n";
    const auto with = [&](const char* command) { return engines + "command: [" + command + "]\n"; };
    const auto engine = [](const char* name, const char* schema, const std::string& text, bool isRecorded) {
        QTest::newRow(name) << schema << QString::fromStdString(text)
                            << (isRecorded ? "" : "verl.engines_not_started")
                            << (isRecorded ? "rollout" : "");
    };
    const char* ppo = "python3, \"-m\", verl.trainer.main_ppo";
    engine("engines of 0.7.1", "0.7.1", with(ppo), true);
    engine("engines of 0.8.0", "0.8.0", with(ppo), true);
    engine("engines of main_ppo_sync", "0.8.0", with("python3, \"-m\", verl.trainer.main_ppo_sync"), false);
    engine("engines of 0.9.0", "0.9.0", with(ppo), false);
    engine("engines of 0.9.0, old trainer", "0.9.0", with(ppo) + "other_overrides: [trainer.use_v1=False]\n",
           true);
    engine("engines of head", "head", with(ppo), true);
    const char* async = "python3, \"-m\", verl.experimental.fully_async_policy.fully_async_main";
    engine("fully_async of 0.7.1", "0.7.1", with(async), false);
    engine("fully_async of 0.9.0", "0.9.0", with(async), true);
    engine("one_step_off of 0.9.0", "0.9.0",
           with("python3, \"-m\", verl.experimental.one_step_off_policy.main_ppo"), false);
    engine("one_step_off", "head", with("python3, \"-m\", verl.experimental.one_step_off_policy.main_ppo"),
           false);
}

void VerlLayoutsTest::releasesThatRecordLess()
{
    QFETCH(QString, schema);
    QFETCH(QString, text);
    QFETCH(QString, rule);
    QFETCH(QString, roles);
    const std::string command =
        text.contains("command:") ? "" : "command: [python3, \"-m\", verl.trainer.main_ppo]\n";
    const auto config = sessionFromYaml("framework: verl\nschema: \"" + schema.toStdString() + "\"\n" +
                                        command + text.toStdString());
    QVERIFY2(config, config ? "" : config.error().message.c_str());
    QStringList found, forecast;
    for (const Finding& finding : preflight(*config, {})) {
        const QString name = QString::fromStdString(finding.rule);
        if (name == "verl.critic_0_8" || name == "verl.no_ranks" || name == "verl.torch_0_7_0" ||
            name == "verl.engines_not_started")
            found << name;
    }
    for (const ExpectedFile& file : forecastFiles(*config, {}))
        forecast << QString::fromStdString(file.role);
    // With one_step_off, the older trainer would not help either.
    for (const Finding& finding : preflight(*config, {})) {
        if (finding.rule == "verl.engines_not_started")
            QCOMPARE(bool(finding.apply), schema == "0.9.0" && !text.contains("one_step_off"));
    }
    QCOMPARE(found.join(' '), rule);
    QCOMPARE(forecast.join(' '), roles);
}

void VerlLayoutsTest::torchOf070AcceptsMiniBatches()
{
    const SessionConfig config =
        sessionOf("0.7.0", "tool: torch\nsteps: [2]\nsave_path: /p\n"
                           "torch: {contents: [cuda], discrete: true, step_start: 1, step_end: 3}\n"
                           "roles: {actor: {enable: true}}\n");
    const auto words = overridesOf(config);
    const std::string torch = "++actor_rollout_ref.actor.profiler.tool_config.torch.";
    QVERIFY(has(words, torch + "step_start=1") && has(words, torch + "step_end=3"));
    QVERIFY(!says(words, "torch.contents") && !says(words, "torch.discrete"));
    QVERIFY(isRefused(config, "settings.not_in_era"));
    SessionConfig newer = config;
    newer.schema = "0.7.1";
    QVERIFY(!says(overridesOf(newer), "step_start") && says(overridesOf(newer), "torch.contents=[cuda]"));
    QVERIFY(isRefused(newer, "settings.not_in_era"));
    newer.torch.schedule.active = 1;
    newer.torch.tokenEnd = 5;
    QVERIFY(!says(overridesOf(newer), "schedule") && !says(overridesOf(newer), "profile_token"));
    QCOMPARE(std::ranges::count(preflight(newer, {}), "settings.not_in_era", &Finding::rule), 4);
    SessionConfig open = config;
    open.torch = {};
    QVERIFY(findRule(preflight(open, {}), "verl.step_end_open"));
}

void VerlLayoutsTest::oldNsysOptionsGetAPlus()
{
    for (const char* schema : {"0.4.1", "0.5.0"}) {
        const auto words = overridesOf(
            sessionOf(schema, "tool: nsys\nsteps: [2]\nroles: {actor: {ranks: [0]}}\n"
                              "nsys: {worker_options: {trace: cuda, kill: none, gpu-metrics-devices: all}, "
                              "controller_options: {trace: nvtx, kill: none}}\n"));
        const std::string worker = "trainer.worker_nsight_options.",
                          controller = "trainer.controller_nsight_options.";
        QVERIFY(has(words, worker + "trace=\"cuda\"") && has(words, worker + "kill=\"none\""));
        QVERIFY(has(words, "++" + worker + "gpu-metrics-devices=\"all\""));
        QVERIFY(has(words, controller + "trace=\"nvtx\"") && has(words, "++" + controller + "kill=\"none\""));
    }
}

void VerlLayoutsTest::importsKeepThePlus()
{
    const auto imported = importOverrideList(
        "python3 -m verl.trainer.main_ppo trainer.profile_steps=[2] actor_rollout_ref.profiler.ranks=[0] "
        "+trainer.worker_nsight_options.gpu-metrics-devices=all "
        "++trainer.controller_nsight_options.sample=none");
    QVERIFY(imported);
    QVERIFY(imported->config.otherOverrides.empty());
    const auto words = overridesOf(imported->config);
    QVERIFY(has(words, "++trainer.worker_nsight_options.gpu-metrics-devices=\"all\""));
    QVERIFY(has(words, "++trainer.controller_nsight_options.sample=\"none\""));
}

void VerlLayoutsTest::copiedBlocksAreWrittenCompletely()
{
    const std::string session = "tool: nsys\nsteps: [2]\nroles: {actor: {enable: true}, reward: {enable: "
                                "true, discrete: true}, rollout: {discrete: true}}\n";
    for (const char* schema : {"0.6.0", "0.7.0"}) {
        const auto words = overridesOf(sessionOf(schema, session));
        QVERIFY2(has(words, kBlockOfReward), schema);
        QVERIFY(!says(words, "reward_model.profiler.tool_config.nsys"));
        QVERIFY(says(words, "++actor_rollout_ref.rollout.profiler.tool_config={nsys:{_target_:"));
        for (const std::string& word : words)
            QCOMPARE(hydraGrammarProblem(word), std::string());
    }
    // Later YAML lists the tools that a rollout may use, and nsys is not among them.
    const auto head = overridesOf(sessionOf("head", session));
    QVERIFY(has(head, "++actor_rollout_ref.rollout.profiler.tool_config.nsys={_target_:verl.utils.profiler."
                      "config.NsightToolConfig,discrete:True}"));
    QVERIFY(!says(head, "reward_model"));
    for (const char* schema : {"0.4.1", "0.5.0"}) {
        const auto old = overridesOf(
            sessionOf(schema, "tool: nsys\nsteps: [2]\nroles: {reward: {ranks: [0], discrete: true}}\n"));
        QVERIFY(has(old, "reward_model.profiler.discrete=True"));
    }
}

// The interpolation that the block replaces copied the actor's settings of the active tool.
void VerlLayoutsTest::copiedBlocksKeepHiddenKeys()
{
    const auto words = overridesOf(
        sessionOf("0.7.0", "tool: torch\nsteps: [2]\ntorch: {step_start: 1, step_end: 4}\n"
                           "roles: {actor: {enable: true}, reward: {enable: false, discrete: true}}\n"));
    QVERIFY(has(words, "++reward_model.profiler.tool_config={torch:{_target_:verl.utils.profiler.config."
                       "TorchProfilerToolConfig,step_start:1,step_end:4},nsys:{_target_:verl.utils.profiler."
                       "config.NsightToolConfig,discrete:True}}"));
}

void VerlLayoutsTest::wholeBlocksReadBack()
{
    SessionConfig config = sessionOf("0.7.0", "");
    const LaunchRecipe& recipe = *findLaunchRecipe("verl");
    const size_t era = *recipe.eraIndex("0.7.0");
    const Result<HydraOverride> parsed = parseHydraOverride(kBlockOfReward);
    QVERIFY(parsed && parsed->value);
    const Result<bool> taken = importKey(config, recipe, era, parsed->key, *parsed->value);
    QVERIFY(taken && *taken);
    QCOMPARE(config.role(Role::reward).discrete, std::optional(true));
    // A map with an unknown key is not accepted in part.
    const auto odd = parseHydraOverride("++reward_model.profiler.tool_config={nsys:{discrete:False,new:1}}");
    QVERIFY(!*importKey(config, recipe, era, odd->key, *odd->value));
    QCOMPARE(config.role(Role::reward).discrete, std::optional(true));
}

void VerlLayoutsTest::stagesOfHeadAreOptional()
{
    const SessionConfig config = sessionOf("head", "tool: nsys\nsteps: [2, 5]\ndiscrete: true\n"
                                                   "roles: {actor: {enable: true, ranks: [0, 1]}}\n");
    const auto files = forecastFiles(config, {});
    const ExpectedFile* actor = fileOf(files, "actor");
    QVERIFY(actor);
    QCOMPARE(actor->reportsPerRank, int64_t(6)); // two log-prob passes and the update, in two steps
    QCOMPARE(actor->optionalPerRank, int64_t(4));
    QCOMPARE(actor->count(), int64_t(12));
    QCOMPARE(actor->requiredCount(), int64_t(4));
    QCOMPARE(rangeEndOf(config), std::string("repeat-shutdown:6"));
    const ForecastTotal total = forecastTotal(files);
    QCOMPARE(total.count, int64_t(5));
    QCOMPARE(total.optionalCount, int64_t(8));
    QVERIFY(forecastText(files).find("total 5 to 13 files") != std::string::npos);
    SessionConfig whole = config;
    whole.discrete = false;
    QCOMPARE(fileOf(forecastFiles(whole, {}), "actor")->optionalPerRank, int64_t(0));
}

// A step in a name is read, with any prefix.
void VerlLayoutsTest::namesContainStepAndRank()
{
    const SessionConfig config = sessionOf("head", "tool: torch\nsteps: [2, 5]\nsave_path: /p\n"
                                                   "roles: {actor: {enable: true}}\n");
    const QRegularExpression pattern(QRegularExpression::anchoredPattern(
        QString::fromStdString(fileOf(forecastFiles(config, {}), "actor")->pattern)));
    const auto match =
        pattern.match("actor-rollout-ref_train_step5_rank8-of-16_pid81231_20260822143501123.json.gz");
    QVERIFY(match.hasMatch());
    QCOMPARE(match.captured("step"), QString("5"));
    QCOMPARE(match.captured("rank"), QString("8"));
    const auto bare = pattern.match("value-model_rank0-of-8_pid9_20260822143501123_mb2-3.json.gz");
    QVERIFY(bare.hasMatch() && bare.captured("step").isEmpty());
    QCOMPARE(bare.captured("rank"), QString("0"));
}

// Actor and critic share a process, whose reports nsys numbers: two log-prob passes and the update of the
// actor, and the batches of the critic.
void VerlLayoutsTest::criticOfHeadCountsItsBatches()
{
    const std::string both = "actor, critic";
    SessionConfig config = sessionOf("head", "tool: nsys\nsteps: [2]\ndiscrete: true\n"
                                             "roles: {actor: {enable: true}, critic: {enable: true}}\n");
    config.otherOverrides = {"data.train_batch_size=512", "critic.ppo_mini_batch_size=512"};
    const auto files = forecastFiles(config, {});
    QCOMPARE(fileOf(files, both)->reportsPerRank, int64_t(4));
    QCOMPARE(fileOf(files, both)->optionalPerRank, int64_t(2));
    QCOMPARE(rangeEndOf(config), std::string("repeat-shutdown:4"));
    config.otherOverrides = {"data.train_batch_size=512", "critic.ppo_mini_batch_size=128",
                             "critic.ppo_epochs=2"};
    const auto many = forecastFiles(config, {});
    QCOMPARE(fileOf(many, both)->reportsPerRank, int64_t(11));
    QCOMPARE(fileOf(many, both)->optionalPerRank, int64_t(9));
    QVERIFY(findRule(preflight(config, {}), "verl.critic_batches"));
    config.schema = "0.9.0";
    QCOMPARE(fileOf(forecastFiles(config, {}), both)->reportsPerRank, int64_t(11));
    config.schema = "0.7.1"; // generation, log-prob and update of the actor; values and update of the critic
    QCOMPARE(fileOf(forecastFiles(config, {}), both)->reportsPerRank, int64_t(5));
    config.otherOverrides = {"algorithm.adv_estimator=grpo"};
    QVERIFY(fileOf(forecastFiles(config, {}), both) == nullptr);
    QVERIFY(findRule(preflight(config, {}), "verl.no_critic"));
    config.otherOverrides.emplace_back("critic.enable=True");
    QVERIFY(fileOf(forecastFiles(config, {}), both) != nullptr);
}

void VerlLayoutsTest::diffusionRolloutCopiesNothing()
{
    const std::string session = "tool: torch\nsteps: [2]\nsave_path: /p\ntorch: {discrete: true}\n"
                                "roles: {actor: {enable: true, ranks: [0]}}\n";
    const SessionConfig diffusion = omniOf(session);
    QVERIFY(!fileOf(forecastFiles(diffusion, {}), "rollout"));
    const SessionConfig omni = omniOf(session, "python3, \"-m\", verl_omni.trainer.main_omni");
    QVERIFY(fileOf(forecastFiles(omni, {}), "rollout"));
}

void VerlLayoutsTest::omniHasRewardServerAndCritic()
{
    const std::string session =
        "tool: torch\nsteps: [1]\nsave_path: /p\ntorch: {contents: [cpu, cuda], discrete: true}\n"
        "roles: {reward: {enable: true, ranks: [0]}, critic: {enable: true}}\n";
    const SessionConfig diffusion = omniOf(session);
    const auto words = overridesOf(diffusion);
    const std::string server = "++reward.reward_model.rollout.profiler.";
    QVERIFY(has(words, server + "enable=True") && has(words, server + "ranks=[0]"));
    QVERIFY(has(words, server + "tool=torch") && has(words, server + "tool_config.torch.discrete=True"));
    QVERIFY(!says(words, "critic.profiler"));
    QVERIFY(findRule(preflight(diffusion, {}), "settings.not_in_era"));
    const auto files = forecastFiles(diffusion, {});
    QCOMPARE(fileOf(files, "reward")->folder, std::string("/p/reward_model/agent_loop_rollout_replica_*"));
    QCOMPARE(fileOf(files, "reward")->reportsPerRank, int64_t(1));
    const SessionConfig omni = omniOf(session, "main_omni");
    QVERIFY(has(overridesOf(omni), "++critic.profiler.enable=True"));
    QVERIFY(!findRule(preflight(omni, {}), "settings.not_in_era"));
    const auto back =
        importOverrideList("bash examples/flowgrpo_trainer/run.sh global_profiler.tool=torch "
                           "reward.reward_model.rollout.profiler.enable=True "
                           "reward.reward_model.rollout.profiler.tool_config.torch.discrete=True");
    QVERIFY(back && back->config.otherOverrides.empty());
    QCOMPARE(back->config.role(Role::reward).enable, std::optional(true));
}

void VerlLayoutsTest::outputOptionNamesTheFiles()
{
    QCOMPARE(nsysNamePattern("worker_%h_%p"), std::string(R"(worker_(?<host>.+?)_(?<pid>\d+))"));
    QCOMPARE(nsysNamePattern("'a.b_%q{RANK}_%q{X}.nsys-rep'"), std::string(R"(a\.b_(?<rank>\d+)_.+?)"));
    QCOMPARE(nsysNamePattern("/d/%p_%p%%"), std::string(R"((?<pid>\d+)_\d+%)"));
    QCOMPARE(nsysNamePattern("x%q{open"), std::string("x.+?"));
    SessionConfig config = sessionOf("head", "tool: nsys\nsteps: [2]\nroles: {actor: {enable: true}}\n"
                                             "nsys: {worker_options: {o: \"mine/w_%p\"}, controller_options: "
                                             "{o: c_%p}}\n");
    const auto files = forecastFiles(config, {});
    const std::string ray = "/tmp/ray/session_latest/logs/nsight";
    QCOMPARE(fileOf(files, "actor")->folder, ray + "/mine");
    QCOMPARE(fileOf(files, "actor")->pattern, std::string(R"(w_(?<pid>\d+)\.(?<range>\d+)\.nsys-rep)"));
    QCOMPARE(fileOf(files, "controller")->folder, ray);
    QCOMPARE(fileOf(files, "controller")->pattern, std::string(R"(c_(?<pid>\d+)\.nsys-rep)"));
    setOption(config.workerOptions, "o", "/shared/%h_%p");
    QCOMPARE(fileOf(forecastFiles(config, {}), "actor")->folder, std::string("/shared"));
    QCOMPARE(fileOf(forecastFiles(config, {}), "actor")->pattern,
             std::string(R"((?<host>.+?)_(?<pid>\d+)\.(?<range>\d+)\.nsys-rep)"));
}

// Every key of every layout, with a value of its type, is accepted and written again under the same key.
void VerlLayoutsTest::everyKeyRoundTrips()
{
    const std::array<std::pair<const char*, const char*>, 4> launches{{{"verl", "main_ppo"},
                                                                       {"verl", "sft_trainer.py"},
                                                                       {"verl_omni", "main_omni"},
                                                                       {"verl_omni", "main_diffusion"}}};
    for (const auto& [framework, command] : launches) {
        const LaunchRecipe& recipe = *findLaunchRecipe(framework);
        for (size_t era = 0; era < std::max<size_t>(1, recipe.eras.size()); ++era) {
            SessionConfig base;
            base.framework = *enumFromWord<Framework>(framework);
            base.command = {command};
            if (era < recipe.eras.size()) base.schema = recipe.eras[era].id;
            for (const SpelledSetting& one :
                 spelledSettings(recipe, era, entryOfCommand(recipe, base.command))) {
                if (one.isOptionMap() || one.to->form != RecipeTo::Form::override) continue;
                QVERIFY2(isKeyRead(recipe, era, entryOfCommand(recipe, base.command), one.key),
                         one.key.c_str());
                SessionConfig config = base;
                bool isTaken = false;
                for (const char* value : {"True", "[2,5]", "3", "[cuda]", "torch", "/a/b"}) {
                    if (isTaken) break;
                    const auto parsed = parseHydraOverride(one.key + "=" + value);
                    const Result<bool> taken = importKey(config, recipe, era, one.key, *parsed->value);
                    isTaken = taken && *taken;
                }
                if (one.key.starts_with("trainer.npu_profile.")) config.tool = Tool::npu;
                QVERIFY2(isTaken, one.key.c_str());
                const auto words = overridesOf(config);
                const bool isWhole =
                    one.key.find(".tool_config.") != std::string::npos &&
                    says(words, one.key.substr(0, one.key.find(".tool_config")) + ".tool_config");
                QVERIFY2(says(words, one.key + "=") || isWhole, one.key.c_str());
            }
        }
    }
}

LOCKSTEP_TEST(VerlLayoutsTest, "verl_layouts_test")
#include "verl_layouts_test.moc"
