// SPDX-License-Identifier: Apache-2.0
// Tests values that no plan contains: they arrive on standard input, reach the programs, and are in no file.
// Everything that an agent writes is accessible only to its user.
#include <QCryptographicHash>
#include <QFile>
#include <QTest>

#include <csignal>
#include <fstream>

#include <sys/stat.h>

#include "tests/support/agent_run.h"
#include "tests/support/test_registry.h"

using namespace lockstep::test;

namespace {

const QByteArray kValue = "hf_\xff no stamp's digits 'x'\n";

QByteArray secretsLine(const QByteArray& value)
{
    return "{\"HF_TOKEN\": " + (value.isNull() ? QByteArray("null") : '"' + value.toHex() + '"') + "}\n";
}

QJsonObject planWithSecret(const QList<QStringList>& commands)
{
    QJsonObject plan = hostPlan(commands);
    plan["secrets"] = QJsonArray{"HF_TOKEN"};
    return plan;
}

AgentAnswer runWithInput(AgentRun& run, const QStringList& words, const QByteArray& input)
{
    return runAgent(run.home(), words + QStringList{"--secrets"}, input);
}

AgentAnswer startWith(AgentRun& run, const QByteArray& input)
{
    return runWithInput(run, {"run", "--plan", "plan.json", "--run-dir", run.folderText(), "--detach"},
                        input);
}

const QStringList kPrint = shell("printf %s \"${HF_TOKEN-none}\" | sha256sum");
const QStringList kWaitForGo = shell("echo waits; until [ -e go ]; do sleep 0.05; done");

QString digestOf(const QByteArray& value)
{
    return QCryptographicHash::hash(value, QCryptographicHash::Sha256).toHex();
}

} // namespace

class AgentSecretsTest : public QObject {
    Q_OBJECT

  private slots:
    void valuesReachTheProgramsAndNoFile()
    {
        ::umask(022);
        AgentRun run(planWithSecret({kPrint, shell("umask > mask; cat /dev/null > made")}));
        QCOMPARE(startWith(run, secretsLine(kValue)).status, 0);
        const AgentAnswer answer = run.attach();
        QCOMPARE(answer.status, 0);
        QVERIFY(textOf(answer.objects(), "stdout", 0).contains(digestOf(kValue)));
        size_t files = 0;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(run.folder())) {
            struct stat status = {};
            QCOMPARE(::lstat(entry.path().c_str(), &status), 0);
            QCOMPARE(status.st_mode & 077, mode_t(0));
            if (!entry.is_regular_file()) continue;
            QFile file(QString::fromStdString(entry.path().string()));
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QByteArray bytes = file.readAll();
            QVERIFY2(!bytes.contains("no stamp's digits") && !bytes.contains(kValue.toHex()),
                     entry.path().c_str());
            ++files;
        }
        QVERIFY(files > 5);
        const std::string log = contentOf(run.folder() / "agent.log");
        QVERIFY2(log.find("supervisor: started, pid") != std::string::npos &&
                     log.find("supervisor: command 1 ended, status 0") != std::string::npos &&
                     log.find("supervisor: exiting with status 0") != std::string::npos,
                 log.c_str());
        // The program's own files have the umask from which the agent was started.
        struct stat made = {};
        QCOMPARE(::stat((run.home() / "made").c_str(), &made), 0);
        QCOMPARE(made.st_mode & 0777, mode_t(0644));
    }

    void programOutputIsMasked()
    {
        QJsonObject plan = planWithSecret({shell(
            "printf 'token '; sleep 0; echo \"$HF_TOKEN\" at https://u:pw$((4700+11))@h; echo api_key=sk-abcdef12 >&2; "
            "printf 'open %s' \"$HF_TOKEN\"")});
        AgentRun run(plan);
        QCOMPARE(startWith(run, secretsLine("plainsecret99")).status, 0);
        const AgentAnswer answer = run.attach();
        QCOMPARE(answer.status, 0);
        QCOMPARE(textOf(answer.objects(), "stdout", 0),
                 QString("token $HF_TOKEN at https://u:***@h\nopen $HF_TOKEN"));
        QCOMPARE(textOf(answer.objects(), "stderr", 0), QString("api_key=***\n"));
        for (const auto& entry : std::filesystem::recursive_directory_iterator(run.folder())) {
            const std::string bytes = entry.is_regular_file() ? contentOf(entry.path()) : std::string();
            QVERIFY2(bytes.find("plainsecret99") == bytes.npos && bytes.find("pw4711") == bytes.npos,
                     entry.path().c_str());
        }
    }

    void argumentsGetTheirValuesAtTheStart()
    {
        QJsonObject plan = hostPlan({{"/bin/sh", "-c", "printf '%s\\n' \"$@\" | sha256sum", "x",
                                      "--key=${LOCKSTEP_SECRET_KEY}!", "${LOCKSTEP_SECRET_KEY_2}"}});
        plan["secrets"] = QJsonArray{"LOCKSTEP_SECRET_KEY", "LOCKSTEP_SECRET_KEY_2"};
        AgentRun run(plan);
        QCOMPARE(startWith(run, "{\"LOCKSTEP_SECRET_KEY\": \"" + QByteArray("a 'b1").toHex() +
                                    "\", \"LOCKSTEP_SECRET_KEY_2\": \"" + QByteArray("second").toHex() +
                                    "\"}\n")
                     .status,
                 0);
        const AgentAnswer answer = run.attach();
        QCOMPARE(answer.status, 0);
        QVERIFY2(textOf(answer.objects(), "stdout", 0).contains(digestOf("--key=a 'b1!\nsecond\n")),
                 answer.output);
        QVERIFY(!answer.output.contains("a 'b1"));
    }

    void missingValueIsSkipped()
    {
        AgentRun run(planWithSecret({kPrint}));
        QCOMPARE(startWith(run, secretsLine({})).status, 0);
        const AgentAnswer answer = run.attach();
        QCOMPARE(answer.status, 0);
        QVERIFY(textOf(answer.objects(), "stdout", 0).contains(digestOf("none")));
    }

    void newAgentGetsTheValuesAgain()
    {
        AgentRun run(planWithSecret({kWaitForGo, kPrint}));
        QCOMPARE(startWith(run, secretsLine("abc")).status, 0);
        QVERIFY(!run.waitFor([](const QJsonObject& event) { return event["text"] == "waits\n"; }).isEmpty());
        ::kill(run.supervisor(), SIGKILL);
        QTRY_COMPARE(run.supervisor(), 0);
        QCOMPARE(runWithInput(run, {"go", run.folderText()}, secretsLine("abc")).status, 0);
        std::ofstream(run.home() / "go") << "";
        const AgentAnswer answer = run.attach();
        QCOMPARE(answer.status, 0);
        QVERIFY(textOf(answer.objects(), "stdout", 1).contains(digestOf("abc")));
    }

    void aValueLostWithItsAgentIsNamed()
    {
        AgentRun run(planWithSecret({kWaitForGo, kPrint}));
        QCOMPARE(startWith(run, secretsLine("abc")).status, 0);
        QVERIFY(!run.waitFor([](const QJsonObject& event) { return event["text"] == "waits\n"; }).isEmpty());
        ::kill(run.supervisor(), SIGKILL);
        QTRY_COMPARE(run.supervisor(), 0);
        QCOMPARE(run.agent({"go", run.folderText()}).status, 0);
        std::ofstream(run.home() / "go") << "";
        const AgentAnswer answer = run.attach();
        QCOMPARE(answer.status, 1);
        const auto exits = ofKind(answer.objects(), "exit");
        QVERIFY(exits[1]["text"].toString().contains("the value of HF_TOKEN is not known to the agent"));
        QVERIFY(textOf(answer.objects(), "stdout", 1).isEmpty());
    }

    void invalidJsonIsRefusedWithoutBeingQuoted()
    {
        AgentRun run(planWithSecret({kPrint}));
        const AgentAnswer answer = startWith(run, "HF_TOKEN=4711\n");
        QCOMPARE(answer.status, 1);
        QVERIFY(answer.errors.contains("secrets on standard input"));
        QVERIFY(!answer.errors.contains("4711"));
    }
};

LOCKSTEP_TEST(AgentSecretsTest, "agent_secrets_test")
#include "agent_secrets_test.moc"
