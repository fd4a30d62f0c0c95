// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include <algorithm>

#include "core/session/preflight.h"
#include "core/session/recipes/recipe_library.h"
#include "core/session/session_fields.h"
#include "core/session/session_yaml.h"
#include "tests/support/test_registry.h"
#include "tests/support/verl_sessions.h"

using namespace lockstep;
using lockstep::test::findRule;

namespace {

Findings findingsOf(const SessionConfig& config, const std::vector<HostFacts>& facts)
{
    const Result<LaunchPlan> plan = planLaunch(config, facts);
    return plan ? preflight(config, *plan, facts) : preflight(config, facts);
}

constexpr const char* kVerl = "framework: verl\nschema: head\ncommand: [x]\n";
constexpr const char* kOld = "framework: verl\nschema: \"0.4.1\"\ncommand: [x]\ntool: nsys\nsteps: [2]\n";
constexpr const char* kNemo = "framework: nemo_rl\ncommand: [uv, run, examples/run_grpo.py]\ntool: nsys\n";
constexpr const char* kActor = "tool: nsys\nsteps: [2]\nroles: {actor: {enable: true}}\n";

} // namespace

class PreflightTest : public QObject {
    Q_OBJECT

  private slots:
    void rules_data();
    void rules();
    void hostRules_data();
    void hostRules();
    void localClockIsNotCompared();
    void validSessionHasNoErrors();
    void everyFieldExists();
};

// Columns: session, rule, severity, field; whether one click clears the rule.
void PreflightTest::rules_data()
{
    QTest::addColumn<QString>("yaml");
    QTest::addColumn<QString>("rule");
    QTest::addColumn<int>("severity");
    QTest::addColumn<QString>("field");
    QTest::addColumn<bool>("oneClick");
    const auto row = [](const std::string& yaml, const char* rule, Severity severity, const char* field,
                        bool oneClick) {
        QTest::newRow(rule) << QString::fromStdString(yaml) << rule << static_cast<int>(severity) << field
                            << oneClick;
    };
    using enum Severity;
    const std::string verl = kVerl, old = kOld, nemo = kNemo, actor = verl + kActor;
    const std::string torch =
        verl + "tool: torch\nsteps: [2]\nsave_path: /p\nroles: {actor: {enable: true}}\n";
    row(verl + "tool: nsys\nroles: {actor: {enable: true}}\n", "verl.steps_none", error, "steps", true);
    row(verl + "tool: nsys\nsteps: [0, 2]\n", "steps.below_one", error, "steps", true);
    row(verl + "tool: nsys\nsteps: [2, 2]\n", "steps.duplicate", warning, "steps", true);
    row(actor + "total_steps: 1\n", "steps.beyond_run", error, "steps", true);
    row(verl + "steps: [9, 10, 11]\ntotal_steps: 10\nprofile_continuous_steps: true\ntool: nsys\n",
        "steps.never_stopped", error, "steps", true);
    row(actor + "discrete: true\nprofile_continuous_steps: true\n", "verl.continuous_discrete", warning,
        "profile_continuous_steps", true);
    row(verl, "tool.none", warning, "tool", true);
    row(nemo + "steps: [1, 3]\nnemo_rl: {worker_patterns: [\"*policy*\"]}\n", "nemo_rl.contiguous", error,
        "steps", true);
    row(nemo + "steps: [1]\n", "nemo_rl.no_patterns", error, "worker_patterns", true);
    row(nemo + "steps: [1]\nnemo_rl: {worker_patterns: [zzz]}\n", "nemo_rl.no_match", warning,
        "worker_patterns", false);
    row(nemo + "steps: [1, 2]\ntotal_steps: 2\nnemo_rl: {worker_patterns: [\"*policy*\"]}\n",
        "nemo_rl.last_step", warning, "steps", true);
    row("framework: nemo_rl\ncommand: [x]\ntool: torch\nsteps: [1]\n", "tool.unsupported", error, "tool",
        true);
    row(verl + "tool: nsys\nsteps: [2]\nroles: {ref: {enable: true, ranks: [0]}}\n", "verl.ref_only", error,
        "roles.ref.enable", true);
    row(verl + "tool: nsys\nsteps: [2]\nroles: {actor: {enable: true, ranks: [0]}, ref: {enable: true, "
               "ranks: [8]}}\n",
        "verl.ref_ignored", warning, "roles.ref.ranks", true);
    row(verl + "tool: nsys\nsteps: [2]\n", "verl.none_on", error, "roles", true);
    row(verl + "tool: nsys\nsteps: [2]\nroles: {critic: {ranks: [0]}}\n", "verl.not_enabled", warning,
        "roles.critic.enable", true);
    row("command: [x]\nhosts: [{name: gpu-01}]\n", "launcher.local_hosts", warning, "launcher.kind", true);
    row(actor + "hosts: [{name: localhost, gpus: 8}]\n", "verl.rollout_tool", note, "roles.rollout.enable",
        false);
    row(verl + "tool: nsys\nsteps: [2]\nhosts: [{name: a, gpus: 8}]\nroles: {actor: {enable: true, ranks: "
               "[8]}}\n",
        "ranks.beyond_world", error, "roles.actor.ranks", true);
    row(verl + "tool: nsys\nsteps: [2]\nroles: {actor: {enable: true, ranks: [-1]}}\n", "ranks.negative",
        error, "roles.actor.ranks", true);
    row(verl + "tool: nsys\nsteps: [2]\nroles: {reward: {enable: true}}\n", "settings.not_in_era", error,
        "roles.reward.enable", true);
    row(verl + "tool: nsys\nsteps: [2]\nroles: {actor: {enable: true, tool: torch}}\n", "verl.role_tool",
        warning, "roles.actor.tool", true);
    row(old + "roles: {actor: {ranks: [0]}}\n", "verl.blocks_differ", warning, "roles.rollout.ranks", false);
    row("framework: verl\nschema: \"0.5.0\"\ncommand: [x]\ntool: torch\nsteps: [2]\n", "verl.tool_era", error,
        "tool", true);
    row("framework: verl\nschema: \"0.5.0\"\ncommand: [x]\ntool: nsys\nsteps: [2]\nroles: {ref: {ranks: "
        "[0]}}\n",
        "settings.not_in_era", error, "roles.ref.ranks", true);
    row("framework: verl\nschema: \"0.6.0\"\ncommand: [x]\ntool: torch\nsteps: [2]\n", "verl.torch_0_6",
        error, "tool", true);
    row(actor + "nsys: {worker_options: {capture-range: nvtx}}\n", "verl.capture_range", error,
        "nsys.worker_options", true);
    row(actor + "discrete: true\nnsys: {worker_options: {capture-range-end: \"repeat-shutdown:2\"}}\n",
        "verl.capture_range_end", error, "nsys.worker_options", true);
    row(actor + "nsys: {worker_options: {cuda-memory-usage: True}}\n", "nsys.boolean_case", error,
        "nsys.worker_options", true);
    row(actor + "nsys: {worker_options: {trace: \"cuda,nvtxx\"}}\n", "nsys.value", error,
        "nsys.worker_options", false);
    row(actor + "nsys: {worker_options: {o: /shared/report}}\n", "nsys.output_shared", error,
        "nsys.worker_options", true);
    row(actor + "environment: {HF_TOKEN: x}\n", "nsys.secrets", warning, "environment", false);
    row(actor + "environment: {CUDA_INJECTION64_PATH: x}\n", "tool.injection", error, "environment", true);
    row(torch + "torch: {contents: [gpu]}\n", "torch.contents", error, "torch.contents", true);
    row(torch + "torch: {contents: [cpu]}\n", "torch.no_gpu", warning, "torch.contents", true);
    row(torch + "torch: {contents: []}\n", "torch.contents_empty", note, "torch.contents", false);
    row(torch + "torch: {schedule: {wait: -1}}\n", "torch.schedule_negative", error, "torch.schedule", false);
    row(torch + "torch: {schedule: {wait: 1}}\n", "torch.schedule_off", warning, "torch.schedule.active",
        false);
    row(torch + "torch: {profile_token_start: 5, profile_token_end: 5}\n", "torch.tokens", error,
        "torch.profile_token_end", false);
    row(torch + "discrete: true\n", "verl.discrete_elsewhere", warning, "torch.discrete", true);
    row(torch, "verl.rollout_discrete", note, "torch.discrete", true);
    row(verl + "tool: torch_memory\nsteps: [2]\n", "torch_memory.overhead", warning, "tool", false);
    row(verl + "tool: torch\nsteps: [2]\nsave_path: here\n", "verl.save_path_relative", warning, "save_path",
        false);
    row(verl + "hooks: {command: \"rm -rf x\"}\n", "hooks.confirm", warning, "hooks.command", false);
    row("framework: verl\nschema: \"0.9.0\"\ncommand: [x]\nhooks: {relocate_results: true}\n",
        "settings.not_in_era", error, "hooks.relocate_results", true);
    row(actor + "other_overrides: [\"a=1,2\"]\n", "override.syntax", error, "other_overrides", false);
    row(actor + "other_overrides: [\"global_profiler.tool=torch\"]\n", "override.hides_field", warning,
        "other_overrides", true);
    row("framework: command\ncommand: [nsys, profile, x]\ntool: nsys\n", "command.nsys", error, "command",
        false);
    row("framework: torchrun\ncommand: [a.py]\ntool: nsys\nnsys: {worker_options: {output: "
        "\"p_%q{RANK}\"}}\n",
        "torchrun.rank_unset", error, "torchrun.nsys_placement", true);
    row("framework: torchrun\ncommand: [torchrun, a.py]\n", "torchrun.twice", error, "command", false);
}

void PreflightTest::rules()
{
    QFETCH(QString, yaml);
    QFETCH(QString, rule);
    QFETCH(int, severity);
    QFETCH(QString, field);
    QFETCH(bool, oneClick);
    const Result<SessionConfig> config = sessionFromYaml(yaml.toStdString());
    QVERIFY2(config, config ? "" : config.error().message.c_str());
    const Findings findings = findingsOf(*config, {});
    const Finding* found = findRule(findings, rule.toStdString());
    QVERIFY2(found != nullptr, findingsText(findings).c_str());
    QCOMPARE(static_cast<int>(found->severity), severity);
    QCOMPARE(QString::fromStdString(found->field), field);
    if (!oneClick) return;
    QVERIFY(found->apply);
    SessionConfig fixed = *config;
    found->apply(fixed);
    QVERIFY(findRule(findingsOf(fixed, {}), rule.toStdString()) == nullptr);
}

void PreflightTest::hostRules_data()
{
    QTest::addColumn<QString>("fact");
    QTest::addColumn<QString>("rule");
    const auto row = [](const char* rule, const char* fact) { QTest::newRow(rule) << fact << rule; };
    row("host.nsys", R"("nsys": [])");
    row("verl.needs", R"("nsys": [{"version": "2025.5.2", "on_path": true}], "modules": [])");
    row("host.ray", R"("ray": "")");
    row("host.torch", R"("torch": "")");
    row("host.os", R"("os": "Darwin 23")");
    row("host.gpus", R"("gpus": [{"name": "H100"}])");
    row("host.disk", R"("disks": [{"path": "/", "free_bytes": 1000}])");
    row("host.clock", R"("clock": {"offset_ns": -9223372036854775808})");
    row("schema.differs",
        R"("checkouts": [{"path": "/w/verl", "framework": "verl", "version": "0.5.0", "schema": "0.5.0"}])");
    row("nsys.paranoid", R"("perf_event_paranoid": 4)");
    row("nsys.counters", R"("counters_restricted": true)");
    row("nsys.unknown_option", R"("nsys": [{"version": "2023.3.1", "on_path": true}])");
    row("tool.injection", R"("environment": {"NVTX_INJECTION64_PATH": "/usr/lib/libcupti.so"})");
}

void PreflightTest::hostRules()
{
    QFETCH(QString, fact);
    QFETCH(QString, rule);
    const std::string yaml = std::string(kVerl) + kActor +
                             "launcher: {kind: ssh}\nhosts: [{name: node0, gpus: 8}]\n"
                             "working_folder: /w/verl\n"
                             "nsys: {worker_options: {sample: process-tree, gpu-metrics-devices: all}}\n";
    const Result<SessionConfig> config = sessionFromYaml(yaml);
    QVERIFY(config);
    const auto facts =
        hostFactsFromJson(R"({"lockstep_probe": 1, "host": "node0", )" + fact.toStdString() + "}");
    QVERIFY2(facts, facts ? "" : facts.error().message.c_str());
    const Findings findings = findingsOf(*config, *facts);
    QVERIFY2(findRule(findings, rule.toStdString()) != nullptr, findingsText(findings).c_str());
    const auto bare = hostFactsFromJson(R"({"lockstep_probe": 1, "host": "node0"})");
    QVERIFY(findRule(findingsOf(*config, *bare), rule.toStdString()) == nullptr);
}

// A run on this machine only has no other clock to compare with.
void PreflightTest::localClockIsNotCompared()
{
    const auto facts = hostFactsFromJson(
        R"({"lockstep_probe": 1, "host": "localhost", "clock": {"synchronized": false, "offset_ns": 90000000000}})");
    QVERIFY(facts);
    Result<SessionConfig> config =
        sessionFromYaml("command: [train.py]\ntool: nsys\nlauncher: {kind: local}\n");
    QVERIFY(config);
    QVERIFY(findRule(findingsOf(*config, *facts), "host.clock") == nullptr);
    config->launcher.kind = LauncherKind::ssh;
    config->hosts.emplace_back().name = "localhost";
    QVERIFY(findRule(findingsOf(*config, *facts), "host.clock") != nullptr);
}

void PreflightTest::validSessionHasNoErrors()
{
    const Result<SessionConfig> config = sessionFromYaml(std::string(kVerl) + kActor);
    QVERIFY(config);
    QVERIFY2(!hasErrors(findingsOf(*config, {})), findingsText(findingsOf(*config, {})).c_str());
}

// A form finds findings by field: each is a field, a group of fields, a setting of a recipe, or a host.
void PreflightTest::everyFieldExists()
{
    const auto exists = [](const std::string& path) {
        if (findLaunchRecipe("nemo_rl")->findSetting(path) != nullptr) return true;
        return std::any_of(sessionFields().begin(), sessionFields().end(), [&](const SessionField& field) {
            return field.path == path || field.path.starts_with(path + ".");
        });
    };
    const std::vector<std::string> yamls{std::string(kVerl) +
                                             "tool: torch\nroles: {ref: {enable: true, ranks: [-1]}}\n",
                                         std::string(kOld), std::string(kNemo), "framework: verl_omni\n"};
    for (const std::string& yaml : yamls) {
        const Result<SessionConfig> config = sessionFromYaml(yaml);
        QVERIFY(config);
        for (const Finding& finding : findingsOf(*config, {})) {
            QVERIFY2(exists(finding.field) || finding.field.starts_with("hosts."), finding.field.c_str());
        }
    }
}

LOCKSTEP_TEST(PreflightTest, "preflight_test")
#include "preflight_test.moc"
