// SPDX-License-Identifier: Apache-2.0
// Tests verl's tools for Ascend, hooks of roles, the SFT trainer and tools chosen outside the form, for each
// version.
#include <QTest>

#include "core/session/import_text.h"
#include "tests/support/test_registry.h"
#include "tests/support/verl_sessions.h"

using namespace lockstep;
using namespace lockstep::test;

class VerlToolsTest : public QObject {
    Q_OBJECT

  private slots:
    void npuOfEachVersion();
    void npuProfileOf050ReadsBack();
    void precisionDebuggerOfEachVersion();
    void rolesHaveHooksOfTheirOwn();
    void sftHasOneBlock();
    void toolsChosenElsewhere();
    void metricsNeedNoTool();
};

// The only line of the forecast for samples, or an empty one.
static ExpectedFile samplesOf(const SessionConfig& config)
{
    const std::vector<ExpectedFile> files = forecastFiles(config, {});
    const auto is = [](const ExpectedFile& file) { return file.kind == ReportKind::samples; };
    const auto found = std::ranges::find_if(files, is);
    return std::ranges::count_if(files, is) == 1 ? *found : ExpectedFile();
}

void VerlToolsTest::npuOfEachVersion()
{
    const std::string session =
        "tool: npu\nsteps: [2]\nsave_path: /p\nnpu: {contents: [npu, cpu], level: level1, analysis: true, "
        "discrete: true, profile_token_end: 9}\nroles: {actor: {enable: true, ranks: [0]}}\n";
    const std::string block = "++actor_rollout_ref.actor.profiler.tool_config.npu.";
    for (const char* schema : {"0.6.0", "0.8.0", "head"}) {
        const auto words = overridesOf(sessionOf(schema, session));
        QVERIFY2(has(words, "++global_profiler.tool=npu") && has(words, block + "contents=[npu,cpu]") &&
                     has(words, block + "level=level1") && has(words, block + "discrete=True"),
                 schema);
        QCOMPARE(says(words, "npu.profile_token_end"), std::string(schema) == "head");
    }
    QVERIFY(isRefused(sessionOf("0.8.0", session), "settings.not_in_era"));
    QVERIFY(isRefused(sessionOf("0.4.1", session), "verl.tool_era"));
    QVERIFY(!findRule(preflight(sessionOf("0.5.0", session), {}), "verl.tool_era"));
    const auto files = forecastFiles(sessionOf("head", session), {});
    QCOMPARE(fileOf(files, "actor")->kind, ReportKind::npuProfile);
    QCOMPARE(fileOf(files, "actor")->folder, std::string("/p"));
    QVERIFY(fileOf(files, "rollout"));
    QVERIFY(isRefused(sessionOf("head", "tool: npu\nsteps: [2]\nnpu: {contents: [gpu]}\n"), "npu.contents"));
    QVERIFY(isRefused(sessionOf("head", "tool: npu\nsteps: [2]\nnpu: {level: level9}\n"), "npu.level"));
    QVERIFY(findRule(preflight(omniOf(session), {}), "tool.unsupported"));
    QVERIFY(findRule(preflight(omniOf("tool: precision_debugger\nsteps: [2]\n"), {}), "tool.unsupported"));
}

void VerlToolsTest::npuProfileOf050ReadsBack()
{
    const SessionConfig config = sessionOf(
        "0.5.0", "tool: npu\nsteps: [2]\nsave_path: /p\nnpu: {contents: [npu, stack], level: level2}\n"
                 "roles: {actor: {ranks: [0]}}\n");
    const auto words = overridesOf(config);
    const std::string options = "trainer.npu_profile.options.";
    for (const char* word : {"save_path=/p", "level=level2", "with_npu=True", "with_stack=True",
                             "with_cpu=False", "record_shapes=False"})
        QVERIFY2(has(words, options + word), word);
    QVERIFY(has(words, "trainer.profile_steps=[2]"));
    std::string pasted = "python3 -m verl.trainer.main_ppo";
    for (const std::string& word : words)
        pasted += " " + word;
    const auto back = importOverrideList(pasted);
    QVERIFY(back && back->config.otherOverrides.empty());
    QCOMPARE(back->config.schema, std::optional<std::string>("0.5.0"));
    QCOMPARE(back->config.tool, std::optional(Tool::npu));
    QCOMPARE(back->config.npu.level, config.npu.level);
    QVERIFY(overridesOf(back->config) == words);
    QVERIFY(isRefused(sessionOf("0.5.0", "tool: npu\nsteps: [2]\nnpu: {discrete: true}\n"),
                      "settings.not_in_era"));
    QVERIFY(isRefused(sessionOf("0.5.0", "tool: npu\nsteps: [2]\nroles: {critic: {npu: {level: level1}}}\n"),
                      "settings.not_in_era"));
}

void VerlToolsTest::precisionDebuggerOfEachVersion()
{
    const std::string session =
        "tool: precision_debugger\nsteps: [2]\nsave_path: /p\nprecision_debugger: "
        "{config_path: /c.json, stages: [actor_update], strict: true}\n"
        "roles: {actor: {enable: true, precision_debugger: {stages: [critic_update]}}}\n";
    const auto words = overridesOf(sessionOf("0.8.0", session));
    const std::string tool = "++global_profiler.global_tool_config.precision_debugger.";
    QVERIFY(has(words, tool + "config_path=/c.json") && has(words, tool + "stages=[actor_update]") &&
            has(words, tool + "strict=True"));
    QVERIFY(has(words,
                "++actor_rollout_ref.actor.profiler.tool_config.precision_debugger.stages=[critic_update]"));
    QVERIFY(isRefused(sessionOf("0.7.1", session), "verl.tool_era"));
    QVERIFY(!says(overridesOf(sessionOf("0.7.1", session)), "precision_debugger."));
    QVERIFY(forecastFiles(sessionOf("head", session), {}).empty());
    const std::string bare = "tool: precision_debugger\nsteps: [2]\n";
    QVERIFY(findRule(preflight(sessionOf("head", bare), {}), "precision.config_path"));
    QVERIFY(
        isRefused(sessionOf("head", bare + "precision_debugger: {stages: [update]}\n"), "precision.stages"));
    QVERIFY(findRule(preflight(sessionOf("head", bare + "precision_debugger: {steps: [1]}\n"), {}),
                     "precision.steps"));
}

void VerlToolsTest::rolesHaveHooksOfTheirOwn()
{
    const std::string session = "tool: torch\nsteps: [2]\nroles: {actor: {enable: true, hooks: {command: "
                                "upload, all_ranks: false, ranks: [0, 8], relocate_results: true}}}\n";
    const auto words = overridesOf(sessionOf("head", session));
    const std::string block = "++actor_rollout_ref.actor.profiler.";
    QVERIFY(has(words, block + "relocate_results=True") && has(words, block + "finish_hook_cmd=upload") &&
            has(words, block + "finish_hook_all_ranks=False") &&
            has(words, block + "finish_hook_ranks=[0,8]"));
    QVERIFY(findRule(preflight(sessionOf("head", session), {}), "hooks.confirm"));
    QVERIFY(!says(overridesOf(sessionOf("0.9.0", session)), "finish_hook"));
    QVERIFY(isRefused(sessionOf("0.9.0", session), "settings.not_in_era"));
    const auto back = importOverrideList("main_ppo ++global_profiler.tool=torch " + block +
                                         "finish_hook_cmd=upload " + block + "relocate_results=True");
    QVERIFY(back && back->config.otherOverrides.empty());
    QCOMPARE(back->config.role(Role::actor).hooks.command, std::optional<std::string>("upload"));
}

void VerlToolsTest::sftHasOneBlock()
{
    const std::string command = "torchrun, \"-m\", verl.trainer.sft_trainer";
    const std::string session = "tool: torch\nsteps: [3, 4, 5]\nsave_path: /p\ntorch: {contents: [cuda]}\n"
                                "npu: {level: level1}\nroles: {actor: {enable: true, ranks: [0]}}\n";
    const SessionConfig config = sessionOf("head", session, command);
    const auto words = overridesOf(config);
    for (const char* word :
         {"++profiler.tool=torch", "++trainer.profile_interval=[3,5]", "++profiler.save_path=/p",
          "++profiler.enable=True", "++profiler.ranks=[0]", "++profiler.tool_config.torch.contents=[cuda]",
          "++profiler.tool_config.npu.level=level1"})
        QVERIFY2(has(words, word), word);
    QVERIFY(!says(words, "global_profiler"));
    const auto files = forecastFiles(config, {});
    QCOMPARE(files.size(), size_t(1));
    QCOMPARE(files[0].reportsPerRank, int64_t(1));
    QVERIFY(isRefused(sessionOf("head", "tool: torch\nsteps: [3, 5]\n", command), "verl.sft_interval"));
    QVERIFY(isRefused(sessionOf("head", "tool: nsys\nsteps: [3]\n", command), "verl.tool_sft"));
    QVERIFY(isRefused(sessionOf("0.6.0", session, command), "settings.not_in_era"));
    std::string pasted = "torchrun -m verl.trainer.sft_trainer";
    for (const std::string& word : words)
        pasted += " " + word;
    const auto back = importOverrideList(pasted);
    QVERIFY(back && back->config.otherOverrides.empty());
    QCOMPARE(back->config.steps, config.steps);
    QVERIFY(overridesOf(back->config) == words);
}

void VerlToolsTest::toolsChosenElsewhere()
{
    for (const char* word : {"++global_profiler.tool=torch", "global_profiler.tool=memray",
                             "actor_rollout_ref.actor.profiler.tool=npu", "trainer.profile_steps=[2]"}) {
        SessionConfig config = sessionOf("head", "");
        config.otherOverrides = {word};
        QVERIFY2(toolFromArguments(config) == word, word);
        QVERIFY(!findRule(preflight(config, {}), "tool.none"));
        QVERIFY(findRule(preflight(config, {}), "tool.elsewhere"));
    }
    SessionConfig config = sessionOf("head", "");
    config.otherOverrides = {"global_profiler.tool=null"};
    QVERIFY(findRule(preflight(config, {}), "tool.none"));
    config.otherOverrides = {"global_profiler.tool=memray"};
    QVERIFY(findRule(preflight(config, {}), "override.value"));
    config.otherOverrides = {"global_profiler.tool=npu"};
    const Findings findings = preflight(config, {});
    const Finding* found = findRule(findings, "override.is_field");
    QVERIFY(found && found->apply);
    found->apply(config);
    QCOMPARE(config.tool, std::optional(Tool::npu));
    QVERIFY(config.otherOverrides.empty());
}

// The logger `file` writes a row per step, whether a profiler runs or not.
void VerlToolsTest::metricsNeedNoTool()
{
    const std::string metrics = "settings: {logger: [console, file], logger_root: /m}\n";
    for (const std::string tool : {"", "tool: capture\n", "tool: torch\nsteps: [2]\n"}) {
        const SessionConfig config = sessionOf("head", tool + metrics);
        const auto words = overridesOf(config);
        QVERIFY2(has(words, "++trainer.logger=[console,file]"), tool.c_str());
        QVERIFY2(says(words, "env_vars.VERL_FILE_LOGGER_ROOT=/m"), tool.c_str());
        QCOMPARE(samplesOf(config).folder, std::string("/m/verl_examples"));
        QCOMPARE(samplesOf(config).count(), int64_t(1));
        QVERIFY(!findRule(preflight(config, {}), "tool.none"));
    }
    QVERIFY(findRule(preflight(sessionOf("head", metrics), {}), "tool.samples"));
    SessionConfig own = sessionOf("head", "environment: {VERL_FILE_LOGGER_ROOT: /r}\n");
    QVERIFY(forecastFiles(own, {}).empty());
    own.command.insert(own.command.end(), {"trainer.logger=['console','file']", "trainer.project_name=p"});
    QCOMPARE(samplesOf(own).folder, std::string("/r/p"));
    own.environment = {{"VERL_FILE_LOGGER_PATH", "/r/x.jsonl"}};
    QCOMPARE(samplesOf(own).folder, std::string("/r/x.jsonl"));
    const SessionConfig old = sessionOf("0.5.0", "tool: nsys\nsteps: [2]\n" + metrics);
    QVERIFY(findRule(preflight(old, {}), "settings.unused"));
    QCOMPARE(samplesOf(old).count(), int64_t(0));
}

LOCKSTEP_TEST(VerlToolsTest, "verl_tools_test")
#include "verl_tools_test.moc"
