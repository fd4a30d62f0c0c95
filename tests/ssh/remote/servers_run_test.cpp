// SPDX-License-Identifier: Apache-2.0
// Tests lockstep --record for the servers of a run on hosts that are reached over a real sshd: requests are
// sent from the hosts, folders are listed there, and keys appear in no command line.
#include <QTest>

#include "core/remote/server_recorder.h"
#include "core/remote/server_targets.h"
#include "tests/support/fake_servers.h"
#include "tests/support/ssh_site.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

RunRecord recordOf(const std::vector<std::pair<std::string, std::string>>& hosts)
{
    RunRecord record;
    record.id = "2026-11-20T12-01-07-serve";
    for (const auto& [name, address] : hosts) {
        record.hosts.emplace_back();
        record.hosts.back().host = name;
        record.hosts.back().address = address;
    }
    return record;
}

SessionServer serverAt(const std::string& url, const std::string& host = {}, const std::string& folder = {})
{
    SessionServer server;
    server.url = url;
    server.host = host;
    server.folder = folder;
    return server;
}

} // namespace

class ServersRunTest : public QObject {
    Q_OBJECT

  private slots:
    void hostsSendTheRequests()
    {
        SshSite site({"node a", "node b"});
        if (!site.problem().empty()) QSKIP(site.problem().c_str());
        const std::string folder = (site.node(1).home() / "traces of b").string();
        const FakeServers servers(QJsonArray{
            QJsonObject{
                {"kind", "sglang"}, {"folder", "/nonexistent"}, {"writers", 2}, {"key", "s3cret-key"}},
            QJsonObject{
                {"kind", "vllm"}, {"folder", QString::fromStdString(folder)}, {"key", "s3cret-key"}}});
        SessionConfig config;
        // A relative folder is in the home folder of the host for vLLM; SGLang gets it as it is.
        config.servers = {serverAt(servers.urls()[0], "node0", (site.node(0).home() / "t").string()),
                          serverAt(servers.urls()[1], "node1", "traces of b")};
        RunOptions options;
        options.ssh = site.options();
        const auto targets =
            targetsOfRun(recordOf({{"node0", "node0"}, {"node1", "node1"}}), config, options, {}, {});
        QVERIFY2(targets.has_value(), targets ? "" : targets.error().message.c_str());
        RecorderOptions recording;
        recording.recording.steps = 10;
        recording.key = "s3cret-key";
        ServerRecorder recorder(*targets, recording);
        bool isOver = false, hasLeaked = false;
        connect(&recorder, &ServerRecorder::finished, this, [&] { isOver = true; });
        connect(&recorder, &ServerRecorder::changed, this, [&] {
            QProcess list;
            list.start("ps", {"axo", "args"});
            list.waitForFinished(kPatience_ms);
            hasLeaked = hasLeaked || list.readAllStandardOutput().contains("Bearer");
        });
        recorder.begin();
        QTRY_VERIFY(isOver);
        for (size_t i = 0; i < 2; ++i)
            QVERIFY2(recorder.server(i).state == ServerState::recorded, recorder.server(i).message.c_str());
        QVERIFY(recorder.server(1).message.find("in traces of b on node1") != std::string::npos);
        QVERIFY(!hasLeaked);
        QVERIFY(recorder.spread_s().has_value());
    }

    void unreachableHostsFail()
    {
        SshSite site({"node a"});
        if (!site.problem().empty()) QSKIP(site.problem().c_str());
        site.addDeadAlias("gone");
        SessionConfig config;
        config.servers = {serverAt("http://127.0.0.1:1")};
        RunOptions options;
        options.ssh = site.options();
        const auto targets = targetsOfRun(recordOf({{"gone", "gone"}}), config, options, {}, {});
        RecorderOptions recording;
        recording.recording.steps = 10;
        ServerRecorder recorder(*targets, recording);
        bool isOver = false;
        connect(&recorder, &ServerRecorder::finished, this, [&] { isOver = true; });
        recorder.begin();
        QTRY_VERIFY(isOver);
        QVERIFY(recorder.server(0).state == ServerState::failed);
        QVERIFY2(recorder.server(0).message.starts_with("gone: "), recorder.server(0).message.c_str());
    }

    void hostsAreChosen()
    {
        const RunRecord record =
            recordOf({{"node0", "me@login.cluster"}, {"node1", "ssh://me@node1.cluster:22"}});
        const auto hostFor = [&](const SessionServer& server) {
            SessionConfig config;
            config.servers = {server};
            const auto targets = targetsOfRun(record, config, {}, {}, {});
            return targets ? targets->front().host : "error: " + targets.error().message;
        };
        QCOMPARE(hostFor(serverAt("http://node1:80")), std::string("node1"));
        QCOMPARE(hostFor(serverAt("http://NODE1.cluster:80")), std::string("node1"));
        QCOMPARE(hostFor(serverAt("http://10.0.0.7:80")), std::string("node0")); // the first host
        QCOMPARE(hostFor(serverAt("http://node10:80")), std::string("node0"));
        QCOMPARE(hostFor(serverAt("http://localhost:80", "node1")), std::string("node1"));
        QVERIFY(hostFor(serverAt("http://localhost:80")).find("on one of 2 hosts") != std::string::npos);
        QVERIFY(hostFor(serverAt("http://node1:80", "node7")).find("no host 'node7'") != std::string::npos);
        SessionConfig none;
        QVERIFY(!targetsOfRun(record, none, {}, {}, {}));
    }
};

LOCKSTEP_TEST(ServersRunTest, "servers_run_test")
#include "servers_run_test.moc"
