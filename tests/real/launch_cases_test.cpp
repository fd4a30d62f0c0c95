// SPDX-License-Identifier: Apache-2.0
// Tests the cases of launch scripts, with the right values of their expected.json.
#include <algorithm>
#include <fstream>

#include "core/session/import_text.h"
#include "core/session/launch_plan.h"
#include "core/session/preflight.h"
#include "core/session/recipes/recipe_settings.h"
#include "core/session/recipes/session_scope.h"
#include "core/session/session_yaml.h"
#include "core/session/typed_value.h"
#include "tests/support/case_files.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

ImportedSession imported(const std::string& file)
{
    std::ifstream script(caseFile(file));
    const std::string text{std::istreambuf_iterator<char>(script), {}};
    return importText(text).value();
}

// Returns the number of rollout ranks according to the framework's recipe.
int64_t rolloutRanks(const SessionConfig& config)
{
    const std::vector<Host> hosts = plannedHosts(config);
    const RecipeInput input{config, {}, hosts, eraOf(config, {}), 0};
    return SessionScope(*recipeFor(config.framework).data, input).value("rollout_world").number;
}

} // namespace

class LaunchCasesTest : public QObject {
    Q_OBJECT

  private slots:
    // The trainer and the rollout have separate GPU pools.
    void l02RayJob()
    {
        LOCKSTEP_NEED_CASES();
        const Json expected = expectedOf("L02");
        const ImportedSession made = imported("L02/submit.sh");
        QCOMPARE(enumName(made.config.framework), std::string_view("verl"));
        QCOMPARE(made.config.launcher.kind, LauncherKind::rayJob);
        QVERIFY(made.config.tool == Tool::torch);
        QVERIFY(made.config.steps == expected["steps"].get<std::vector<int64_t>>());
        QVERIFY(made.config.profileContinuousSteps.value_or(false));
        QVERIFY(made.config.role(Role::actor).allRanks.value_or(false));
        QVERIFY(made.config.role(Role::rollout).ranks ==
                expected["rollout_ranks"].get<std::vector<int64_t>>());
        QVERIFY(made.config.role(Role::actor).torch.contents ==
                expected["contents"].get<std::vector<std::string>>());
        QCOMPARE(knownWorldSize(made.config).value_or(0), expected["gpus"]["trainer"].get<int64_t>());
        QCOMPARE(rolloutRanks(made.config), expected["gpus"]["rollout"].get<int64_t>());
        const std::string said = findingsText(preflight(made.config, {})) + findingsText(made.findings);
        QVERIFY2(!has(said, "does not exist"), said.c_str());
        QVERIFY2(!has(said, "mistyped"), said.c_str());
        for (const std::string& text : {yamlFromSession(made.config), said})
            QVERIFY2(!has(text, "hf_abcdefghijklmnopqrstuvwxyz012345"), text.c_str());
    }

    // Arrays, +=, branches, $(( )) and a here document, none of it run.
    void l03Arrays()
    {
        LOCKSTEP_NEED_CASES();
        const Json expected = expectedOf("L03");
        const ImportedSession made = imported("L03/run_arrays.sh");
        QCOMPARE(enumName(made.config.framework), std::string_view("verl"));
        QVERIFY(std::ranges::find(made.config.command, expected["module"].get<std::string>()) !=
                made.config.command.end());
        QVERIFY(made.config.tool == Tool::torchMemory);
        QVERIFY(made.config.steps == expected["steps"].get<std::vector<int64_t>>());
        QCOMPARE(knownWorldSize(made.config).value_or(0),
                 expected["nnodes"].get<int64_t>() * expected["gpus_per_node"].get<int64_t>());
        QVERIFY(made.config.role(Role::actor).allRanks.value_or(false));
        QCOMPARE(made.config.torchMemory.maxEntries.value_or(0),
                 expected["values"]["trace_alloc_max_entries"].get<int64_t>());
        for (const char* const key : {"data.max_prompt_length", "data.max_response_length"})
            QCOMPARE(overrideValue(made.config, key).value_or(""),
                     std::to_string(expected["values"][key].get<int64_t>()));
        const std::string said = findingsText(made.findings);
        for (const char* const told :
             {"$(hostname)", "depends on exp_name", "WITH_NPU", "line 30: not imported, writes a file: cat"})
            QVERIFY2(has(said, told), told);
    }

    void l05NemoRl()
    {
        LOCKSTEP_NEED_CASES();
        const Json good = expectedOf("L05")["nemo.sh"];
        const ImportedSession made = imported("L05/nemo.sh");
        QCOMPARE(enumName(made.config.framework), std::string_view("nemo_rl"));
        QCOMPARE(made.config.launcher.kind, LauncherKind::slurm);
        QVERIFY(made.config.steps == good["steps"].get<std::vector<int64_t>>());
        std::vector<std::string> workers;
        QVERIFY(assign(workers, *made.config.settings.find("worker_patterns")));
        QVERIFY(workers == good["workers"].get<std::vector<std::string>>());
        for (const auto& [name, value] : good["extra"].items()) {
            const NsightOption* const option = findOption(made.config.workerOptions, name);
            QVERIFY2(option != nullptr && option->value == value.get<std::string>(), name.c_str());
        }
        QCOMPARE(knownWorldSize(made.config).value_or(0),
                 good["nodes"].get<int64_t>() * good["gpus_per_node"].get<int64_t>());
        QVERIFY(has(yamlFromSession(made.config), "--dependency=singleton"));
        const std::string said = findingsText(imported("L05/bad_range.sh").findings);
        QVERIFY2(has(said, "1 <= start"), said.c_str());
        QVERIFY2(has(said, "must be a JSON object"), said.c_str());
    }

    // Reports line endings, web-page typography and stray blanks with their lines.
    void l06BentText()
    {
        LOCKSTEP_NEED_CASES();
        const std::string windows = findingsText(imported("L06/windows_line_ends.sh").findings);
        QVERIFY2(has(windows, "carriage returns") && has(windows, "byte order mark"), windows.c_str());
        QVERIFY(imported("L06/windows_line_ends.sh").config.steps == imported("L02/submit.sh").config.steps);
        const std::string blank = findingsText(imported("L06/blank_behind_backslash.sh").findings);
        QVERIFY2(has(blank, "line 1: a space after the backslash"), blank.c_str());
        const ImportedSession pasted = imported("L06/pasted_from_a_page.sh");
        const std::string said = findingsText(pasted.findings);
        for (const char* const name :
             {"line 1: a curly quote (U+201C) at column 55", "(U+2018)", "(U+2013)", "(U+2014)"})
            QVERIFY2(has(said, name), said.c_str());
        QVERIFY(!pasted.config.tool);
    }

    void l07SeparateAsync()
    {
        LOCKSTEP_NEED_CASES();
        const Json expected = expectedOf("L07");
        const ImportedSession made = imported("L07/separate_async.sh");
        QCOMPARE(enumName(made.config.framework), std::string_view("verl"));
        QVERIFY(made.config.command == (std::vector<std::string>{"python3", "-m", "verl.trainer.main_ppo"}));
        QCOMPARE(knownWorldSize(made.config).value_or(0), expected["gpus"]["trainer"].get<int64_t>());
        QCOMPARE(rolloutRanks(made.config), expected["gpus"]["rollout"].get<int64_t>());
        const std::string said = findingsText(made.findings) + findingsText(preflight(made.config, {}));
        QVERIFY2(has(said, "STRATEGY"), said.c_str()); // the branch was chosen by its default
        for (const char* const key : {"trainer.use_v1", "trainer.v1.trainer_mode",
                                      "checkpoint_engine.backend", "reward.reward_manager.name"})
            QVERIFY2(!has(said, key), said.c_str());
    }
};

LOCKSTEP_TEST(LaunchCasesTest, "launch_cases_test")
#include "launch_cases_test.moc"
