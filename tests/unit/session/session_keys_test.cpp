// SPDX-License-Identifier: Apache-2.0
// Tests unknown keys: they are reported with their position and the nearest known key, at every depth of a
// session file and in the profiler overrides of a command.
#include <QTest>

#include <algorithm>

#include "core/base/edit_distance.h"
#include "core/session/preflight.h"
#include "core/session/session_fields.h"
#include "core/session/session_yaml.h"
#include "tests/support/cpu_timer.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

std::vector<const Finding*> keyFindings(const Findings& findings, std::string_view rule)
{
    std::vector<const Finding*> found;
    for (const Finding& one : findings) {
        if (one.rule == rule) found.push_back(&one);
    }
    return found;
}

Findings findingsOf(const std::string& yaml)
{
    const Result<SessionConfig> config = sessionFromYaml(yaml);
    if (!config) qFatal("%s", config.error().message.c_str());
    return preflight(*config, {});
}

} // namespace

class SessionKeysTest : public QObject {
    Q_OBJECT

  private slots:
    void typos();
    void unknownKeys_data();
    void unknownKeys();
    void oneClickFixesTheValue();
    void noClickOverwritesAnother();
    void knownKeysAreNotReported();
    void thousandsAreCounted();
    void strictMakesErrors();
    void overridesOfOtherVersions_data();
    void overridesOfOtherVersions();
};

void SessionKeysTest::typos()
{
    QCOMPARE(editDistance("rolse", "roles"), size_t(1));
    QCOMPARE(editDistance("all-Ranks", "all_ranks"), size_t(0));
    QCOMPARE(editDistance("", "abc"), size_t(3));
    QCOMPARE(editDistance("content", "contents"), size_t(1));
    const std::vector<std::string_view> words{"roles", "rules", "torch"};
    QCOMPARE(nearestWord("rols", words), std::string_view("roles"));
    QCOMPARE(nearestWord("zzzz", words), std::string_view());
}

void SessionKeysTest::unknownKeys_data()
{
    QTest::addColumn<QString>("yaml");
    QTest::addColumn<QString>("place");
    QTest::addColumn<QString>("nearest");
    const auto row = [](const char* name, const char* yaml, const char* place, const char* nearest) {
        QTest::newRow(name) << yaml << place << nearest;
    };
    row("top", "tool: nsys\nrolse:\n  actor: {enable: true}\n", "line 2, column 1", "mean roles?");
    row("section", "torch:\n  content: [cuda]\n", "line 2, column 3", "mean torch.contents?");
    row("a dot in the key", "torch.content: [cuda]\n", "line 1, column 1", "mean torch.contents?");
    row("role", "roles:\n  # the policy\n  acter:\n    enable: true\n", "line 3, column 3",
        "mean roles.actor?");
    row("in a role", "roles:\n  actor:\n    rank: [0]\n", "line 3, column 5", "mean roles.actor.ranks?");
    row("deep", "roles:\n  ref:\n    torch:\n      schedule: {activ: 2}\n", "line 4, column 18",
        "mean roles.ref.torch.schedule.active?");
    row("of another map", "max_entries: 5\n", "line 1, column 1", "max_entries");
    row("dashes", "working-folder: /x\n", "line 1, column 1", "mean working_folder?");
    row("flow", "{tool: nsys, step: [2]}\n", "line 1, column 14", "mean steps?");
    row("host", "hosts:\n  - name: a\n    adress: b\n", "line 3, column 5", "mean address?");
    row("nothing near", "roles:\n  actor:\n    xqzw: 1\n", "line 3, column 5", "known keys: enable");
    row("launcher", "launcher: {kindd: ssh}\n", "line 1, column 12", "mean launcher.kind?");
}

void SessionKeysTest::unknownKeys()
{
    QFETCH(QString, yaml);
    QFETCH(QString, place);
    QFETCH(QString, nearest);
    const Findings findings = findingsOf(yaml.toStdString());
    const auto told = keyFindings(findings, "key.unknown");
    QVERIFY2(told.size() == 1, findingsText(findings).c_str());
    QVERIFY(told[0]->severity == Severity::warning);
    const QString reason = QString::fromStdString(told[0]->reason);
    QVERIFY2(reason.startsWith(place + ": "), qPrintable(reason));
    QVERIFY2(reason.contains(nearest), qPrintable(reason));
}

void SessionKeysTest::oneClickFixesTheValue()
{
    Result<SessionConfig> config = sessionFromYaml("rolse:\n  actor: {enable: true, ranks: [0, 8]}\n"
                                                   "torch.content: [cuda]\n");
    QVERIFY(config);
    const Findings findings = preflight(*config, {});
    for (const Finding* finding : keyFindings(findings, "key.unknown")) {
        QVERIFY(finding->apply);
        finding->apply(*config);
    }
    const Result<SessionConfig> meant =
        sessionFromYaml("roles: {actor: {enable: true, ranks: [0, 8]}}\ntorch: {contents: [cuda]}\n");
    QVERIFY(*config == *meant);
}

void SessionKeysTest::noClickOverwritesAnother()
{
    const Findings findings = findingsOf("steps: [2]\nstep: [3]\n");
    const auto told = keyFindings(findings, "key.unknown");
    QCOMPARE(told.size(), size_t(1));
    QVERIFY(!told[0]->apply);
}

void SessionKeysTest::knownKeysAreNotReported()
{
    std::string yaml = "lockstep_session: 1\nhosts:\n  - ";
    for (const std::string_view key : hostKeys())
        yaml += (key == hostKeys().front() ? "" : "    ") + std::string(key) + ": " +
                (key == "gpus" ? "8" : "a") + "\n";
    yaml += "environment: {anything: 1}\nnsys: {worker_options: {trace: cuda}}\nimported_yaml: {a: {b: 1}}\n";
    QVERIFY(keyFindings(findingsOf(yaml), "key.unknown").empty());
}

void SessionKeysTest::thousandsAreCounted()
{
    std::string yaml;
    for (int i = 0; i < 24'000; ++i)
        yaml += "key_number_" + std::to_string(i) + ": 1\n";
    const test::CpuTimer timer;
    const Findings findings = findingsOf(yaml);
    QVERIFY2(timer.elapsed_ms() < 20'000, std::to_string(timer.elapsed_ms()).c_str());
    const auto told = keyFindings(findings, "key.unknown");
    QCOMPARE(told.size(), size_t(101));
    QVERIFY(told.back()->reason.starts_with("23900 more keys"));
}

void SessionKeysTest::strictMakesErrors()
{
    Findings findings = findingsOf("command: [x]\ntool: nsys\nrolse: 1\n");
    QVERIFY(!hasErrors(findings));
    makeStrict(findings);
    QVERIFY(hasErrors(findings));
}

void SessionKeysTest::overridesOfOtherVersions_data()
{
    QTest::addColumn<QString>("schema");
    QTest::addColumn<QString>("word");
    QTest::addColumn<QString>("says"); // "" = not told
    const auto row = [](const char* schema, const char* word, const char* says) {
        QTest::addRow("%s %s", schema, word) << schema << word << says;
    };
    row("head", "trainer.profile_steps=[1]", "is read by verl 0.4.1 to 0.5.0, not by head");
    row("0.5.0", "++global_profiler.tool=nsys", "is read by verl 0.6.0 and newer, not by 0.5.0");
    row("head", "++reward_model.profiler.enable=True", "is read by verl 0.6.0 to 0.7.0, not by head");
    row("head", "++global_profiler.stpes=[1]", "the closest match is global_profiler.steps");
    row("head", "++actor_rollout_ref.actor.profiler.enabel=True",
        "the closest match is actor_rollout_ref.actor.profiler.enable");
    row("head", "++actor_rollout_ref.actor.profiler._target_=x", "");
    row("head", "++global_profiler.global_tool_config.nsys.worker_nsight_options.any=x", "");
    row("head", "actor_rollout_ref.actor.optim.lr=1", "");
    row("head", "trainer.total_epochs=1", "");
}

void SessionKeysTest::overridesOfOtherVersions()
{
    QFETCH(QString, schema);
    QFETCH(QString, word);
    QFETCH(QString, says);
    for (const char* field : {"command", "other_overrides"}) {
        const std::string yaml = "framework: verl\nschema: \"" + schema.toStdString() + "\"\n" + field +
                                 ": ['" + word.toStdString() + "']\n";
        const Findings findings = findingsOf(yaml);
        const auto told = keyFindings(findings, "override.unknown");
        QCOMPARE(told.empty(), says.isEmpty());
        if (told.empty()) continue;
        QVERIFY2(told[0]->reason.find(says.toStdString()) != std::string::npos, told[0]->reason.c_str());
        QCOMPARE(told[0]->field, std::string(field));
    }
}

LOCKSTEP_TEST(SessionKeysTest, "session_keys_test")
#include "session_keys_test.moc"
