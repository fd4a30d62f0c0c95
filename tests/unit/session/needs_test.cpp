// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include <algorithm>

#include "core/session/current_facts.h"
#include "core/session/launch_plan.h"
#include "core/session/preflight.h"
#include "core/session/session_yaml.h"
#include "tests/support/test_registry.h"
#include "tests/support/verl_sessions.h"

using namespace lockstep;
using lockstep::test::findRule;

namespace {

SessionConfig configFrom(const std::string& yaml)
{
    Result<SessionConfig> config = sessionFromYaml(yaml);
    if (!config) qFatal("%s", config.error().message.c_str());
    return *config;
}

HostFacts factsOf(const std::string& host)
{
    HostFacts facts;
    facts.host = host;
    return facts;
}

std::string masterWord(const SessionConfig& config, const std::vector<HostFacts>& facts)
{
    const Result<LaunchPlan> plan = planLaunch(config, facts);
    if (!plan) qFatal("%s", plan.error().message.c_str());
    for (const std::string& word : plan->hosts[1].commands.back().argv) {
        if (word.starts_with("--master-addr=")) return word.substr(14);
    }
    return {};
}

constexpr const char* kTwoHosts =
    "framework: torchrun\ncommand: [t.py]\nlauncher: {kind: ssh}\nworking_folder: /w\nsave_path: /s\n"
    "hosts: [{name: a, address: me@gpu-a}, {name: b}]\n";

} // namespace

class NeedsTest : public QObject {
    Q_OBJECT

  private slots:
    void agentPathsComeFromHostOrLauncher()
    {
        SessionConfig config = configFrom(kTwoHosts);
        config.launcher.agentFolder = "/scratch/all";
        config.hosts[1].agentFolder = "/scratch/own";
        const auto plan = planLaunch(config, {});
        QVERIFY(plan.has_value());
        QCOMPARE(plan->hosts[0].agentFolder, std::string("/scratch/all"));
        QCOMPARE(plan->hosts[1].agentFolder, std::string("/scratch/own"));
    }

    void headIsNamedAsOtherHostsReachIt()
    {
        const SessionConfig config = configFrom(kTwoHosts);
        QCOMPARE(masterWord(config, {}), "gpu-a");
        std::vector<HostFacts> facts{factsOf("a"), factsOf("b")};
        facts[0].addresses = {"10.0.0.5", "192.168.1.5"};
        QCOMPARE(masterWord(config, facts), "gpu-a"); // b was not probed
        facts[1].names = {{"gpu-a", {"192.168.1.5"}}};
        QCOMPARE(masterWord(config, facts), "gpu-a");
        facts[1].names = {{"gpu-a", {}}};
        QCOMPARE(masterWord(config, facts), "10.0.0.5");
        QVERIFY(findRule(preflight(config, facts), "host.head_address")->severity == Severity::note);
        facts[1].names = {{"gpu-a", {"10.9.9.9"}}}; // not its own
        QCOMPARE(masterWord(config, facts), "10.0.0.5");
        facts[1].names = {{"gpu-a", {"127.0.1.1"}}}; // b itself
        QCOMPARE(masterWord(config, facts), "10.0.0.5");
        facts[0].addresses.clear();
        facts[1].names = {{"gpu-a", {}}};
        QCOMPARE(masterWord(config, facts), "gpu-a");
        const Findings findings = preflight(config, facts);
        const Finding* const lost = findRule(findings, "host.head_address");
        QVERIFY(lost != nullptr && lost->severity == Severity::error);
        QCOMPARE(lost->reason, "b cannot resolve gpu-a, the address at which the hosts meet");
    }

    void rayConnectsToTheHead()
    {
        const SessionConfig config =
            configFrom("framework: nemo_rl\ncommand: [x]\nlauncher: {kind: ssh, start_ray: true}\n"
                       "hosts: [{name: a, address: \"ssh://me@gpu-a:2200\"}, {name: b}]\n");
        std::vector<HostFacts> facts{factsOf("a"), factsOf("b")};
        QCOMPARE(planLaunch(config, facts)->hosts[1].commands[0].argv.back(), "--address=gpu-a:6379");
        facts[0].addresses = {"10.0.0.5"};
        facts[1].names = {{"gpu-a", {}}};
        QCOMPARE(planLaunch(config, facts)->hosts[1].commands[0].argv.back(), "--address=10.0.0.5:6379");
    }

    void questions()
    {
        const auto enumNames = [](const SessionConfig& config, size_t host) {
            return probeArguments(config, *planLaunch(config, {}), host);
        };
        using Words = std::vector<std::string>;
        SessionConfig config = configFrom(kTwoHosts);
        QCOMPARE(enumNames(config, 0), (Words{"--folder", "/w", "--program", "torchrun", "--file", "t.py",
                                              "--write", "/s", "--disk", "/s"}));
        QCOMPARE(enumNames(config, 1), (Words{"--folder", "/w", "--program", "torchrun", "--file", "t.py",
                                              "--write", "/s", "--disk", "/s", "--name", "gpu-a"}));
        config = configFrom("command: [/opt/venv/bin/python3, train.py, --x]\nenvironment: {PATH: /p}\n");
        QCOMPARE(enumNames(config, 0), (Words{"--path", "/p", "--program", "/opt/venv/bin/python3", "--file",
                                              "train.py", "--python", "/opt/venv/bin/python3"}));
        // The content of a container or of a batch system's node cannot be seen from outside.
        config = configFrom("command: [python3, t.py]\ncontainer: [docker, exec, c]\nworking_folder: /in\n");
        QCOMPARE(enumNames(config, 0), (Words{"--program", "docker"}));
        config = configFrom("command: [python3, t.py]\nlauncher: {kind: slurm, login_node: l}\n");
        QCOMPARE(enumNames(config, 0), (Words{"--program", "sbatch"}));
    }

    void findings()
    {
        const SessionConfig config = configFrom(kTwoHosts);
        HostFacts facts = factsOf("b");
        facts.paths = {{"/w", true, true, true}, {"t.py", true, false, true}, {"/s", false, false, true}};
        facts.programs = {{"torchrun", "/usr/bin/torchrun", ""}};
        const auto rulesOf = [&config](const HostFacts& one) {
            std::vector<std::string> rules;
            for (const Finding& finding : preflight(config, std::span(&one, 1))) {
                if (finding.severity == Severity::error) rules.push_back(finding.rule);
            }
            return rules;
        };
        using Rules = std::vector<std::string>;
        QCOMPARE(rulesOf(facts), Rules{});
        const Result<std::vector<HostFacts>> again = hostFactsFromJson(jsonFromHostFacts(facts));
        QVERIFY(again && again->front().paths.size() == 3 &&
                again->front().programs[0].path == "/usr/bin/torchrun");
        facts.paths[2].isWritable = false;
        QCOMPARE(rulesOf(facts), Rules{"host.save_path"});
        facts.paths[1].exists = false;
        QCOMPARE(rulesOf(facts), (Rules{"host.script", "host.save_path"}));
        facts.paths[0] = {"/w", false, false, false};
        QCOMPARE(rulesOf(facts), Rules{"host.working_folder"}); // the rest follows from it
        facts.paths.clear();
        facts.programs[0].path.clear();
        QCOMPARE(rulesOf(facts), Rules{"host.program"});
        facts.programs[0] = {"./go", "./go", "/usr/bin/python9"};
        QCOMPARE(rulesOf(facts), Rules{"host.interpreter"});
    }
};

LOCKSTEP_TEST(NeedsTest, "needs_test")
#include "needs_test.moc"
