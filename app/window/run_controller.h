// SPDX-License-Identifier: Apache-2.0
// RunController controls the run of a window: it queries the hosts, launches the run or attaches to one,
// stops watching, fetches reports and writes the workspace at the end. A RunPage and signals show its state.
// The controller owns the Run; if the controller is destroyed, the run continues on its hosts. UI thread;
// never blocks.
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>

#include <QObject>

#include "app/run/run_workspace.h"
#include "app/window/created_run.h"
#include "core/remote/collector.h"
#include "core/remote/dry_run.h"
#include "core/remote/host_probe.h"
#include "ui/async/latest_job.h"
#include "ui/run/run_list.h"
#include "ui/run/side_cards.h"

namespace lockstep {

class RunPage;

// launched and attached: run() is the new run. detached: watching was stopped; the run continues.
enum class RunChange { launched, attached, detached };

class RunController : public QObject {
    Q_OBJECT

  public:
    // Returns the options for reaching hosts, and the agent program to install on them. Error: notFound (no
    // agent program).
    using MakeOptions = std::function<Result<RunOptions>()>;

    // By default, makeOptions reads the environment. `page` outlives the controller.
    RunController(RunPage& page, const Workers& workers, MakeOptions makeOptions = {},
                  QObject* parent = nullptr);
    ~RunController() override;

    Run* run() const { return m_run.get(); }
    // Sets extra ssh options (quoted as in a shell) and a file for ssh -F, in addition to those of the
    // environment. The options apply to hosts that are queried after the call.
    void setSsh(const QString& words, const QString& configFile);
    // Returns true while hosts are queried, files fetched or the workspace written.
    bool isBusy() const;

    // Queries all hosts of the session. Emits hostsQueried(), and refused() with the hosts that did not
    // respond.
    void checkHosts(const SessionConfig& config);
    // Runs the script of the session on its hosts without the training. Calls `done` with what was recorded
    // and, one message per host, with what failed; emits refused() if nothing was started.
    using ScriptResolved =
        std::function<void(const std::vector<RecordedLaunch>&, const std::vector<std::string>& problems)>;
    void resolveScript(const SessionConfig& config, const std::vector<HostFacts>& facts, ScriptResolved done);
    // Ends the queries that were started by checkHosts() or launch(). Nothing that they found is reported;
    // connections are closed. A launch that waits for them is refused.
    void cancelQueries();
    // Queries the hosts, runs the session checks and launches. Emits runChanged(), or refused() if nothing
    // was started. If isForced is true, launches despite failed checks.
    void launch(const SessionConfig& config, bool isForced);
    // LaunchOptions holds the options for one launch.
    struct LaunchOptions {
        AdaptPlan adapt;              // changes the plan; may be empty
        std::filesystem::path output; // workspace file; if empty, it is written to the folder of the run
        bool opensAtEnd = false;      // fetch and open the reports, regardless of the page's options
        std::function<void(const QString&, HelpTopic)> rollBack; // called instead of refused()
    };
    void launch(const SessionConfig& config, bool isForced, LaunchOptions requested);
    // Sets the values of secrets that neither the session nor the environment contains. The values are kept
    // in memory only.
    void provideSecrets(const TextPairs& values);
    const TextPairs& providedSecrets() const { return m_secrets; }
    // Attaches to a run; `id`: same syntax as for findRun(). The run's record is read off the UI thread. A
    // newer call replaces an older one.
    void attach(const QString& id);
    // Stops watching; the run continues on its hosts. Clears the page.
    void stopWatching();
    // Fetches the given entries, or all available reports if `entries` is empty.
    void fetch(const std::set<size_t>& entries, CollectMode mode);
    // Fetches the complete reports and writes the workspace. Emits workspaceWritten().
    void openResults();
    // Refreshes the list of known runs. Emits runsListed().
    void listRuns();

  signals:
    // Emitted with the progress of the preparations for a launch; an empty string when they are finished.
    void preparing(const QString& text);
    // Emitted after all hosts were queried, with the hosts that responded and those that did not; not for a
    // plan that was adapted.
    void hostsQueried(const std::vector<lockstep::HostFacts>& facts,
                      const std::vector<lockstep::UnansweredProbe>& unanswered);
    // canForce: launching with isForced may succeed. help: the help topic that explains the reason.
    void refused(const QString& reason, bool canForce, lockstep::HelpTopic help);
    // Emitted if nothing was started because these secrets have no value. Call provideSecrets() and launch
    // again.
    void secretsRequired(const std::vector<std::string>& names, bool isForced);
    void runChanged(lockstep::RunChange change);
    void runsListed(const std::vector<lockstep::KnownRun>& runs);
    // isRequested: the user requested the results. Otherwise they were collected because the run ended.
    void workspaceWritten(const std::filesystem::path& path, bool isRequested);
    // Emitted when a watched run has ended, before its reports are collected. `notifies`: the user requested
    // a desktop notification, and the run ended while it was watched.
    void runEnded(bool notifies);

  private:
    bool isPreparing() const;
    void handleReopened(const Result<CreatedRunPtr>& made);
    MakeOptions optionsMaker() const;
    std::vector<std::string> missingSecrets(const SessionConfig& config) const;
    void probe(const SessionConfig& config, bool isForced, bool launches);
    void refuse(const QString& reason, bool canForce, HelpTopic help);
    void refuse(const Error& error);
    EndOptions endOptions() const;
    void handleOptions(const Result<RunOptions>& options);
    void beginDryRun(const Result<RunOptions>& options);
    void handleProbe();
    void handleLaunched(const Result<CreatedRunPtr>& made);
    void watch(std::unique_ptr<Run> run);
    void handleEnd();
    void showNoReports();
    // What happens once the reports are on this machine.
    enum class AfterCollecting : uint8_t { nothing, open, openAsRequested };
    struct CollectRequest {
        std::set<size_t> entries; // of the ledger; empty for all
        CollectMode mode = CollectMode::whole;
        AfterCollecting then = AfterCollecting::nothing;
    };
    void collect(CollectRequest request);
    void handleCollected();
    void showCollected();
    void writeWorkspace(bool isRequested);
    std::filesystem::path output() const;
    void handleWritten(const Result<WrittenWorkspace>& written);
    void stopFetching();

    RunPage& m_page;
    MakeOptions m_makeOptions;
    std::vector<std::string> m_sshArguments;
    std::filesystem::path m_sshConfig;
    SessionConfig m_config;
    RunOptions m_options;
    TextPairs m_secrets; // typed by the user; never written to disk
    // m_isForced: as passed for the launch in preparation. m_launches: true if hosts are queried for a
    // launch.
    bool m_isForced = false, m_launches = false;
    LaunchOptions m_launchOptions,
        m_runLaunchOptions; // options of the launch in preparation, and of the watched run
    LatestJob<RunOptions> m_prepare;
    HostProbe* m_probe = nullptr;
    LatestJob<RunOptions> m_prepareDryRun;
    std::vector<HostFacts> m_dryRunFacts;
    ScriptResolved m_scriptResolved;
    std::unique_ptr<DryRun> m_dryRun;
    LatestJob<CreatedRunPtr> m_launch, m_reopen;
    std::unique_ptr<Run> m_run;
    bool m_endsWhileAttached = true; // false if the run had ended before it was attached
    Collector* m_collector = nullptr;
    CollectRequest m_collecting;              // what m_collector collects
    std::deque<CollectRequest> m_collectNext; // in order
    std::filesystem::path m_writing;
    bool m_isWritingRequested = false; // see workspaceWritten()
    LatestJob<std::vector<KnownRun>> m_list;
    LatestJob<WrittenWorkspace> m_write;
};

} // namespace lockstep
