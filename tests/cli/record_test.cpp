// SPDX-License-Identifier: Apache-2.0
// Tests lockstep --record with HTTP servers that behave like each generation of vLLM and SGLang, including
// those that answer 200 and record nothing.
#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/support/fake_servers.h"
#include "tests/support/lockstep_process.h"
#include "tests/support/program_run.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using lockstep::test::FakeServers;
using lockstep::test::ProgramRun;

namespace {

QString placeText(const std::filesystem::path& path)
{
    return QString::fromStdString(path.string());
}

std::vector<QJsonObject> linesOf(const ProgramRun& run)
{
    std::vector<QJsonObject> lines;
    for (const QByteArray& line : run.output.split('\n')) {
        if (!line.isEmpty()) lines.push_back(QJsonDocument::fromJson(line).object());
    }
    return lines;
}

// A server with the folder; further keys override it.
QJsonObject server(const QString& kind, const test::TempDir& folder, const QJsonObject& more = {})
{
    QJsonObject config{{"kind", kind}, {"folder", placeText(folder.path())}};
    for (auto key = more.begin(); key != more.end(); ++key)
        config[key.key()] = key.value();
    return config;
}

ProgramRun record(const QStringList& arguments, const QString& key = {})
{
    std::vector<std::pair<QString, QString>> variables;
    if (!key.isEmpty()) variables.emplace_back("LOCKSTEP_SERVER_KEY", key);
    return test::runLockstep(arguments, {}, variables);
}

} // namespace

class RecordTest : public QObject {
    Q_OBJECT

  private slots:
    void generations_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QJsonObject>("config");
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<int>("traces");
        const auto row = [](const char* name, const char* kind, const QJsonObject& config,
                            const QStringList& options, int traces) {
            QTest::newRow(name) << QString(kind) << config << options << traces;
        };
        const QStringList steps{"--steps", "20"}, time{"--seconds", "0.3"};
        row("oldest vllm", "vllm", {{"style", "oldest"}, {"version", "0.8.5"}}, steps, 1);
        row("middle vllm", "vllm", {{"style", "middle"}, {"writers", 4}}, steps, 4);
        row("newest vllm", "vllm", {{"writers", 2}}, steps, 2);
        row("vllm by time", "vllm", {}, time, 1);
        row("vllm without counts", "vllm", {{"fault", "no_metrics"}}, steps + time, 1);
        row("slow stop", "vllm", {{"slow_stop", 3}}, steps, 1);
        row("late files", "vllm", {{"late", 2}}, steps, 1);
        row("old sglang", "sglang", {{"style", "old"}, {"writers", 2}}, steps, 2);
        row("new sglang", "sglang", {{"writers", 4}}, steps, 4);
        row("sglang that answers at the end", "sglang", {{"blocking", true}}, steps, 1);
        row("sglang by time", "sglang", {{"late", 1}}, time, 1);
        row("sglang by stage", "sglang", {{"writers", 2}}, steps + QStringList{"--by-stage"}, 4);
        row("file that is empty at first", "sglang", {{"fault", "empty"}}, steps, 1);
        row("key", "sglang", {{"key", "s3cret-key"}}, steps, 1);
    }
    void generations()
    {
        QFETCH(QString, kind);
        QFETCH(QJsonObject, config);
        QFETCH(QStringList, options);
        QFETCH(int, traces);
        const test::TempDir folder;
        const FakeServers servers(QJsonArray{server(kind, folder, config)});
        const ProgramRun run =
            record(QStringList{"--record", servers.allUrls(), "--folder", placeText(folder.path())} + options,
                   config["key"].toString());
        QVERIFY2(run.status == 0, run.errors + run.output);
        const auto lines = linesOf(run);
        QCOMPARE(lines.size(), size_t(2));
        QCOMPARE(lines[0]["server"].toString(), kind);
        QCOMPARE(lines[0]["state"].toString(), QString("recorded"));
        QCOMPARE(lines[0]["traces"].toArray().size(), traces);
        QCOMPARE(lines[1]["recorded"].toInt(), 1);
        QVERIFY(!run.errors.contains("s3cret-key") && !run.output.contains("s3cret-key"));
        const QString message = lines[0]["message"].toString();
        QVERIFY2(!message.contains("part"), qPrintable(message));
        if (kind == "vllm" && options.contains("--steps") && config["fault"] != "no_metrics") {
            QVERIFY2(lines[0]["steps"].toInt() >= 20 && message.contains("recorded about"),
                     qPrintable(message));
        }
    }

    void failures_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QJsonObject>("config");
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QString>("words");
        const auto row = [](const char* name, const char* kind, const QJsonObject& config, const char* words,
                            const QStringList& options = {}) {
            QTest::newRow(name) << QString(kind) << config << options << QString(words);
        };
        row("absent", "vllm", {{"fault", "absent"}}, "--profiler-config");
        row("absent in an old version", "vllm", {{"fault", "absent"}, {"version", "0.8.0"}},
            "VLLM_TORCH_PROFILER_DIR");
        row("error", "vllm", {{"fault", "error"}}, "Profiler is not enabled.");
        row("sglang error", "sglang", {{"fault", "error"}}, "already be in progress");
        row("200 without a recording", "vllm", {{"fault", "failed_start"}}, "no trace appeared",
            {"--timeout", "2"});
        row("sglang 200 without a recording", "sglang", {{"fault", "failed_start"}}, "no trace appeared",
            {"--timeout", "2"});
        row("truncated answer without files", "vllm", {{"fault", "truncated"}, {"late", 60}}, "was cut off",
            {"--timeout", "2"});
        row("dies at stop", "vllm", {{"fault", "dies"}}, "it may have ended", {"--timeout", "2"});
        row("dies early", "vllm", {{"fault", "dies_early"}}, "ended during the recording");
        row("sglang dies early", "sglang", {{"fault", "dies_early"}}, "ended during the recording");
        row("a trace is missing", "sglang", {{"fault", "few"}, {"writers", 3}}, "expected 3 traces",
            {"--timeout", "3"});
        row("starting", "vllm", {{"fault", "starting"}}, "not ready yet");
        row("no key", "sglang", {{"key", "abc"}}, "LOCKSTEP_SERVER_KEY");
        row("no counts", "vllm", {{"fault", "no_metrics"}}, "give the duration with --seconds");
        row("idle vllm", "vllm", {{"rate", 0}}, "recorded about 0 steps", {"--timeout", "2"});
        row("idle sglang", "sglang", {{"rate", 0}}, "before the server had made 20 steps",
            {"--timeout", "2"});
    }
    void failures()
    {
        QFETCH(QString, kind);
        QFETCH(QJsonObject, config);
        QFETCH(QStringList, options);
        QFETCH(QString, words);
        const test::TempDir folder;
        const FakeServers servers(QJsonArray{server(kind, folder, config)});
        const ProgramRun run = record(QStringList{"--record", servers.allUrls(), "--steps", "20", "--folder",
                                                  placeText(folder.path())} +
                                      options);
        QVERIFY2(run.status == 1, run.errors + run.output);
        QVERIFY2(run.errors.contains(words.toUtf8()), run.errors);
        QCOMPARE(linesOf(run).front()["state"].toString(), QString("failed"));
    }

    void nothingListens()
    {
        const ProgramRun run = record({"--record", "http://127.0.0.1:1", "--steps", "5"});
        QCOMPARE(run.status, 1);
        QVERIFY2(run.errors.contains("http://127.0.0.1:1: no answer: "), run.errors);
    }

    // Without a folder, nothing proves a recording.
    void filesAreNotAssumed()
    {
        const test::TempDir folder;
        const FakeServers servers(QJsonArray{server("vllm", folder), server("sglang", folder)});
        const ProgramRun run = record({"--record", servers.allUrls(), "--steps", "20"});
        QVERIFY2(run.status == 3, run.errors + run.output);
        QCOMPARE(run.errors.count("files were not checked"), 2);
        // SGLang stops by itself; a stop would end the recording early.
        QCOMPARE(servers.requests(0, "/stop_profile").size(), 1);
        QCOMPARE(servers.requests(1, "/stop_profile").size(), 0);
    }

    // vLLM answers 200 to a second start and ignores it. Old files in the folder are not mistaken for new
    // ones.
    void earlierRecordingsDoNotCount()
    {
        const test::TempDir folder;
        folder.write("node1_7.1.pt.trace.json.gz", "old");
        const FakeServers servers(QJsonArray{server("vllm", folder, {{"fault", "failed_start"}})});
        const ProgramRun run = record({"--record", servers.url(0), "--steps", "5", "--timeout", "2",
                                       "--folder", placeText(folder.path())});
        QVERIFY2(run.status == 1 && run.errors.contains("no trace appeared"), run.errors);
    }

    void manyReplicasStartTogether()
    {
        constexpr int kReplicas = 64;
        std::vector<std::unique_ptr<test::TempDir>> folders;
        const test::TempDir folder;
        QJsonArray configs;
        for (int i = 0; i < kReplicas; ++i)
            configs << server(i % 2 == 0 ? "vllm" : "sglang", folder, {{"rate", 50}});
        const FakeServers servers(configs);
        const ProgramRun run = record({"--record", servers.allUrls(), "--seconds", "2"});
        QVERIFY2(run.status == 3, run.errors.left(2000));
        const auto lines = linesOf(run);
        QCOMPARE(lines.size(), size_t(kReplicas + 1));
        QCOMPARE(lines.back()["unchecked"].toInt(), kReplicas);
        double first = 1e300, last = 0;
        for (size_t i = 0; i < kReplicas; i += 7) {
            const double at = servers.requests(i, "/start_profile").at(0).toObject()["at"].toDouble();
            first = std::min(first, at);
            last = std::max(last, at);
        }
        const double spread_s = lines.back()["start_spread_s"].toDouble();
        qInfo() << "spread reported" << spread_s << "seen by the servers" << last - first;
        QVERIFY(spread_s > 0 && spread_s < 30 * test::kSlowness);
    }

    void oneFailureDoesNotStopTheOthers()
    {
        const test::TempDir folder;
        const FakeServers servers(
            QJsonArray{server("vllm", folder, {{"fault", "absent"}}), server("vllm", folder)});
        const ProgramRun run = record({"--record", servers.url(0), "--record", servers.url(1), "--steps", "5",
                                       "--folder", placeText(folder.path())});
        QVERIFY2(run.status == 3, run.errors + run.output);
        QCOMPARE(linesOf(run).back()["recorded"].toInt(), 1);
        QCOMPARE(linesOf(run).back()["failed"].toInt(), 1);
    }

    // The traces of one replica do not prove that the other one recorded.
    void replicasInOneFolderAreCheckedTogether()
    {
        const test::TempDir folder;
        const FakeServers servers(
            QJsonArray{server("vllm", folder, {{"slow_stop", 2}}), server("vllm", folder)});
        const QStringList arguments{"--record", servers.allUrls(), "--steps",
                                    "5",        "--folder",        placeText(folder.path())};
        const ProgramRun run = record(arguments);
        QVERIFY2(run.status == 0, run.errors + run.output);
        QVERIFY2(run.output.contains("2 servers that share this folder"), run.output);
        const FakeServers half(
            QJsonArray{server("vllm", folder, {{"fault", "failed_start"}}), server("vllm", folder)});
        const ProgramRun silent = record({"--record", half.allUrls(), "--steps", "5", "--timeout", "2",
                                          "--folder", placeText(folder.path())});
        QVERIFY2(silent.status == 1, silent.errors + silent.output);
        QCOMPARE(silent.errors.count("expected at least 2 traces"), 2);
    }

    void routersAreReplaced_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::newRow("new") << "router";
        QTest::newRow("old") << "old_router";
    }
    void routersAreReplaced()
    {
        QFETCH(QString, kind);
        const test::TempDir folder;
        const FakeServers servers(QJsonArray{QJsonObject{{"kind", kind}, {"workers", QJsonArray{1, 2}}},
                                             server("sglang", folder), server("sglang", folder)});
        const ProgramRun run = record({"--record", servers.url(0), "--steps", "5"});
        QCOMPARE(run.status, 3);
        QVERIFY2(run.errors.contains("replaced by its workers; servers: 2"), run.errors);
        QCOMPARE(servers.requests(0, "/start_profile").size(), 0);
        QCOMPARE(servers.requests(1, "/start_profile").size(), 1);
        QCOMPARE(servers.requests(2, "/start_profile").size(), 1);
    }

    // Ctrl-C must not leave a profiler running, which slows its server down until its memory is full.
    void interruptionStopsTheProfilers()
    {
        const test::TempDir folder;
        const FakeServers servers(QJsonArray{server("vllm", folder), server("sglang", folder)});
        test::LockstepProcess run(test::bareEnvironment(),
                                  {"--record", servers.allUrls(), "--seconds", "600"});
        const auto hasStarted = [&] {
            return servers.requests(0, "/start_profile").size() +
                       servers.requests(1, "/start_profile").size() ==
                   2;
        };
        QVERIFY(test::waitUntil(hasStarted));
        QTest::qWait(300);
        run.terminate();
        QCOMPARE(run.waitForEnd(), 130);
        QCOMPARE(servers.requests(0, "/stop_profile").size(), 1);
        QCOMPARE(servers.requests(1, "/stop_profile").size(), 1);
        QVERIFY2(run.errors().contains("interrupted; the profiler was stopped"), run.errors());
    }

    void runsNameTheirServers()
    {
        const test::TempDir folder;
        const FakeServers servers(QJsonArray{server("vllm", folder), server("sglang", folder)});
        const std::string id = "2026-11-20T12-01-07-serve", run = "lockstep/runs/" + id + "/";
        folder.write(run + "record.json",
                     R"({"lockstep_run":1,"id":")" + id +
                         R"(","session":"serve","hosts":[{"host":"localhost","address":""}]})");
        folder.write(run + "session.yaml",
                     "name: serve\nframework: command\ncommand: [true]\nservers:\n  - {url: \"" +
                         servers.urls()[0] + "\", folder: " + folder.path().string() + "}\n  - \"" +
                         servers.urls()[1] + "\"\n");
        const ProgramRun recorded = test::runLockstep({"--record", "serve", "--steps", "5"}, {},
                                                      {{"XDG_STATE_HOME", placeText(folder.path())}});
        QVERIFY2(recorded.status == 3, recorded.errors);
        QCOMPARE(linesOf(recorded).back()["recorded"].toInt(), 1);
        QCOMPARE(linesOf(recorded).back()["unchecked"].toInt(), 1);
        folder.write(run + "session.yaml", "name: serve\nframework: command\ncommand: [true]\n");
        const ProgramRun none = test::runLockstep({"--record", "serve", "--steps", "5"}, {},
                                                  {{"XDG_STATE_HOME", placeText(folder.path())}});
        QCOMPARE(none.status, 1);
        QVERIFY2(none.errors.contains("lists no servers"), none.errors);
    }

    void commandLines_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("words");
        const auto row = [](const char* arguments, const char* words) {
            QTest::newRow(arguments) << QString(arguments).split(' ') << QString(words);
        };
        row("--record http://a:1", "--record needs --steps N or --seconds S");
        row("--record http://u:secret@a:1 --steps 5", "must not contain a user or password");
        row("--record http://a:1,nonsense --steps 5", "'nonsense' is not the address of a server");
        row("--record http://a:1 --record run --steps 5", "one run, or any number");
        row("--record http://a:1 --steps 0", "--steps '0'");
        row("--record http://a:1 --seconds nan", "--seconds 'nan'");
        row("--record http://a:1 --steps 5 --server tgi", "use vllm or sglang");
        row("--record http://a:1 --seconds 5 --by-stage", "--by-stage requires --steps");
        row("--record http://a:1 --steps 5 x.json", "takes no further inputs");
        row("--steps 5 x.json", "require --record");
    }
    void commandLines()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QString, words);
        const ProgramRun run = record(arguments);
        QCOMPARE(run.status, 2);
        QVERIFY2(run.errors.contains(words.toUtf8()), run.errors);
        QVERIFY(!run.errors.contains("secret"));
    }
};

LOCKSTEP_TEST(RecordTest, "record_test")
#include "record_test.moc"
