// SPDX-License-Identifier: Apache-2.0
// Tests real agents that compare their clocks: one on this host, one in a network namespace whose raw clock
// is 1,000 s ahead (a time namespace), and one behind a relay that delays one direction only and drops a
// fifth of the packets. All read one kernel's clocks, so the true differences are known.
#include <atomic>
#include <chrono>
#include <random>
#include <thread>

#include <QJsonDocument>
#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/align/alignment.h"
#include "core/align/exchange_fit.h"
#include "core/align/host_clocks.h"
#include "core/readers/reader.h"
#include "tests/support/agent_run.h"
#include "tests/support/places.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr double kAhead_s = 1000;

bool works(const QString& program, const QStringList& arguments)
{
    QProcess process;
    process.start(program, arguments);
    return process.waitForFinished(kPatience_ms) && process.exitStatus() == QProcess::NormalExit &&
           process.exitCode() == 0;
}

// A virtual cable to a namespace. Destroying the object removes both.
class Namespace {
  public:
    Namespace() : m_name(QString("lsx%1").arg(::getpid()))
    {
        const QString subnet = QString("10.213.%1.").arg(::getpid() % 250);
        m_here = subnet + "1";
        const QString there = subnet + "2/24";
        m_isThere =
            works("ip", {"netns", "add", m_name}) &&
            works("ip", {"link", "add", m_name + "a", "type", "veth", "peer", "name", m_name + "b"}) &&
            works("ip", {"link", "set", m_name + "b", "netns", m_name}) &&
            works("ip", {"addr", "add", m_here + "/24", "dev", m_name + "a"}) &&
            works("ip", {"link", "set", m_name + "a", "up"}) &&
            inside({"ip", "addr", "add", there, "dev", m_name + "b"}) &&
            inside({"ip", "link", "set", m_name + "b", "up"}) &&
            inside({"unshare", "--time", "--fork", "--monotonic", "1", "true"});
    }
    ~Namespace()
    {
        works("ip", {"link", "del", m_name + "a"});
        works("ip", {"netns", "del", m_name});
    }
    Namespace(const Namespace&) = delete;
    bool isThere() const { return m_isThere; }
    QString here() const { return m_here; }
    QStringList words() const { return {"netns", "exec", m_name}; }

  private:
    bool inside(const QStringList& command) const { return works("ip", words() + command); }

    QString m_name, m_here;
    bool m_isThere = false;
};

// Relays between a client and the port. Requests are delayed by 3 ms, replies are not; a fifth of both is
// dropped.
class SlowRelay {
  public:
    explicit SlowRelay(uint16_t to) : m_front(bound()), m_back(bound()), m_to(local(to))
    {
        m_thread = std::thread([this] { run(); });
    }
    ~SlowRelay()
    {
        m_isEnding = true;
        m_thread.join();
        ::close(m_front);
        ::close(m_back);
    }
    SlowRelay(const SlowRelay&) = delete;
    int port() const
    {
        sockaddr_in own = {};
        socklen_t size = sizeof own;
        ::getsockname(m_front, reinterpret_cast<sockaddr*>(&own), &size);
        return ntohs(own.sin_port);
    }

  private:
    static sockaddr_in local(uint16_t port)
    {
        sockaddr_in address = {};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        return address;
    }
    static int bound()
    {
        const int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        const sockaddr_in any = local(0);
        if (::bind(fd, reinterpret_cast<const sockaddr*>(&any), sizeof any) != 0) qFatal("no port");
        return fd;
    }
    void run()
    {
        std::mt19937 random(7);
        sockaddr_in asker = {};
        while (!m_isEnding) {
            pollfd both[2] = {{m_front, POLLIN, 0}, {m_back, POLLIN, 0}};
            if (::poll(both, 2, 50) <= 0) continue;
            const bool isRequest = (both[0].revents & POLLIN) != 0;
            char bytes[2000];
            sockaddr_in from = {};
            socklen_t size = sizeof from;
            const ssize_t got = ::recvfrom(isRequest ? m_front : m_back, bytes, sizeof bytes, 0,
                                           reinterpret_cast<sockaddr*>(&from), &size);
            if (got < 0 || random() % 5 == 0) continue;
            if (isRequest) {
                asker = from;
                std::this_thread::sleep_for(std::chrono::milliseconds(3));
            }
            const sockaddr_in& to = isRequest ? m_to : asker;
            if (::sendto(isRequest ? m_back : m_front, bytes, static_cast<size_t>(got), 0,
                         reinterpret_cast<const sockaddr*>(&to), sizeof to) < 0) {
            } // drop it after the delay
        }
    }

    int m_front, m_back;
    sockaddr_in m_to;
    std::atomic<bool> m_isEnding = false;
    std::thread m_thread;
};

QJsonObject exchangingPlan()
{
    QJsonObject plan = hostPlan({shell("sleep 600")});
    plan["clock_exchange"] = true;
    return plan;
}

QJsonObject listening(const AgentRun& run)
{
    return run.waitFor([](const QJsonObject& event) { return event["state"] == "listening"; });
}

QByteArray peersText(int self, const QJsonArray& peers)
{
    return QJsonDocument(QJsonObject{{"token", "00112233445566778899aabbccddeeff"},
                                     {"self", self},
                                     {"hosts", 16},
                                     {"peers", peers}})
        .toJson();
}

int tellPeers(const AgentRun& run, const QByteArray& text)
{
    return runAgent(run.home(), {"peers", run.folderText()}, text).status;
}

size_t roundsIn(const AgentRun& run)
{
    return static_cast<size_t>(std::ranges::count_if(
        run.events(), [](const QJsonObject& event) { return event["state"] == "round"; }));
}

} // namespace

class ExchangeAgentsTest : public QObject {
    Q_OBJECT

  private slots:
    void noSocketUnlessRequested()
    {
        AgentRun run(hostPlan({shell("sleep 600")}));
        QCOMPARE(run.start().status, 0);
        run.waitFor([](const QJsonObject& event) { return event["kind"] == "gpu"; });
        QCOMPARE(ofKind(run.events(), "clock_exchange").size(), 0);
        const QString fds = QString("/proc/%1/fd").arg(run.supervisor());
        QProcess look;
        look.start("sh", {"-c", "ls -l " + fds + " | grep -c socket:"});
        QVERIFY(look.waitForFinished(kPatience_ms));
        QCOMPARE(look.readAllStandardOutput().trimmed(), QByteArray("0"));
    }

    void badPeersAreRefused()
    {
        AgentRun run(exchangingPlan());
        QCOMPARE(run.start().status, 0);
        QVERIFY(listening(run)["port"].toInt() > 0);
        const AgentAnswer bad = runAgent(run.home(), {"peers", run.folderText()},
                                         R"({"token":"ffeeddccbbaa99887766554433221100"})");
        QCOMPARE(bad.status, 1);
        QVERIFY(!bad.errors.contains("ffeedd"));
        QCOMPARE(tellPeers(run, peersText(0, {})), 0);
        const auto file = run.folder() / "clock_peers.json";
        QCOMPARE(std::filesystem::status(file).permissions(),
                 std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
        QCOMPARE(run.stop({"--grace", "0"}).status, 0);
        QVERIFY(!std::filesystem::exists(file)); // the token is removed with the run
        QFile events(QString::fromStdString((run.folder() / "events.jsonl").string()));
        QVERIFY(events.open(QIODevice::ReadOnly));
        QVERIFY(!events.readAll().contains("00112233445566778899aabbccddeeff"));
    }

    void trueDifferencesAreWithinTheBounds();
};

void ExchangeAgentsTest::trueDifferencesAreWithinTheBounds()
{
    const Namespace other;
    if (!other.isThere()) QSKIP("network and time namespaces need root and a kernel that has them");
    AgentRun a(exchangingPlan()), b(exchangingPlan()), c(exchangingPlan());
    QCOMPARE(a.start().status, 0);
    QCOMPARE(c.start().status, 0);
    QProcess inside;
    inside.setProcessEnvironment(agentEnvironment(b.home()));
    inside.setWorkingDirectory(QString::fromStdString(b.home().string()));
    inside.start("ip",
                 other.words() + QStringList{"unshare", "--time", "--fork", "--monotonic",
                                             QString::number(kAhead_s), builtProgram("lockstep-agent"), "run",
                                             "--plan", "plan.json", "--run-dir", b.folderText(), "--detach"});
    QVERIFY(inside.waitForFinished(kPatience_ms) && inside.exitCode() == 0);
    const int port = listening(a)["port"].toInt();
    QVERIFY(port > 0 && listening(b)["port"].toInt() > 0 && listening(c)["port"].toInt() > 0);
    const SlowRelay relay(static_cast<uint16_t>(port));
    const auto head = [](const QString& address, int at) {
        return QJsonArray{QJsonObject{
            {"number", 0}, {"host", "a"}, {"port", at}, {"addresses", QJsonArray{"192.0.2.1", address}}}};
    };
    QCOMPARE(tellPeers(a, peersText(0, {})), 0);
    QCOMPARE(tellPeers(b, peersText(1, head(other.here(), port))), 0);
    QCOMPARE(tellPeers(c, peersText(2, head("127.0.0.1", relay.port()))), 0);
    QTRY_VERIFY(roundsIn(b) >= 7 && roundsIn(c) >= 7);
    const TempDir folder;
    Workspace workspace;
    for (const auto& [name, run] : {std::pair("a", &a), {"b", &b}, {"c", &c}}) {
        QCOMPARE(run->stop({"--grace", "0"}).status, 0);
        const auto file = folder.path() / (std::string(name) + ".events.jsonl");
        std::filesystem::copy_file(run->folder() / "events.jsonl", file);
        const auto report = readReport(file, Progress());
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        // Other programs that use this machine's ports may cause dropped datagrams, and a wall clock that is
        // steered in many small steps has more readings than are kept; nothing else is wrong.
        for (const QJsonObject& event : run->events()) {
            if (event["state"] != "dropped") continue;
            QCOMPARE(event["not_written"].toInt(), 0);
            qInfo("%s: %s", name, QJsonDocument(event).toJson(QJsonDocument::Compact).constData());
        }
        for (const ImportNote& note : (*report)->notes.all())
            QVERIFY2(note.kind == "clocks.dropped" || note.kind == "clocks.left_out" ||
                         !note.kind.starts_with("clocks."),
                     note.text.c_str());
        workspace.add(*report);
    }
    const HostClocks clocks(workspace);
    QCOMPARE(clocks.links().size(), size_t(2));
    for (const ClockLink& link : clocks.links()) {
        const bool isAhead = clocks.clocks()[link.from].host == "b";
        const auto true_ns = static_cast<int64_t>(isAhead ? -kAhead_s * 1e9 : 0);
        QCOMPARE(clocks.clocks()[link.to].host, std::string("a"));
        const OffsetRange range = link.tube.at(clocks.clocks()[link.from].path.points().back().raw_ns);
        qInfo("%s: half the least delay %.1f us, bound of the raw clocks %.1f us, off by %.1f us",
              isAhead ? "over a veth pair" : "behind the relay", double(link.leastDelay_ns) / 2e3,
              double(range.width_ns()) / 2e3,
              double((range.least_ns + range.greatest_ns) / 2 - true_ns) / 1e3);
        QVERIFY(range.least_ns <= true_ns && true_ns <= range.greatest_ns);
    }
    const Alignment alignment = alignReports(workspace, {});
    QVERIFY(alignment.exchange);
    for (const ReportKey key : workspace.keys()) {
        const ClockMap& map = alignment.map(key);
        QVERIFY(map.bound_ns);
        qInfo("%s", map.reason.c_str());
        for (const int part : {0, 1, 2}) { // all share one wall clock
            const TimeRange extent = workspace.report(key).extent;
            const TraceTime stamp{extent.begin.ns + (extent.end - extent.begin).ns / 2 * part};
            const TraceTime here =
                alignment.map(workspace.keys()[alignment.exchange->reference]).alignedFromTrace(stamp);
            QVERIFY(std::abs((map.alignedFromTrace(stamp) - here).ns) <= *map.bound_ns);
        }
    }
    qInfo("%s", alignment.basis.c_str());
    // Over a direct cable, with the first host gone before the others: only the clocks' own uncertainty
    // remains.
    QVERIFY2(*alignment.map(workspace.keys()[1]).bound_ns <= 100'000,
             alignment.map(workspace.keys()[1]).reason.c_str());
}

LOCKSTEP_TEST(ExchangeAgentsTest, "exchange_agents_test")
#include "exchange_agents_test.moc"
