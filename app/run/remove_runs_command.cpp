// SPDX-License-Identifier: Apache-2.0
#include "app/run/remove_runs_command.h"

#include <cstdio>
#include <deque>

#include <QCoreApplication>

#include "app/cli/console.h"
#include "app/cli/export_command.h"
#include "core/base/text.h"
#include "core/remote/clock_exchange.h"
#include "core/remote/host_probe.h"
#include "core/remote/run_pruning.h"

namespace lockstep {

namespace {

constexpr double kUsualDays = 30;

// RemoveRuns handles one run and one host at a time, because speed does not matter here.
class RemoveRuns : public QObject {
    Q_OBJECT

  public:
    explicit RemoveRuns(const CommandLine& line) : m_line(line), m_console(line.isQuiet, line.isVerbose) {}

    // Starts the removal. Called from the event loop, which ends with the exit status.
    void begin()
    {
        const double days = m_line.olderThan_days < 0 ? kUsualDays : m_line.olderThan_days;
        for (RunRecord& record : knownRuns()) {
            if (!isOlderThan(record, days, epochNow_ns())) continue;
            if (isRunOver(record) || m_line.isForced) { // agents refuse to remove a run that has not ended
                m_runs.push_back(std::move(record));
            } else {
                m_console.notice(
                    record.id +
                    ": kept, because its hosts have not reported its end; run lockstep --attach " +
                    record.id + " to query them, or use --force to check only whether it still runs");
            }
        }
        if (m_runs.empty()) {
            m_console.notice("no ended run is older than " + numberText(days) + " days");
            return QCoreApplication::exit(exitStatus::kComplete);
        }
        auto agent = findAgentProgram();
        if (!agent) {
            m_console.failure(agent.error().message);
            return QCoreApplication::exit(exitStatus::kNothing);
        }
        m_options.ssh = sshOptionsFromEnvironment();
        m_options.agent = *std::move(agent);
        if (m_line.patience_s > 0) m_options.giveUpConnecting_s = m_line.patience_s;
        nextRun();
    }

  private:
    static std::string numberText(double days)
    {
        std::string text = std::to_string(days);
        text.erase(text.find_last_not_of('0') + 1);
        if (text.back() == '.') text.pop_back();
        return text;
    }

    void nextRun()
    {
        if (m_runs.empty()) return finish();
        m_hosts.clear();
        for (const HostRecord& host : m_runs.front().hosts) {
            if (host.wasStarted) m_hosts.push_back(host);
        }
        m_onHosts_bytes = 0;
        m_hasFailed = false;
        nextHost();
    }

    void nextHost()
    {
        if (m_hosts.empty()) return removeHere();
        const HostRecord host = m_hosts.front();
        m_hosts.pop_front();
        auto* const client =
            new AgentClient(makeRemote(m_options, host.address), m_options.agent, this, host.agentFolder);
        client->setIdleTimeout(m_options.giveUpConnecting_s);
        connect(client, &AgentClient::waits, this,
                [this, name = host.host](const std::string& text) { m_console.notice(name + ": " + text); });
        client->remove(host.runDir, [this, client, name = host.host](const Result<int64_t>& removed_bytes) {
            client->deleteLater();
            if (removed_bytes) {
                m_onHosts_bytes += *removed_bytes;
            } else {
                m_hasFailed = true;
                m_console.failure(m_runs.front().id + ": could not be removed on " + name + ": " +
                                  removed_bytes.error().message);
            }
            nextHost();
        });
    }

    void removeHere()
    {
        const RunRecord record = std::move(m_runs.front());
        m_runs.pop_front();
        const bool isKept = m_hasFailed && !m_line.isForced;
        m_isPart = m_isPart || m_hasFailed;
        const auto here_bytes = static_cast<int64_t>(storedBytes(record));
        if (isKept) {
            m_console.failure(
                record.id +
                ": kept on this machine; use --force to remove it even though a host still has its folder");
        } else if (const Status removed = removeStoredRun(record); !removed) {
            m_isPart = true;
            m_console.failure(removed.error().message);
        } else {
            ++m_removed;
            m_removed_bytes += here_bytes + m_onHosts_bytes;
            std::printf("%s\n", printable("removed " + record.id + ": " + byteText(here_bytes) +
                                          " on this machine, " + byteText(m_onHosts_bytes) + " on its hosts")
                                    .c_str());
            std::fflush(stdout);
        }
        // Queued, so that the stack does not grow with the number of runs.
        QMetaObject::invokeMethod(this, &RemoveRuns::nextRun, Qt::QueuedConnection);
    }

    void finish()
    {
        m_console.notice("removed " + std::to_string(m_removed) + (m_removed == 1 ? " run, " : " runs, ") +
                         byteText(m_removed_bytes));
        QCoreApplication::exit(m_isPart ? exitStatus::kPart : exitStatus::kComplete);
    }

    const CommandLine& m_line;
    Console m_console;
    RunOptions m_options;
    std::deque<RunRecord> m_runs;
    std::deque<HostRecord> m_hosts; // remaining hosts of the first run in the queue
    int64_t m_onHosts_bytes = 0, m_removed_bytes = 0;
    size_t m_removed = 0;
    bool m_hasFailed = false, m_isPart = false;
};

} // namespace

int removeRuns(int argc, char** argv, const CommandLine& line)
{
    QCoreApplication application(argc, argv);
    RemoveRuns command(line);
    QMetaObject::invokeMethod(&command, &RemoveRuns::begin, Qt::QueuedConnection);
    return QCoreApplication::exec();
}

} // namespace lockstep

#include "app/run/remove_runs_command.moc"
