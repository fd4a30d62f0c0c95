// SPDX-License-Identifier: Apache-2.0
// Tests the facts about inference servers without a server: addresses, recognition, requests, the meaning of
// answers, step counts, and names of files.
#include <algorithm>

#include "core/servers/server_files.h"
#include "core/servers/server_identity.h"
#include "core/servers/server_requests.h"
#include "core/servers/server_url.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

// Returns JSON that is written with single quotes, because moc stumbles over quotes next to braces.
std::string jsonOf(std::string text)
{
    std::ranges::replace(text, '\'', '"');
    return text;
}

// Passes answers by path to an identity; all other paths are answered with 404.
ServerIdentity serverIdentityOf(const std::map<std::string, HttpAnswer>& answers,
                                std::optional<ServerKind> forced = {})
{
    ServerIdentity identity(forced);
    while (!identity.nextPath().empty()) {
        const auto answer = answers.find(std::string(identity.nextPath()));
        identity.take(answer == answers.end() ? HttpAnswer{404, jsonOf("{'detail':'Not Found'}")}
                                              : answer->second);
    }
    return identity;
}

} // namespace

class ServersTest : public QObject {
    Q_OBJECT

  private slots:
    void addresses_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("checked"); // empty: rejected
        const auto row = [](const char* text, const char* checked) {
            QTest::newRow(text) << text << checked;
        };
        row("http://node1:30000", "http://node1:30000");
        row("HTTPS://node1:443/base//", "https://node1:443/base");
        row("http://[::1]:8000/", "http://[::1]:8000");
        row("http://node1", "http://node1");
        row("ftp://node1", "");
        row("node1:30000", "");
        row("http://", "");
        row("http://node1:0", "");
        row("http://node1:70000", "");
        row("http://::1:8000", "");
        row("http://node1:80/a b", "");
        row("http://node1:80/?key=a", "");
        row("http://node1:80/\"\nheader = x", "");
        row("http://me:secret@node1:80", "");
    }
    void addresses()
    {
        QFETCH(QString, text);
        QFETCH(QString, checked);
        const auto url = checkedServerUrl(text.toStdString());
        QCOMPARE(QString::fromStdString(url.value_or("")), checked);
        if (!url) QVERIFY(url.error().message.find("secret") == std::string::npos);
    }

    void hostsOfAddresses()
    {
        QCOMPARE(hostOfServerUrl("http://node1:80/x"), std::string_view("node1"));
        QCOMPARE(hostOfServerUrl("https://[fe80::1]:80"), std::string_view("fe80::1"));
        QVERIFY(isLoopbackHost("LocalHost") && isLoopbackHost("127.0.0.2") && isLoopbackHost("::1"));
        QVERIFY(!isLoopbackHost("node1"));
    }

    void serversAreRecognized()
    {
        const auto vllm = serverIdentityOf({{"/version", {200, jsonOf("{'version':'0.11.0'}")}}}).facts();
        QVERIFY(vllm && vllm->kind == ServerKind::vllm && vllm->version == "0.11.0" && !vllm->writers);
        const auto devMode = serverIdentityOf({{"/server_info", {200, jsonOf("{'vllm_config':'x'}")}},
                                               {"/version", {200, jsonOf("{'version':'0.13.0'}")}}});
        QCOMPARE(devMode.facts()->version, std::string("0.13.0"));
        const std::string info = jsonOf("{'tp_size':4,'pp_size':2,'dp_size':3,'version':'0.5.9','nnodes':2}");
        for (const char* path : {"/server_info", "/get_server_info"}) {
            const auto facts = serverIdentityOf({{path, {200, info}}}).facts();
            QVERIFY(facts && facts->kind == ServerKind::sglang && facts->version == "0.5.9");
            QCOMPARE(*facts->writers, 24);
            QCOMPARE(facts->nodes, 2);
        }
        const std::string attention = jsonOf("{'tp_size':8,'dp_size':8,'enable_dp_attention':true}");
        QCOMPARE(*serverIdentityOf({{"/server_info", {200, attention}}}).facts()->writers, 8);
    }

    void routersAreRecognizedBeforeTheirWorkers()
    {
        // Routers forward unknown paths, so a worker would answer /version.
        const HttpAnswer version{200, jsonOf("{'version':'0.11.0'}")};
        const auto router = serverIdentityOf(
            {{"/workers",
              {200, jsonOf("{'workers':[{'url':'http://a:1'},{'url':'http://b:2/'},{'url':'http://a:1'}]}")}},
             {"/version", version}});
        QVERIFY(router.isRouter());
        QCOMPARE(router.workers(), (std::vector<std::string>{"http://a:1", "http://b:2"}));
        const auto old =
            serverIdentityOf({{"/list_workers", {200, jsonOf("{'urls':['http://a:1@0','http://a:1@1']}")}}});
        QCOMPARE(old.workers(), std::vector<std::string>{"http://a:1"});
        QVERIFY(!serverIdentityOf({{"/workers", {200, jsonOf("{'workers':[]}")}}}).facts());
        const auto grpc =
            serverIdentityOf({{"/workers", {200, jsonOf("{'workers':[{'url':'grpc://a:1'}]}")}}});
        QVERIFY(grpc.facts().error().message.find("grpc://a:1") != std::string::npos);
        const auto balancer =
            serverIdentityOf({{"/server_info", {200, jsonOf("{'prefill':[{}],'decode':[{}]}")}}});
        QVERIFY(balancer.isRouter() && balancer.workers().empty() && !balancer.facts());
    }

    void unrecognizedServers_data()
    {
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("words");
        QTest::newRow("nothing") << 404 << "neither vLLM nor SGLang";
        QTest::newRow("key") << 401 << "LOCKSTEP_SERVER_KEY";
        QTest::newRow("starting") << 503 << "not ready yet";
    }
    void unrecognizedServers()
    {
        QFETCH(int, status);
        QFETCH(QString, words);
        ServerIdentity identity;
        while (!identity.nextPath().empty())
            identity.take({status, "<html>"});
        QVERIFY(!identity.facts());
        QVERIFY2(identity.facts().error().message.find(words.toStdString()) != std::string::npos,
                 identity.facts().error().message.c_str());
        // The given kind is used, even if the server answers only the requests for its profiler.
        QVERIFY(serverIdentityOf({}, ServerKind::sglang).facts()->kind == ServerKind::sglang);
    }

    void hostileAnswersAreHarmless()
    {
        const std::string deep(100'000, '[');
        QVERIFY(!serverIdentityOf({{"/workers", {200, deep}}, {"/server_info", {200, deep}}}).facts());
        const auto huge = serverIdentityOf(
            {{"/server_info",
              {200, jsonOf("{'tp_size':9000000000000000000,'dp_size':1,'version':'\\u001b[31m'}")}}});
        QVERIFY(huge.facts() && !huge.facts()->writers);
        QVERIFY(huge.facts()->version.find('\x1b') == std::string::npos);
    }

    void requests()
    {
        ServerRecording steps;
        steps.steps = 5;
        QCOMPARE(startProfileRequest(ServerKind::vllm, steps, "/t").body, std::string()); // no fields
        QCOMPARE(startProfileRequest(ServerKind::sglang, steps, "/t").body,
                 jsonOf("{'output_dir':'/t','num_steps':5}"));
        ServerRecording time;
        time.seconds = 2;
        QCOMPARE(startProfileRequest(ServerKind::sglang, time, "").body, std::string("{}"));
        QVERIFY(stopsByItself(ServerKind::sglang, steps) && !stopsByItself(ServerKind::sglang, time) &&
                !stopsByItself(ServerKind::vllm, steps));
        QCOMPARE(stopProfileRequest(ServerKind::vllm).method, std::string("POST"));
    }

    void answersToStart_data()
    {
        QTest::addColumn<bool>("isVllm");
        QTest::addColumn<QString>("version");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("words"); // empty: success
        const auto row = [](const char* name, bool isVllm, const char* version, int status, const char* body,
                            const char* words) {
            QTest::newRow(name) << isVllm << version << status << body << words;
        };
        row("vllm", true, "0.14.0", 200, "", "");
        row("vllm absent", true, "0.14.0", 404, "", "--profiler-config");
        row("old vllm absent", true, "0.9.2", 404, "", "restart it with VLLM_TORCH_PROFILER_DIR");
        row("unknown vllm absent", true, "", 404, "", "or with VLLM_TORCH_PROFILER_DIR");
        row("vllm error", true, "0.9.2", 500, jsonOf("{'detail':'Profiler is not enabled.'}").c_str(),
            "(HTTP 500): Profiler is not enabled.; see");
        row("vllm page", true, "0.9.2", 500, "<html>x</html>", "(HTTP 500); see");
        row("sglang", false, "0.5.9", 200, "Start profiling.\n", "");
        row("sglang error", false, "0.5.9", 500, "Internal Server Error", "use --by-stage");
        row("sglang diffusion", false, "", 400,
            "Profiling is already in progress. Call /stop_profile first.\n",
            "(HTTP 400): Profiling is already in progress");
        row("key", false, "0.5.9", 401, jsonOf("{'error':'Unauthorized'}").c_str(), "LOCKSTEP_SERVER_KEY");
        row("encoder", false, "0.5.9", 503, "encoder not ready\n", "encoder not ready");
    }
    void answersToStart()
    {
        QFETCH(bool, isVllm);
        QFETCH(QString, version);
        QFETCH(int, status);
        QFETCH(QString, body);
        QFETCH(QString, words);
        ServerFacts facts;
        facts.kind = isVllm ? ServerKind::vllm : ServerKind::sglang;
        facts.version = version.toStdString();
        const auto problem = startProblem(facts, {status, body.toStdString()});
        QCOMPARE(problem.has_value(), !words.isEmpty());
        if (problem)
            QVERIFY2(problem->message.find(words.toStdString()) != std::string::npos,
                     problem->message.c_str());
        QCOMPARE(stopProblem(facts, {status, body.toStdString()}).has_value(), !words.isEmpty());
    }

    void stepsAreCounted()
    {
        const std::string before =
            "# HELP vllm:iteration_tokens_total x\n"
            "vllm:iteration_tokens_total_bucket{engine=\"0\",le=\"1.0\"} 3.0\n"
            "vllm:iteration_tokens_total_count{engine=\"0\",model_name=\"a} b\"} 12.0\n"
            "vllm:iteration_tokens_total_count{engine=\"1\",model_name=\"a} b\"} 1e3 1712\n"
            "vllm:iteration_tokens_total_created{engine=\"0\"} 1.7e9\n";
        const StepCounts counts = stepCountsFrom(before);
        QCOMPARE(counts.size(), size_t(2));
        StepCounts after = counts;
        after.begin()->second += 7;
        QCOMPARE(stepsBetween(counts, after), 7);
        QCOMPARE(stepsBetween({}, {{"", 4}}), 4);
        QCOMPARE(stepsBetween({{"", 9}}, {{"", 4}}), 4); // the server was restarted
        QCOMPARE(stepCountsFrom("vllm:iteration_tokens_total_count 5\n").at(""), 5.0);
        for (const char* bad :
             {"vllm:iteration_tokens_total_count", "vllm:iteration_tokens_total_count} 1",
              "vllm:iteration_tokens_total_count{a} x", "vllm:iteration_tokens_total_count{a} nan"})
            QVERIFY2(stepCountsFrom(bad).empty(), bad);
    }

    void fileNames_data()
    {
        QTest::addColumn<bool>("isVllm");
        QTest::addColumn<int>("what");
        const auto row = [](const char* name, bool isVllm, ServerFile what) {
            QTest::newRow(name) << isVllm << static_cast<int>(what);
        };
        row("node1_123.1712345678.pt.trace.json.gz", true, ServerFile::trace);
        row("inst-4f-rank-3.1712345678.pt.trace.json", true, ServerFile::trace);
        row("dp0_pp0_tp1_ep0_rank1.17.pt.trace.json.gz", true, ServerFile::trace);
        row("my_dp0_pp0_tp1_dcp0_ep0_rank1.17.pt.trace.json.gz", true, ServerFile::trace);
        row("node1_123.async_llm.17.pt.trace.json.gz", true, ServerFile::frontend);
        row("profiler_out_0.txt", true, ServerFile::other);
        row("1712.25-TP-0.trace.json.gz", false, ServerFile::trace);
        row("my-run-TP-1-DP-0-PP-2-EP-3-EXTEND.trace.json.gz", false, ServerFile::trace);
        row("1712.25-TP-0-prefill.trace.json.gz", false, ServerFile::trace);
        row("1712.25-TP-0-ForwardMode.DECODE.trace.json.gz", false, ServerFile::trace);
        row("1712.25-TP-0-DECODE.part12.trace.json.gz", false, ServerFile::part);
        row("merged-1712.25.trace.json.gz", false, ServerFile::merged);
        row("1712.25-TP-0-memory-DECODE.pickle", false, ServerFile::memory);
        row("server_args.json", false, ServerFile::other);
    }
    void fileNames()
    {
        QFETCH(bool, isVllm);
        QFETCH(int, what);
        const ServerKind kind = isVllm ? ServerKind::vllm : ServerKind::sglang;
        QCOMPARE(static_cast<int>(serverFileOf(kind, QTest::currentDataTag())), what);
    }

    void onlyNewFilesCount()
    {
        const FolderFiles before =
            folderFilesFrom("10 100 ./1.5-TP-0.trace.json.gz\n7 100 ./a b.txt\nnonsense\n");
        QCOMPARE(before.size(), size_t(2));
        QVERIFY(before.contains("a b.txt"));
        FolderFiles after = before;
        ServerFacts facts{ServerKind::sglang, "0.5", 2, 1};
        ServerRecording recording;
        recording.steps = 1;
        const auto written = [&] { return writtenFiles(ServerKind::sglang, before, after); };
        const ExpectedTraces expected = expectedTraces(facts, recording);
        QCOMPARE(*expected.count, 2);
        after["2.5-TP-0.trace.json.gz"] = {5, 101};
        QVERIFY(!written().isComplete(*expected.count));
        after["2.5-TP-1.part0.trace.json.gz"] = {5, 101};
        QVERIFY(!written().isComplete(*expected.count));
        after.erase("2.5-TP-1.part0.trace.json.gz");
        after["1.5-TP-0.trace.json.gz"] = {11, 102}; // written again
        QVERIFY(written().isComplete(*expected.count));
        QCOMPARE(written().size_bytes, 16);
        recording.isByStage = true;
        QCOMPARE(*expectedTraces(facts, recording).count, 4);
        facts.nodes = 2;
        QCOMPARE(*expectedTraces(facts, recording).count, 2);
        QVERIFY(!expectedTraces({ServerKind::vllm, "", {}, 1}, recording).count);
    }
};

LOCKSTEP_TEST(ServersTest, "servers_test")
#include "servers_test.moc"
