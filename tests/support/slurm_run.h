// SPDX-License-Identifier: Apache-2.0
// SlurmRun is a login node over ssh with a Slurm, and a session of two tasks that write a trace per step to
// the disk of their node.
#pragma once

#include "tests/support/patience.h"
#include "tests/support/run_site.h"
#include "tests/support/slurm_site.h"

namespace lockstep::test {

class SlurmRun {
  public:
    // One task: two traces, named by the rank of the task. After its last step it waits while ~/hold exists.
    static constexpr std::string_view kTask = R"py(
import json, os, sys, time
rank = int(os.environ["SLURM_PROCID"])
os.makedirs(sys.argv[1], exist_ok=True)
for step in (1, 2):
    events = [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": i * 20, "dur": 9.5}
              for i in range(20)]
    name = "%s/rank%d_step%d.json" % (sys.argv[1], rank, step)
    with open(name + ".tmp", "w") as out:
        json.dump({"schemaVersion": 1, "baseTimeNanoseconds": time.time_ns(),
                   "distributedInfo": {"rank": rank, "world_size": 2}, "traceEvents": events}, out)
    os.rename(name + ".tmp", name)
    print("step:%d rank %d" % (step, rank), flush=True)
while os.path.exists(os.environ["HOME"] + "/hold"):
    time.sleep(0.05)
)py";

    explicit SlurmRun(const std::string& name, int nodes = 1, std::string settings = {})
        : m_site({"login"}), m_slurm(m_site.site().folder() / "slurm", nodes, std::move(settings))
    {
        if (!problem().empty()) return;
        m_site.node(0).setEnvironment("SLURM_CONF", m_slurm.configFile().string());
        m_site.node(0).write("task.py", kTask);
        SessionConfig& config = m_site.config();
        config.name = name;
        config.hosts.clear();
        config.launcher.kind = LauncherKind::slurm;
        config.launcher.loginNode = "node0";
        config.launcher.slurmOptions = {"--ntasks=2", "--ntasks-per-node=2", "--nodes=1"};
        config.command = {"python3", "task.py", disk().string()};
        config.savePath = disk().string();
    }

    // Returns why it cannot run here; empty if it can.
    const std::string& problem() const
    {
        return m_site.site().problem().empty() ? m_slurm.problem() : m_site.site().problem();
    }
    RunSite& site() { return m_site; }
    SlurmSite& slurm() { return m_slurm; }
    Launcher& launcher() { return m_site.config().launcher; }
    SshNode& login() { return m_site.node(0); }
    std::filesystem::path disk() const { return m_site.site().folder() / "node disk"; }
    QString queue(const QString& format = "%i") const
    {
        return QString::fromStdString(m_slurm.told("squeue", {"-h", "-o", format})).trimmed();
    }
    void hold() { login().write("hold", ""); }
    void release() { std::filesystem::remove(login().home() / "hold"); }
    // Makes the login node find a program of this name first; "$REAL" in the text is the path of the real
    // one.
    void replaceOnLogin(const std::string& name, std::string text)
    {
        const std::filesystem::path folder = m_site.site().folder() / "first in path";
        std::filesystem::create_directories(folder);
        const std::string real = "/usr/bin/" + name;
        for (size_t at = text.find("$REAL"); at != std::string::npos; at = text.find("$REAL"))
            text.replace(at, 5, real);
        std::ofstream(folder / name) << text;
        std::filesystem::permissions(folder / name, std::filesystem::perms::owner_all);
        login().setEnvironment("PATH", folder.string() + ":/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin");
    }
    // Returns the folder of the run on the login node or one of its nodes.
    std::filesystem::path runFolder(const QString& run, const std::string& host = "login@node0")
    {
        return login().home() / ".local/state/lockstep/agent-runs" / run.toStdString() / host;
    }

  private:
    mutable RunSite m_site;
    SlurmSite m_slurm;
};

// Returns the exit status of a run, and prints the output of the run if the status is not `wanted`.
inline int statusOf(LockstepProcess& process, int wanted = 0)
{
    const int status = process.waitForEnd();
    if (status != wanted) process.printOutput();
    return status;
}

// Waits until the login node, "node0", is in this state.
inline bool waitForState(LockstepProcess& process, const QString& state)
{
    return process.waitForLine(
        lineOf("host", "node0", [state](const QJsonObject& line) { return line["state"] == state; }));
}

inline bool waitForError(LockstepProcess& process, const QByteArray& text)
{
    return waitUntil([&] { return process.errors().contains(text); });
}

// Matches a line of the output of the job.
inline auto lineWithText(const char* text)
{
    return lineOf("stdout", "node0",
                  [text](const QJsonObject& line) { return line["text"].toString().contains(text); });
}

} // namespace lockstep::test

// Skips the test with the reason if there is no sshd or no Slurm.
#define LOCKSTEP_NEED_SLURM(run)                                                                             \
    if (!(run).problem().empty()) QSKIP((run).problem().c_str())
