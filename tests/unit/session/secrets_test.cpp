// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include <algorithm>
#include <map>

#include "core/session/launch_plan.h"
#include "core/session/preflight.h"
#include "core/session/secrets.h"
#include "core/session/session_fields.h"
#include "core/session/session_yaml.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

constexpr const char* kValue = "hf_4711abcdef";

SessionConfig sessionWithSecrets(const std::string& yaml)
{
    Result<SessionConfig> config = sessionFromYaml(yaml);
    if (!config) qFatal("%s", config.error().message.c_str());
    return *config;
}

bool hasRule(const Findings& findings, std::string_view rule)
{
    return std::ranges::any_of(findings, [rule](const Finding& one) { return one.rule == rule; });
}

// Everything that a plan can be written as.
std::string allTexts(const SessionConfig& config)
{
    const Result<LaunchPlan> plan = planLaunch(config, {});
    if (!plan) qFatal("%s", plan.error().message.c_str());
    std::string text = planText(*plan) + jsonFromPlan(*plan) + yamlFromSession(config);
    for (const HostPlan& host : plan->hosts)
        text += jsonFromHostPlan(*plan, host);
    return text;
}

} // namespace

class SecretsTest : public QObject {
    Q_OBJECT

  private slots:
    void names_data()
    {
        QTest::addColumn<bool>("isSecret");
        for (const char* name : {"WANDB_API_KEY", "HF_TOKEN", "wandb_api_key", "AWS_SECRET_ACCESS_KEY",
                                 "AWS_ACCESS_KEY_ID", "AWS_SESSION_TOKEN", "MY_SECRET", "SECRETS_OF_MINE",
                                 "DB_PASSWORD", "PGPASSWORD", "X_PASSWD", "SSH_PASSPHRASE", "OPENAI_APIKEY",
                                 "GITHUB_PAT", "AZURE_CREDENTIALS", "TOKEN", "KEY", "HUGGING_FACE_HUB_TOKEN"})
            QTest::newRow(name) << true;
        for (const char* name :
             {"TOKENIZERS_PARALLELISM", "MAX_TOKENS", "NUM_TOKENS_PER_STEP", "PAD_TOKEN", "KEYBOARD", "PWD",
              "PATH", "MONKEY_PATCH", "SSH_PUBLIC_KEY", "HF_TOKEN_PATH", "AWS_WEB_IDENTITY_TOKEN_FILE",
              "AWS_REGION", "AWS_PROFILE", "AWS_ENDPOINT_URL_S3", "NCCL_DEBUG", "COMPATIBLE", "TURKEY_SIZE"})
            QTest::newRow(name) << false;
    }
    void names()
    {
        QFETCH(bool, isSecret);
        QCOMPARE(looksSecret(QTest::currentDataTag()), isSecret);
    }

    void valuesComeFromTheSessionOrTheEnvironment()
    {
        SessionConfig config =
            sessionWithSecrets("command: [x]\nsecret: [DSN, HF_TOKEN]\n"
                               "environment: {A: b, HF_TOKEN: $HF_TOKEN, DB_PASSWORD: pw, X_KEY: }\n");
        QCOMPARE(secretNames(config), (std::vector<std::string>{"HF_TOKEN", "DB_PASSWORD", "X_KEY", "DSN"}));
        const std::map<std::string, std::string> there{{"HF_TOKEN", kValue}, {"DB_PASSWORD", "other"}};
        const auto found = secretValues(config, [&there](const char* name) {
            const auto at = there.find(name);
            return at == there.end() ? nullptr : at->second.c_str();
        });
        QCOMPARE(found.values, (TextPairs{{"HF_TOKEN", kValue}, {"DB_PASSWORD", "pw"}}));
        QCOMPARE(found.missing, (std::vector<std::string>{"X_KEY", "DSN"}));
        QVERIFY(missingSecretsText(found.missing).starts_with("X_KEY, DSN are secrets"));
    }

    void nothingWrittenHoldsAValue_data()
    {
        QTest::addColumn<QString>("launch");
        QTest::newRow("ssh") << "launcher: {kind: ssh}\nhosts: [{name: a}, {name: b}]\n";
        QTest::newRow("local") << "";
        QTest::newRow("slurm") << "launcher: {kind: slurm, login_node: l}\n";
        QTest::newRow("batch script") << "launcher: {kind: slurm, login_node: l, batch_script: ray.sub}\n";
        QTest::newRow("ray job") << "launcher: {kind: ray_job}\n";
        QTest::newRow("container") << "container: [docker, exec, trainer]\n";
        QTest::newRow("slurm container")
            << "launcher: {kind: slurm, login_node: l}\ncontainer: [srun, --container-image=i]\n";
    }
    void nothingWrittenHoldsAValue()
    {
        QFETCH(QString, launch);
        const SessionConfig config = sessionWithSecrets(
            "name: n\nframework: torchrun\ncommand: [t.py]\nsecret: [DSN]\nenvironment: {A: open1, HF_TOKEN: " +
            std::string(kValue) + ", DSN: " + kValue + "}\n" + launch.toStdString());
        const std::string text = allTexts(config);
        QVERIFY2(text.find(kValue) == std::string::npos, text.c_str());
        QVERIFY(text.find("open1") != std::string::npos);
        QVERIFY(text.find("HF_TOKEN: \"$HF_TOKEN\"") != std::string::npos);
        const bool isRayJob = launch.contains("ray_job"); // which is handed none
        QVERIFY(text.find(isRayJob ? ": \"${HF_TOKEN:?" : "HF_TOKEN=\"$HF_TOKEN\"") != std::string::npos);
        // The value is still the session's own, and the written session reads as one that refers to it.
        QCOMPARE(secretValues(config, [](const char*) { return nullptr; }).values.size(),
                 size_t(isRayJob ? 0 : 2));
        QVERIFY(secretValues(sessionWithSecrets(yamlFromSession(config)), [](const char*) {
                    return nullptr;
                }).values.empty());
    }

    void theWayToTheProcess()
    {
        SessionConfig config = sessionWithSecrets("command: [x]\ncontainer: [docker, exec, -it, box]\n"
                                                  "environment: {HF_TOKEN: $HF_TOKEN}\n");
        QCOMPARE(planLaunch(config, {})->hosts[0].commands[0].argv,
                 (std::vector<std::string>{"docker", "exec", "--env=HF_TOKEN", "-it", "box", "x"}));
        QCOMPARE(planLaunch(config, {})->hosts[0].secrets, std::vector<std::string>{"HF_TOKEN"});
        const auto exported = [](const std::string& options) {
            const SessionConfig slurm = sessionWithSecrets(
                "command: [x]\nenvironment: {HF_TOKEN: }\nlauncher: {kind: slurm, login_node: l, "
                "slurm_options: [" +
                options + "]}\n");
            const auto argv = planLaunch(slurm, {})->hosts[0].commands[0].argv;
            std::string found;
            for (const std::string& word : argv)
                found += word.starts_with("--export") ? word : "";
            return found;
        };
        QCOMPARE(exported(""), "--export=ALL");
        QCOMPARE(exported("--export=NONE"), "--export=HF_TOKEN");
        QCOMPARE(exported("\"--export=A,B\""), "--export=A,B,HF_TOKEN");
        QCOMPARE(exported("\"--export=ALL,B=1\""), "--export=ALL,B=1");
        const auto host = hostPlanFromJson(jsonFromHostPlan({}, planLaunch(config, {})->hosts[0]));
        QCOMPARE(host->secrets, std::vector<std::string>{"HF_TOKEN"});
    }

    void aFormKeepsTheValue()
    {
        SessionConfig config = sessionWithSecrets("command: [x]\nenvironment: {HF_TOKEN: abc, A: 1}\n");
        const SessionField& field = *findSessionField("environment");
        ConfigValue shown = *field.write(config);
        QCOMPARE(shown.find("HF_TOKEN")->text, "$HF_TOKEN");
        shown.set("A", ConfigValue::fromText("2"));
        QVERIFY(setSessionField(config, "environment", shown));
        QCOMPARE(config.environment, (TextPairs{{"HF_TOKEN", "abc"}, {"A", "2"}}));
    }

    void textsAreMasked()
    {
        const TextPairs values{{"HF_TOKEN", kValue}, {"PART", "4711ab"}, {"SHORT", "abc"}, {"EMPTY", ""}};
        QCOMPARE(withoutSecrets("token " + std::string(kValue) + ", again " + kValue + "!", values),
                 std::string("token $HF_TOKEN, again $HF_TOKEN!")); // not hf_$PARTcdef
        QCOMPARE(withoutSecrets("part 4711ab of abc", values), std::string("part $PART of abc"));
        QCOMPARE(withoutSecrets("run --wandb_api_key=x1 -e 'HF_TOKEN=y2' prompt_key=z (a.password=w)", {}),
                 std::string("run --wandb_api_key=$wandb_api_key -e 'HF_TOKEN=$HF_TOKEN' prompt_key=z "
                             "(a.password=$a.password)"));
        QCOMPARE(withoutSecrets("", values), std::string());
        QCOMPARE(withoutSecrets("a\n b", values), std::string("a\n b"));
    }

    void findings()
    {
        const auto of = [](const std::string& yaml) {
            const SessionConfig config = sessionWithSecrets("command: [x]\n" + yaml);
            return preflight(config, *planLaunch(config, {}), {});
        };
        Findings clear = of("environment: {HF_TOKEN: abc}\n");
        QVERIFY(hasRule(clear, "secret.in_clear"));
        for (const Finding& one : clear)
            QVERIFY(one.reason.find("abc") == std::string::npos);
        QVERIFY(!hasRule(of("environment: {HF_TOKEN: $HF_TOKEN}\n"), "secret.in_clear"));
        QVERIFY(!hasRule(of("environment: {HF_TOKEN: \"${HF_TOKEN}\"}\n"), "secret.in_clear"));
        QVERIFY(!hasRule(of("environment: {TOKENIZERS_PARALLELISM: \"true\"}\n"), "secret.in_clear"));
        QVERIFY(hasRule(of("secret: [DSN]\nenvironment: {DSN: abc}\n"), "secret.in_clear"));
        QVERIFY(hasRule(of("container: [docker, run, -e, WANDB_API_KEY=abc, i]\n"), "secret.in_words"));
        QVERIFY(hasRule(of("other_overrides: [+trainer.wandb_api_key=abc]\n"), "secret.in_words"));
        QVERIFY(!hasRule(of("other_overrides: [data.prompt_key=prompt]\n"), "secret.in_words"));
        const std::string secret = "environment: {HF_TOKEN: }\n";
        QVERIFY(hasRule(of(secret + "launcher: {kind: ray_job}\n"), "secret.ray_job"));
        QVERIFY(hasRule(of(secret + "container: [sudo, docker, exec, c]\n"), "secret.container"));
        QVERIFY(!hasRule(of(secret + "container: [docker, exec, c]\n"), "secret.container"));
    }
};

LOCKSTEP_TEST(SecretsTest, "secrets_test")
#include "secrets_test.moc"
