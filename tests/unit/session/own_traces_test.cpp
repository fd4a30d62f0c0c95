// SPDX-License-Identifier: Apache-2.0
// Tests programs that write torch traces themselves: nothing is added to the command, the traces are expected
// where the session says, and settings without effect on them are reported.
#include <algorithm>

#include <QTest>

#include "core/session/expected_files.h"
#include "core/session/launch_plan.h"
#include "core/session/preflight.h"
#include "core/session/session_yaml.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

SessionConfig sessionOf(const std::string& yaml)
{
    Result<SessionConfig> config = sessionFromYaml(yaml);
    if (!config) qFatal("%s", config.error().message.c_str());
    return *config;
}

const Finding* findingOf(const Findings& findings, std::string_view rule)
{
    const auto found = std::ranges::find(findings, rule, &Finding::rule);
    return found == findings.end() ? nullptr : &*found;
}

} // namespace

class OwnTracesTest : public QObject {
    Q_OBJECT

  private slots:
    void aPlainCommandIsLeftAsItIs()
    {
        const SessionConfig config = sessionOf(
            "framework: command\ncommand: [python3, train.py]\ntool: torch\nsave_path: /data/traces\n");
        const Findings findings = preflight(config, {});
        QVERIFY2(!hasErrors(findings), findingsText(findings).c_str());
        QVERIFY(findingOf(findings, "torch.own_calls") != nullptr);
        const auto plan = planLaunch(config, {});
        QVERIFY2(plan.has_value(), plan ? "" : plan.error().message.c_str());
        const auto& commands = plan->hosts.at(0).commands;
        QCOMPARE(commands.back().argv, (std::vector<std::string>{"python3", "train.py"}));
        const auto files = forecastFiles(config, {});
        QCOMPARE(files.size(), size_t(1));
        QVERIFY(files[0].kind == ReportKind::torchTrace);
        QCOMPARE(files[0].folder, std::string("/data/traces"));
        QVERIFY(!files[0].rankCount.has_value()); // their number is unknown
    }

    void withoutAFolderTheNameIsUsed()
    {
        const SessionConfig config = sessionOf(
            "framework: torchrun\nlauncher: {kind: ssh}\nhosts: [{name: a, gpus: 2}, {name: b, gpus: 2}]\n"
            "working_folder: /w\ncommand: [train.py]\ntool: torch\n");
        const Findings findings = preflight(config, {});
        QVERIFY2(!hasErrors(findings), findingsText(findings).c_str());
        QVERIFY(findingOf(findings, "torch.own_place") != nullptr);
        const auto files = forecastFiles(config, {});
        QCOMPARE(files.size(), size_t(2));
        QCOMPARE(files[1].host, std::string("b"));
        QCOMPARE(files[1].folder, std::string("/w"));
        QVERIFY(files[1].pattern.find("pt") != std::string::npos);
    }

    void settingsWithoutEffectAreReported()
    {
        SessionConfig config =
            sessionOf("framework: command\ncommand: [x]\ntool: torch\nsave_path: /t\nsteps: [3]\n"
                      "torch: {contents: [cuda]}\n");
        const Findings findings = preflight(config, {});
        const Finding* const told = findingOf(findings, "torch.own_settings");
        QVERIFY(told != nullptr && told->severity == Severity::warning);
        told->apply(config);
        QVERIFY(findingOf(preflight(config, {}), "torch.own_settings") == nullptr);
    }
};

LOCKSTEP_TEST(OwnTracesTest, "own_traces_test")
#include "own_traces_test.moc"
