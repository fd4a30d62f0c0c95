// SPDX-License-Identifier: Apache-2.0
// RunSite is a set of nodes with the training program, and a session that runs it there: the common base of
// run tests.
#pragma once

#include <string>
#include <vector>

#include <unistd.h>

#include "core/session/session_yaml.h"
#include "tests/support/lockstep_process.h"
#include "tests/support/ssh_site.h"
#include "tests/support/train_program.h"

namespace lockstep::test {

// Returns where an agent stores its runs below a home folder that many machines share.
inline std::filesystem::path localAgentFolder()
{
    return "/var/tmp/lockstep-" + std::to_string(::getuid());
}

class RunSite {
  public:
    // One home folder per node; ranks 2 n and 2 n + 1 run on node n.
    explicit RunSite(const std::vector<std::string>& homes, int steps = 2) : m_site(homes)
    {
        m_config.name = "three nodes";
        m_config.framework = Framework::plain;
        m_config.launcher.kind = LauncherKind::ssh;
        m_config.command = {"python3", "train.py", std::to_string(steps)};
        m_config.savePath = "reports";
        for (size_t i = 0; i < m_site.size(); ++i) {
            m_site.node(i).write("train.py", kTrainProgram);
            m_site.node(i).write("first_rank", std::to_string(2 * i));
            m_config.hosts.push_back({m_site.node(i).alias(), "", {}, {}, ""});
        }
    }

    SshSite& site() { return m_site; }
    SshNode& node(size_t index) { return m_site.node(index); }
    SessionConfig& config() { return m_config; }
    // The program stops after that step on that node until release().
    void hold(size_t node, int step) { m_site.node(node).write("hold_" + std::to_string(step), ""); }
    void release(size_t node, int step)
    {
        std::filesystem::remove(m_site.node(node).home() / ("hold_" + std::to_string(step)));
    }
    std::filesystem::path workspace() const { return m_site.folder() / "out" / "run.lockstep"; }

    LockstepProcess run(const QStringList& more = {})
    {
        const auto file = m_site.folder() / "session.yaml";
        if (!saveSession(m_config, file)) qFatal("cannot write the session");
        return LockstepProcess(m_site.environment(),
                               QStringList{"--run", QString::fromStdString(file.string()), "-o",
                                           QString::fromStdString(workspace().string())} +
                                   more);
    }
    LockstepProcess attach(const QString& run, const QStringList& more = {})
    {
        return LockstepProcess(m_site.environment(), QStringList{"--attach", run} + more);
    }

  private:
    SshSite m_site;
    SessionConfig m_config;
};

// Matches a line of that kind and host.
inline LockstepProcess::Match lineOf(const QString& kind, const QString& host,
                                     std::function<bool(const QJsonObject&)> more = {})
{
    return [kind, host, more](const QJsonObject& line) {
        return line["kind"] == kind && line["host"] == host && (!more || more(line));
    };
}

} // namespace lockstep::test

// Skips the test with the reason if no sshd can be started.
#define LOCKSTEP_NEED_SITE(site)                                                                             \
    if (!(site).site().problem().empty()) QSKIP((site).site().problem().c_str())
