// SPDX-License-Identifier: Apache-2.0
// Tests 64 hosts at the same time: aliases over four sshds, each with its own connection, agent run and six
// reports.
#include <sys/resource.h>

#include <fstream>

#include <QElapsedTimer>

#include "app/run/run_workspace.h"
#include "core/remote/collector.h"
#include "core/session/launch_plan.h"
#include "tests/support/run_site.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr size_t kHosts = 64;

// Writes six traces into the folder of the run, because hosts that share a home folder must not share the
// traces.
constexpr std::string_view kProgram = R"py(
import json, os, sys, time
host = sys.argv[1]
os.makedirs("reports-" + host, exist_ok=True)
for rank in range(6):
    events = [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": i * 20, "dur": 9.5}
              for i in range(50)]
    name = "reports-%s/rank%d.json" % (host, rank)
    with open(name + ".tmp", "w") as out:
        json.dump({"schemaVersion": 1, "baseTimeNanoseconds": time.time_ns(),
                   "distributedInfo": {"rank": rank, "world_size": 6}, "traceEvents": events}, out)
    os.rename(name + ".tmp", name)
)py";

// The processes below this one and their resident bytes, including this one.
struct Tree {
    size_t processes = 0;
    int64_t resident_bytes = 0;
};

int64_t statusNumber(const std::string& pid, const std::string& key)
{
    std::ifstream file("/proc/" + pid + "/status");
    std::string word;
    while (file >> word) {
        int64_t value = 0;
        if (word == key && file >> value) return value;
    }
    return 0;
}

Tree measureTree()
{
    Tree tree;
    std::map<int64_t, std::vector<std::string>> children;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
        const std::string pid = entry.path().filename().string();
        if (pid.find_first_not_of("0123456789") == std::string::npos)
            children[statusNumber(pid, "PPid:")].push_back(pid);
    }
    std::vector<std::string> open{std::to_string(::getpid())};
    while (!open.empty()) {
        const std::string pid = open.back();
        open.pop_back();
        ++tree.processes;
        tree.resident_bytes += statusNumber(pid, "VmRSS:") * 1024;
        const auto& below = children[std::stoll(pid)];
        open.insert(open.end(), below.begin(), below.end());
    }
    return tree;
}

} // namespace

class ManyHostsTest : public QObject {
    Q_OBJECT

  private slots:
    void launchAndCollect()
    {
        SshSite site({"h0", "h1", "h2", "h3"});
        if (!site.problem().empty()) QSKIP(site.problem().c_str());
        qputenv("LOCKSTEP_STATE_HOME", QByteArray::fromStdString((site.folder() / "state").string()));
        SessionConfig config;
        config.name = "many";
        config.framework = Framework::plain;
        config.launcher.kind = LauncherKind::ssh;
        for (size_t node = 0; node < 4; ++node) {
            std::vector<std::string> aliases;
            for (size_t i = node; i < kHosts; i += 4)
                aliases.push_back("host" + std::to_string(i));
            site.addAliases(node, aliases);
            site.node(node).write("six.py", kProgram);
        }
        for (size_t i = 0; i < kHosts; ++i)
            config.hosts.push_back({"host" + std::to_string(i), "", {}, {}, ""});
        config.command = {"python3", "six.py", "HOST"};
        RunOptions options;
        options.ssh = site.options();
        options.ssh.connectTimeout_s = 30;
        options.agent = *findAgentProgram();
        auto plan = planLaunch(config, {});
        QVERIFY(plan.has_value());
        // Each host has its own folder in place of its own disk.
        for (HostPlan& host : plan->hosts) {
            host.commands.back().argv.back() = host.host;
            host.reportFolders = {"reports-" + host.host};
        }
        config.savePath = "no-such-folder";
        QElapsedTimer timer;
        timer.start();
        auto created = Run::create(config, *plan, {}, options);
        QVERIFY(created.has_value());
        Run& run = **created;
        Tree most;
        QTimer sampling;
        connect(&sampling, &QTimer::timeout, this, [&] {
            const Tree now = measureTree();
            most.processes = std::max(most.processes, now.processes);
            most.resident_bytes = std::max(most.resident_bytes, now.resident_bytes);
        });
        sampling.start(500);
        run.begin();
        QVERIFY(waitUntil([&] { return run.state() == RunState::ended; }));
        const double launched_s = double(timer.elapsed()) / 1e3;
        for (const HostStatus& host : run.hosts())
            QVERIFY2(host.state == HostState::ended, (host.host + ": " + host.reason).c_str());
        CollectOptions requested;
        requested.folder = site.folder() / "collected";
        Collector collector(run, requested);
        bool isCollected = false;
        connect(&collector, &Collector::finished, this, [&] { isCollected = true; });
        collector.begin();
        QVERIFY(waitUntil([&] { return isCollected; }));
        const double all_s = double(timer.elapsed()) / 1e3;
        sampling.stop();
        rusage usage{};
        ::getrusage(RUSAGE_SELF, &usage);
        QCOMPARE(run.ledger().counts()[static_cast<size_t>(LedgerState::verified)], kHosts * 6);
        qInfo("64 hosts: connected, launched and ended in %.1f s, 384 files collected and verified after "
              "%.1f s; at "
              "most %zu processes of ours (ssh included), %.0f MB resident together, %.0f MB this process",
              launched_s, all_s, most.processes, double(most.resident_bytes) / 1e6,
              double(usage.ru_maxrss) / 1e3);
        QVERIFY(most.processes < 300);
    }
};

LOCKSTEP_TEST(ManyHostsTest, "many_hosts_test")
#include "many_hosts_test.moc"
