// SPDX-License-Identifier: Apache-2.0
#include "app/run/run_command.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <sstream>

#include <QCoreApplication>
#include <QSocketNotifier>
#include <unistd.h>

#include "app/cli/console.h"
#include "app/cli/export_command.h"
#include "app/cli/interrupt.h"
#include "app/run/demo_run.h"
#include "app/run/exit_watchdog.h"
#include "app/run/run_lines.h"
#include "app/run/run_output.h"
#include "core/remote/collector.h"
#include "core/remote/host_probe.h"
#include "core/session/preflight.h"
#include "core/session/secrets.h"
#include "core/session/session_yaml.h"

namespace lockstep {

namespace fs = std::filesystem;

namespace {

// Returns the message without the host name at its beginning.
std::string_view withoutName(std::string_view host, std::string_view message)
{
    const size_t prefix = host.size() + 2;
    const bool isNamed = message.starts_with(host) && message.substr(host.size()).starts_with(": ");
    return isNamed ? message.substr(prefix) : message;
}

std::string withHost(const std::string& host, std::string_view message)
{
    return host + ": " + std::string(withoutName(host, message));
}

class RunCommand : public QObject {
    Q_OBJECT

  public:
    // demo: run instead of the session on the command line; must outlive this object.
    RunCommand(const CommandLine& line, const Workers& workers, const DemoRun* demo = nullptr)
        : m_line(line), m_workers(workers), m_demo(demo), m_console(line.isQuiet, line.isVerbose),
          m_lines(demo == nullptr && ::isatty(STDOUT_FILENO) != 1)
    {
        auto* const wake = new QSocketNotifier(m_interrupt.wakeFile(), QSocketNotifier::Read, this);
        connect(wake, &QSocketNotifier::activated, this, [this, wake] {
            wake->setEnabled(false);
            interrupt();
        });
    }

    // Starts the command. Called from the event loop, which ends with the exit status.
    void begin()
    {
        const Status begun = m_line.task == Task::stop     ? stop()
                             : m_line.task == Task::attach ? attach()
                                                           : prepare();
        if (!begun) leaveWith(begun.error());
    }

  private:
    Status prepare()
    {
        m_options = LOCKSTEP_TRY(options());
        LOCKSTEP_TRY(checkRunOutput(m_demo != nullptr      ? m_demo->workspace()
                                    : m_line.output != "-" ? fs::absolute(m_line.output)
                                                           : fs::absolute("lockstep-run.lockstep")));
        m_config = m_demo != nullptr ? m_demo->session() : LOCKSTEP_TRY(loadSession(m_line.session));
        LaunchPlan plan = LOCKSTEP_TRY(planLaunch(m_config, {}));
        if (m_demo != nullptr)
            m_demo->adapt(
                plan); // so that the checks inspect the folders of the demo's hosts, not the current folder
        LOCKSTEP_TRY(checkSecretValues());
        m_console.notice("checking hosts: " + std::to_string(plan.hosts.size()));
        m_probe = new HostProbe(m_config, plan, m_options, this);
        connect(m_probe, &HostProbe::hostDone, this,
                [this](size_t done, size_t total) { m_console.progress("hosts checked:", done, total); });
        connect(m_probe, &HostProbe::hostWaits, this,
                [this](const std::string& host, const std::string& text) {
                    m_console.notice(host + ": " + text);
                });
        connect(m_probe, &HostProbe::finished, this, [this] {
            m_console.clearProgress();
            const Status launched = launch();
            if (!launched) leaveWith(launched.error());
        });
        return {};
    }

    Status attach()
    {
        m_options = LOCKSTEP_TRY(options());
        const RunRecord record = LOCKSTEP_TRY(findRun(m_line.run));
        LOCKSTEP_TRY(checkRunOutput(m_line.output != "-"    ? fs::absolute(m_line.output)
                                    : record.output.empty() ? fs::absolute(record.id + ".lockstep")
                                                            : record.output));
        m_run = LOCKSTEP_TRY(Run::reopen(record, m_options));
        watch();
        return {};
    }

    double grace_s() const { return m_line.grace_s < 0 ? 30 : m_line.grace_s; }

    // Stops the run. If another lockstep process is watching the run, that process collects the reports.
    Status stop()
    {
        m_options = LOCKSTEP_TRY(options());
        m_options.giveUpLink_s = m_options.giveUpConnecting_s; // do not wait for an unreachable host
        const RunRecord record = LOCKSTEP_TRY(findRun(m_line.run));
        if (!RunLock::take(record)) return stopForAnother(record);
        LOCKSTEP_TRY(attach());
        m_run->stop(grace_s());
        return {};
    }

    Status stopForAnother(const RunRecord& record)
    {
        for (const HostRecord& host : record.hosts) {
            if (!host.wasStarted || !host.slurmNode.empty()) continue;
            auto* const client =
                new AgentClient(makeRemote(m_options, host.address), m_options.agent, this, host.agentFolder);
            client->setIdleTimeout(m_options.giveUpConnecting_s);
            connect(client, &AgentClient::waits, this, [this, name = host.host](const std::string& text) {
                m_console.notice(name + ": " + text);
            });
            ++m_unanswered;
            client->stop(host.runDir, grace_s(), [this, name = host.host](const Status& done) {
                if (!done) m_console.failure(withHost(name, done.error().message));
                m_isPart = m_isPart || !done;
                if (--m_unanswered == 0) leaveToAnother();
            });
        }
        if (m_unanswered == 0)
            return makeError(ErrorKind::notFound, "the run has not been started on any host yet");
        return {};
    }

    void leaveToAnother()
    {
        m_console.notice("stopped; the other lockstep process that is watching the run will collect its "
                         "reports");
        QCoreApplication::exit(m_isPart ? exitStatus::kPart : exitStatus::kComplete);
    }

    Status checkSecretValues()
    {
        const std::vector<std::string> missing =
            secretValues(m_config, [](const char* name) { return std::getenv(name); }).missing;
        if (missing.empty()) return {};
        const std::string text = missingSecretsText(missing);
        if (!m_line.isForced)
            return makeError(ErrorKind::invalid,
                             text + "; nothing was started. Use --force to run without them");
        m_console.failure(text + "; the run starts without them");
        return {};
    }

    // Prints each line of the findings as a separate message.
    void reportFindings(const Findings& findings)
    {
        m_console.notice("session checks:");
        std::istringstream lines(findingsText(findings));
        for (std::string line; std::getline(lines, line);) {
            if (!line.empty()) m_console.notice(line);
        }
    }

    Result<RunOptions> options() const
    {
        RunOptions options;
        options.ssh = sshOptionsFromEnvironment();
        options.agent = LOCKSTEP_TRY(findAgentProgram());
        options.startsWithoutSecrets = m_line.isForced;
        if (m_line.patience_s > 0) {
            options.giveUpConnecting_s = m_line.patience_s;
            options.ssh.connectTimeout_s = std::min(options.ssh.connectTimeout_s, m_line.patience_s);
        }
        return options;
    }

    Status launch()
    {
        for (const UnansweredProbe& host : m_probe->unanswered()) {
            m_console.failure(withHost(host.host, host.error.message));
        }
        for (const ProbeNote& note : m_probe->notes())
            m_console.notice(note.host + ": " + note.text);
        const std::vector<HostFacts> facts = m_probe->facts();
        if (facts.empty()) {
            return makeError(ErrorKind::remote, "no host could be reached; nothing was started",
                             HelpTopic::unresponsiveHost);
        }
        if (!m_probe->unanswered().empty() && !m_line.isForced) {
            return makeError(
                ErrorKind::remote,
                std::to_string(m_probe->unanswered().size()) + " of " +
                    std::to_string(m_probe->unanswered().size() + facts.size()) +
                    " hosts did not respond; nothing was started. Use --force to start the run on the others",
                HelpTopic::unresponsiveHost);
        }
        LaunchPlan plan = LOCKSTEP_TRY(planLaunch(m_config, facts));
        if (m_demo != nullptr) m_demo->adapt(plan);
        Findings findings = preflight(m_config, plan, facts);
        if (m_line.isStrict) makeStrict(findings);
        // For the demo, omit the warning that all hosts are the same machine.
        if (m_demo != nullptr)
            std::erase_if(findings, [](const Finding& one) { return one.severity != Severity::error; });
        if (!findings.empty()) reportFindings(findings);
        if (hasErrors(findings) && !m_line.isForced) {
            return makeError(
                ErrorKind::invalid,
                "the checks found errors; nothing was started. Fix them, or use --force to run anyway",
                HelpTopic::sessionChecks);
        }
        m_run = LOCKSTEP_TRY(Run::create(m_config, plan, facts, m_options));
        watch();
        return {};
    }

    void watch()
    {
        Run& run = *m_run;
        if (m_demo != nullptr) {
            run.setOutput(m_demo->workspace());
        } else if (m_line.output != "-") {
            run.setOutput(fs::absolute(m_line.output));
        } else if (run.record().output.empty()) {
            run.setOutput(fs::absolute(run.record().id + ".lockstep"));
        }
        connect(&run, &Run::hostChanged, this, [this](size_t host) {
            m_lines.host(m_run->hosts()[host]);
            noticeJob(m_run->hosts()[host]);
        });
        connect(&run, &Run::hostWaits, this, [this](size_t host, const std::string& text) {
            m_console.notice(m_run->hosts()[host].host + ": " + text);
        });
        connect(&run, &Run::eventArrived, this, [this](size_t host, const RunEvent& event) {
            if (!m_line.isQuiet) m_lines.event(m_run->hosts()[host].host, event);
        });
        connect(&run, &Run::stateChanged, this, [this] { m_lines.run(*m_run); });
        connect(&run, &Run::ended, this, &RunCommand::collect);
        run.begin();
    }

    // Prints changes of the job's state. How a job ended is printed with the failures at the end.
    void noticeJob(const HostStatus& host)
    {
        if (!host.job || isFinal(host.state) || host.state == HostState::linkLost) return;
        const std::string sentence = jobSentence(*host.job);
        if (sentence == m_jobNoticed || host.job->phase == JobPhase::ended) return;
        m_jobNoticed = sentence;
        m_console.notice(host.host + ": " + sentence);
    }

    void collect()
    {
        CollectOptions options;
        options.folder = collectionFolderFor(m_run->record().output);
        if (m_line.isReduced) options.mode = CollectMode::reduced;
        m_collector = new Collector(*m_run, options, this);
        connect(m_collector, &Collector::fileDone, this, [this](size_t entry) {
            m_lines.file(m_run->ledger().entries()[entry]);
            m_console.progress("reports collected:", m_collector->progress().filesDone,
                               m_collector->progress().files);
        });
        connect(m_collector, &Collector::finished, m_run.get(), &Run::releaseNodes);
        connect(m_run.get(), &Run::nodesReleased, this, &RunCommand::finish);
        m_collector->begin();
    }

    void finish()
    {
        if (m_isInterrupted) return;
        m_console.clearProgress();
        m_lines.ledger(m_run->ledger());
        const Progress progress(m_interrupt.stopToken(), {}, m_workers);
        const auto written =
            writeRunWorkspace(m_run->record(), m_run->ledger(), m_run->record().output, progress);
        if (!written) return leaveWith(withWayOut(written.error()));
        m_lines.workspace(m_run->record().output, *written);
        if (!written->backup.empty())
            m_console.notice("saved the previous workspace as " + written->backup.string());
        if (const std::string shared = sharedText(m_run->ledger()); !shared.empty()) m_console.notice(shared);
        bool isPart = !written->problems.empty();
        for (const Error& problem : written->problems)
            m_console.failure(problem.message);
        for (const std::string& note : m_collector->notes()) {
            isPart = true;
            m_console.failure(note);
        }
        for (const std::string& shortfall : shortfalls(m_run->ledger())) {
            isPart = true;
            m_console.failure(shortfall);
        }
        if (const std::string stray = notCollectedText(m_run->ledger()); !stray.empty())
            m_console.notice(stray);
        for (const HostStatus& host : m_run->hosts())
            isPart = reportShortfalls(host) || isPart;
        for (const auto& [host, count] : m_run->ledger().excluded()) {
            isPart = true;
            m_console.failure(
                host + ": unexpected reports not listed in the collection status: " + std::to_string(count) +
                "; the limit is " + std::to_string(Ledger::kMaxFoundOfHost) + " per host");
        }
        if (const std::string& problem = m_lines.problem(); !problem.empty()) {
            isPart = true;
            m_console.failure(problem);
        }
        QCoreApplication::exit(isPart ? exitStatus::kPart : exitStatus::kComplete);
    }

    // Prints the problems on a host. Returns true if the host did not end successfully or part of its data
    // was not used.
    bool reportShortfalls(const HostStatus& host)
    {
        bool isPart = host.state != HostState::ended;
        if (isPart && !host.endedWithJob)
            m_console.failure(host.host + ": " + std::string(hostStateName(host.state)) + ": " +
                              std::string(withoutName(host.host, host.reason)));
        for (const RunProblem& problem : host.problems) {
            if (problem.word != kSkippedProblem && !costsReports(problem)) continue;
            isPart = true;
            m_console.failure(host.host + ": " + problem.text);
        }
        return isPart;
    }

    // Adds a remedy to the error. The remedy is to write the workspace again, because the reports are still
    // on this machine or on the hosts.
    Error withWayOut(Error error) const
    {
        if (m_demo == nullptr && error.kind != ErrorKind::canceled) {
            error.message += "; lockstep --attach " + m_run->record().id +
                             " -o OTHER_FILE collects the run again and writes the workspace to another file";
        }
        return error;
    }

    // Handles Ctrl-C: stops watching. The run continues on its hosts.
    void interrupt()
    {
        m_isInterrupted = true;
        if (m_collector != nullptr) m_collector->cancel();
        if (m_run) {
            m_run->detach();
            m_console.failure(m_demo != nullptr
                                  ? "interrupted; the demo was stopped"
                                  : "interrupted; the run continues on its hosts. lockstep --attach " +
                                        m_run->record().id + " resumes watching it");
        }
        QCoreApplication::exit(exitStatus::kInterrupted);
    }

    void leaveWith(const Error& error)
    {
        m_console.clearProgress();
        m_console.failure(error.message);
        const bool wasInterrupted = error.kind == ErrorKind::canceled && m_interrupt.wasRequested();
        QCoreApplication::exit(wasInterrupted ? exitStatus::kInterrupted : exitStatus::kNothing);
    }

    const CommandLine& m_line;
    const Workers m_workers;
    const DemoRun* const m_demo;
    Console m_console;
    Interrupt m_interrupt;
    RunLines m_lines;
    RunOptions m_options;
    SessionConfig m_config;
    HostProbe* m_probe = nullptr;
    std::unique_ptr<Run> m_run;
    Collector* m_collector = nullptr;
    size_t m_unanswered =
        0; // number of stop requests without a response, for a run that another lockstep process watches
    std::string m_jobNoticed; // sentence about the run's job
    bool m_isPart = false;
    bool m_isInterrupted = false;
};

} // namespace

namespace {

int runToItsEnd(int argc, char** argv, const CommandLine& line, const Workers& workers, const DemoRun* demo)
{
    std::optional<ExitWatchdog> leave;
    QCoreApplication application(argc, argv);
    RunCommand command(line, workers, demo);
    QMetaObject::invokeMethod(&command, &RunCommand::begin, Qt::QueuedConnection);
    const int status = QCoreApplication::exec();
    if (demo == nullptr) leave.emplace(status);
    return status;
}

} // namespace

int runHeadless(int argc, char** argv, const CommandLine& line, const Workers& workers)
{
    return runToItsEnd(argc, argv, line, workers, nullptr);
}

int runDemo(int argc, char** argv, const CommandLine& line, const Workers& workers, const DemoRun& demo)
{
    return runToItsEnd(argc, argv, line, workers, &demo);
}

} // namespace lockstep

#include "app/run/run_command.moc"
