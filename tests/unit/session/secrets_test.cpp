// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include <algorithm>
#include <map>

#include "core/session/import_text.h"
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

// Returns every form in which a plan can be written.
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
        QCOMPARE(isSecretVariable(QTest::currentDataTag()), isSecret);
    }

    void textsOfTheRule_data()
    {
        QTest::addColumn<QString>("masked");
        const auto row = [](const char* text, const char* masked) { QTest::newRow(text) << masked; };
        row("run --wandb_api_key=x1 -e 'HF_TOKEN=y2' prompt_key=z (a.password=w)",
            "run --wandb_api_key=*** -e 'HF_TOKEN=***' prompt_key=z (a.password=***)");
        row("my url https://user:urlpass99@host/ api_key=sk-printed12345",
            "my url https://user:***@host/ api_key=***");
        row("postgres://u:p@ss@h/db?token=abcdefgh1", "postgres://u:***@h/db?token=***");
        row("redis://:pw@h amqp://u:p/a?s@h/v", "redis://:***@h amqp://u:***@h/v");
        row("https://hf_abcDEFghi@huggingface.co", "https://***@huggingface.co");
        row("Authorization: Bearer abc.def", "Authorization: Bearer ***");
        row("curl -H 'authorization: token abc' x", "curl -H 'authorization: token ***' x");
        row("{\"Authorization\": \"Basic dTpw\", \"api_key\": \"x\\\"yz\", \"n\": 1}",
            "{\"Authorization\": \"Basic ***\", \"api_key\": \"***\", \"n\": 1}");
        row("--api-key sk-a --next", "--api-key *** --next");
        row("--password \"a b\" c", "--password \"***\" c");
        row("export AWS_SECRET_ACCESS_KEY=\"a b\"; HF_TOKEN='q'",
            "export AWS_SECRET_ACCESS_KEY=\"***\"; HF_TOKEN='***'");
        row("got ghp_0123456789abcdef, sk-proj-0123_abc, hf_AbCdEfGhIj", "got ***, ***, ***");
        row("password: hunter2, X-Api-Key: 12", "password: ***, X-Api-Key: ***");
    }
    void textsOfTheRule()
    {
        QFETCH(QString, masked);
        QCOMPARE(QString::fromStdString(maskSecrets(QTest::currentDataTag())), masked);
        QCOMPARE(QString::fromStdString(maskSecrets(masked.toStdString())), masked);
    }

    void harmlessTexts_data()
    {
        QTest::addColumn<bool>("isHarmless");
        for (const char* text :
             {"--max_token_len=4096 --max-token-len 4096 tokenizer=gpt2 --tokenizer gpt2",
              "tokens: 5 token: 17 new_token=5 pad_token=<pad> --eos_token </s>", "a key: abc, key=5",
              "sk-learn 1.2 hf_hub_download hf_model_name task-12345678 disk-sda12345678",
              "ssh://git@github.com:22/x http://h:8080/a@b s3://bucket/key user@host:/path",
              "Bearer authentication failed", "data.prompt_key=prompt forward_pass=3",
              "HF_TOKEN=$HF_TOKEN --hf_token ${HF_TOKEN} password=None", "std::token::key password::x",
              "step:5 - actor/loss:0.2 lr=1e-6", "api_key_name=x --password-file /run/p", "", "a\n b\r\n"})
            QTest::newRow(text) << true;
    }
    void harmlessTexts()
    {
        const std::string text = QTest::currentDataTag();
        QCOMPARE(maskSecrets(text), text);
    }

    void argumentsOfCommandLines()
    {
        const std::vector<std::string> given{"python3",
                                             "--hf_token=hf_A 1",
                                             "--api-key",
                                             "sk-a",
                                             "--db",
                                             "postgres://u:p@h/db",
                                             "--wandb.key",
                                             "x",
                                             "--wandb.api_key=a&b,c",
                                             "AWS_SECRET_ACCESS_KEY=s",
                                             "Authorization: Bearer b",
                                             "--max_token_len=4096",
                                             "--password",
                                             "p",
                                             "--password",
                                             "--verbose",
                                             "--token",
                                             "$TOKEN"};
        const std::vector<std::string> masked{"python3",
                                              "--hf_token=***",
                                              "--api-key",
                                              "***",
                                              "--db",
                                              "postgres://u:***@h/db",
                                              "--wandb.key",
                                              "x",
                                              "--wandb.api_key=***",
                                              "AWS_SECRET_ACCESS_KEY=***",
                                              "Authorization: Bearer ***",
                                              "--max_token_len=4096",
                                              "--password",
                                              "***",
                                              "--password",
                                              "--verbose",
                                              "--token",
                                              "$TOKEN"};
        QCOMPARE(maskSecretArguments(given), masked);
    }

    // Positions that say nothing about the value, and a message that is cut within a value.
    void importedMessagesHaveNoSecrets()
    {
        const std::string token = "hf_abcdefghijklmnop1234567890", key = "0123456789abcdef0123456789abcdef";
        const auto made = importText(
            "export HF_TOKEN=" + token + "\nexport WANDB_API_KEY=" + key +
            "\nwandb login $WANDB_API_KEY\nwandb login --relogin --host https://wandb.example.com/ $WANDB_API_KEY\n"
            "x=$(curl -H \"Authorization: Bearer " +
            token +
            "\" https://example.com/a/b)\n"
            "./deploy.sh " +
            key +
            " $HF_TOKEN\npython3 other.py --key $WANDB_API_KEY\n"
            "HF_TOKEN=$HF_TOKEN python3 -m verl.trainer.main_ppo trainer.key=$WANDB_API_KEY\n"
            "echo a.b=$WANDB_API_KEY | tee x\n");
        QVERIFY2(made, made ? "" : made.error().message.c_str());
        const std::string text = findingsText(made->findings);
        QVERIFY2(text.find("wandb login") != std::string::npos, text.c_str());
        for (const std::string& secret : {token, key}) {
            // Also no beginning of it that a cut left.
            QVERIFY2(text.find(secret.substr(0, 12)) == std::string::npos, text.c_str());
        }
    }

    // A log of many megabytes without a blank, a quote or a line end.
    void timeIsLinear()
    {
        for (const char* piece : {"a", "=", "token=", "://", "http://u:", "'", "Bearer ", "--password "}) {
            std::string text;
            while (text.size() < 1'000'000)
                text += piece;
            QVERIFY(!maskSecrets(text).empty());
        }
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

    void writtenFilesContainNoValue_data()
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
    void writtenFilesContainNoValue()
    {
        QFETCH(QString, launch);
        const SessionConfig config = sessionWithSecrets(
            "name: n\nframework: torchrun\ncommand: [t.py]\nsecret: [DSN]\nenvironment: {A: open1, HF_TOKEN: " +
            std::string(kValue) + ", DSN: " + kValue + "}\n" + launch.toStdString());
        const std::string text = allTexts(config);
        QVERIFY2(text.find(kValue) == std::string::npos, text.c_str());
        QVERIFY(text.find("open1") != std::string::npos);
        QVERIFY(text.find("HF_TOKEN: \"$HF_TOKEN\"") != std::string::npos);
        const bool isRayJob = launch.contains("ray_job"); // which gets none
        QVERIFY(text.find(isRayJob ? ": \"${HF_TOKEN:?" : "HF_TOKEN=\"$HF_TOKEN\"") != std::string::npos);
        // The value is still in the session, and the written session reads as one that refers to it.
        QCOMPARE(secretValues(config, [](const char*) { return nullptr; }).values.size(),
                 size_t(isRayJob ? 0 : 2));
        QVERIFY(secretValues(sessionWithSecrets(yamlFromSession(config)), [](const char*) {
                    return nullptr;
                }).values.empty());
    }

    void commandLinesAndUrlsContainNoSecret_data() { writtenFilesContainNoValue_data(); }
    void commandLinesAndUrlsContainNoSecret()
    {
        QFETCH(QString, launch);
        const SessionConfig config = sessionWithSecrets(
            "name: n\nframework: torchrun\ncommand: [t.py, --hf_token=hf_ARG1, --api-key, \"sk-ARG2'x\", "
            "\"--url=https://u:ARG3@h/x\", \"Authorization: Bearer ARG4\", --login, ENVPASS1, --max_token_len=4096]\n"
            "environment: {HTTPS_PROXY: \"http://u:ENV2@p:1\", GITHUB_AUTH: ghp_ENV3abcdef, DB_PASSWORD: ENVPASS1}\n" +
            launch.toStdString());
        const std::string text = allTexts(config) + canonicalYaml(config);
        for (const char* value : {"hf_ARG1", "ARG2", "ARG3", "ARG4", "ENV2", "ghp_", "ENVPASS1"})
            QVERIFY2(text.find(value) == std::string::npos, (value + text).c_str());
        QVERIFY(text.find("--max_token_len=4096") != std::string::npos);
        const SecretValues found = secretValues(config, [](const char*) { return nullptr; });
        QVERIFY(found.missing.empty());
        if (launch.contains("ray_job")) return; // which gets none
        const TextPairs values = found.values;
        QVERIFY(std::ranges::find(values, std::pair<std::string, std::string>(
                                              "HTTPS_PROXY", "http://u:ENV2@p:1")) != values.end());
        QVERIFY(std::ranges::find(values, std::pair<std::string, std::string>("LOCKSTEP_SECRET_API_KEY",
                                                                              "sk-ARG2'x")) != values.end());
        // The written session is complete again once the environment has the values.
        const SessionConfig again = sessionWithSecrets(yamlFromSession(config));
        QCOMPARE(again.command[3], "${LOCKSTEP_SECRET_API_KEY}");
        QCOMPARE(secretValues(again, [](const char*) { return nullptr; }).missing.size(), values.size());
        const SecretValues given = secretValues(again, [&values](const char* name) {
            const auto one = std::ranges::find(values, name, [](const auto& pair) { return pair.first; });
            return one == values.end() ? nullptr : one->second.c_str();
        });
        QVERIFY(std::ranges::is_permutation(given.values, values));
        QCOMPARE(hideSecrets(again).config.command, again.command);
    }

    void keysThatNoPlanUsesAreMasked()
    {
        const SessionConfig config = sessionWithSecrets(
            "command: [x]\nextra: {wandb_api_key: abc, url: \"https://u:pw@h\", n: 1}\n# --api-key sk-comment1\n");
        const std::string yaml = yamlFromSession(config);
        QVERIFY2(yaml.find("abc") == yaml.npos && yaml.find("pw") == yaml.npos &&
                     yaml.find("comment1") == yaml.npos,
                 yaml.c_str());
        QVERIFY(yaml.find("n: 1") != yaml.npos);
    }

    void valuesReachTheProcess()
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
                 std::string("run --wandb_api_key=*** -e 'HF_TOKEN=***' prompt_key=z (a.password=***)"));
        QCOMPARE(withoutSecrets("first line of a key\n", {{"PEM", "-----BEGIN\nfirst line of a key\nend"}}),
                 std::string("$PEM\n"));
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
