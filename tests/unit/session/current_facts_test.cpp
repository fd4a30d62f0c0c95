// SPDX-License-Identifier: Apache-2.0
// Tests that host information about an earlier session, or from before an edit, never fails a check.
#include <QTest>

#include <algorithm>

#include "core/session/current_facts.h"
#include "core/session/preflight.h"
#include "core/session/session_yaml.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

SessionConfig checkedSession(const std::string& more = {})
{
    const Result<SessionConfig> config =
        sessionFromYaml("framework: command\ncommand: [python3, train.py]\ntool: nsys\n"
                        "launcher: {kind: ssh}\nhosts: [{name: a, address: me@a}]\n" +
                        more);
    if (!config) qFatal("%s", config.error().message.c_str());
    return *config;
}

// Returns the information of a host on which nothing that the session needs exists.
std::vector<HostFacts> failedFacts(const SessionConfig& config)
{
    const Result<LaunchPlan> plan = planLaunch(config, {});
    HostFacts facts;
    facts.host = "a";
    facts.nsys.emplace();
    const std::vector<std::string> words = probeArguments(config, *plan, 0);
    facts.query = HostQuery{plan->hosts[0].address, {}, words};
    for (size_t i = 0; i + 1 < words.size(); i += 2) {
        if (words[i] == "--program") facts.programs.push_back({words[i + 1], {}, {}});
        if (words[i] != "--program" && words[i] != "--disk") facts.paths.push_back({.path = words[i + 1]});
    }
    return {facts};
}

Findings checkedFindings(const SessionConfig& config, const std::vector<HostFacts>& all)
{
    const std::vector<HostFacts> facts = currentFacts(config, all);
    return preflight(config, *planLaunch(config, facts), facts);
}

bool hasErrorAbout(const Findings& findings, std::string_view text)
{
    return std::ranges::any_of(findings, [text](const Finding& finding) {
        return finding.severity == Severity::error && finding.reason.find(text) != std::string::npos;
    });
}

const Finding* uncheckedNote(const Findings& findings)
{
    const auto found = std::ranges::find(findings, "host.unchecked", &Finding::rule);
    return found == findings.end() ? nullptr : &*found;
}

} // namespace

class CurrentFactsTest : public QObject {
    Q_OBJECT

  private slots:
    void answersFailTheSessionThatAsked()
    {
        const SessionConfig config = checkedSession("working_folder: /x\nsave_path: /s\n");
        const Findings findings = checkedFindings(config, failedFacts(config));
        QVERIFY(hasErrorAbout(findings, "/x does not exist on a"));
        QVERIFY(hasErrorAbout(findings, "python3 is not on PATH on a"));
        QVERIFY(uncheckedNote(findings) == nullptr);
    }

    void pathsOfAnEarlierSessionAreNotChecked()
    {
        const auto facts = failedFacts(checkedSession("working_folder: /x\nsave_path: /s\n"));
        const Findings findings = checkedFindings(checkedSession("working_folder: /y\n"), facts);
        QVERIFY(!hasErrorAbout(findings, "/x"));
        QVERIFY(!hasErrorAbout(findings, "/s"));
        const Finding* const note = uncheckedNote(findings);
        QVERIFY(note != nullptr);
        QCOMPARE(note->severity, Severity::note);
        QVERIFY2(note->reason.find("/y") != std::string::npos, note->reason.c_str());
    }

    void otherHostsAndAddressesAreNotChecked()
    {
        const auto facts = failedFacts(checkedSession());
        SessionConfig config = checkedSession();
        config.hosts[0].address = "me@other";
        QVERIFY(currentFacts(config, facts).empty());
        config = checkedSession();
        config.hosts[0].name = "b";
        QVERIFY(currentFacts(config, facts).empty());
        config = checkedSession();
        config.launcher.kind = LauncherKind::local; // this machine is not the host at me@a
        QVERIFY(currentFacts(config, facts).empty());
        QCOMPARE(currentFacts(checkedSession(), facts).size(), size_t(1));
    }

    // A relative path is relative to the working folder, and a program depends on PATH.
    void answersDependOnFolderAndPath()
    {
        const auto facts = failedFacts(checkedSession("working_folder: /x\nsave_path: out\n"));
        SessionConfig config = checkedSession("working_folder: /y\nsave_path: out\n");
        QVERIFY(!hasErrorAbout(checkedFindings(config, facts), "out is not writable"));
        QVERIFY(!hasErrorAbout(checkedFindings(config, facts), "train.py"));
        QVERIFY(hasErrorAbout(checkedFindings(config, facts), "python3 is not on PATH"));
        config.environment = {{"PATH", "/opt/bin"}};
        QVERIFY(!hasErrorAbout(checkedFindings(config, facts), "is not on PATH"));
        QVERIFY(uncheckedNote(checkedFindings(config, facts))->reason.find("python3") != std::string::npos);
    }

    void editsBackToTheOldValueUseTheAnswerAgain()
    {
        const SessionConfig config = checkedSession("working_folder: /x\n");
        const auto facts = failedFacts(config);
        QVERIFY(!hasErrorAbout(checkedFindings(checkedSession("working_folder: /y\n"), facts), "/x"));
        QVERIFY(hasErrorAbout(checkedFindings(config, facts), "/x does not exist"));
    }

    // A file written by lockstep-agent does not record the query.
    void filesAreMatchedByNamePathAndProgram()
    {
        auto facts = failedFacts(checkedSession("working_folder: /x\n"));
        facts[0].query.reset();
        QVERIFY(hasErrorAbout(checkedFindings(checkedSession("working_folder: /x\n"), facts),
                              "/x does not exist"));
        const Findings other = checkedFindings(checkedSession("working_folder: /y\n"), facts);
        QVERIFY(!hasErrorAbout(other, "/x") && uncheckedNote(other) == nullptr);
    }

    void sessionsWithoutAPlanKeepTheHardware()
    {
        auto facts = failedFacts(checkedSession());
        SessionConfig config = checkedSession();
        config.command.clear();
        const std::vector<HostFacts> kept = currentFacts(config, facts);
        QCOMPARE(kept.size(), size_t(1));
        QVERIFY(kept[0].nsys && kept[0].programs.empty() && kept[0].paths.empty());
    }

    void installedLibraryDependsOnTheAgentFolder()
    {
        SessionConfig config = checkedSession();
        config.tool = Tool::capture;
        auto facts = failedFacts(config);
        facts[0].captureLibrary = "/home/u/.cache/lockstep/capture/1/liblockstep_capture.so";
        QVERIFY(currentFacts(config, facts)[0].captureLibrary);
        config.launcher.agentFolder = "/scratch";
        QVERIFY(!currentFacts(config, facts)[0].captureLibrary);
    }
};

LOCKSTEP_TEST(CurrentFactsTest, "current_facts_test")
#include "current_facts_test.moc"
