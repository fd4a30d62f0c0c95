// SPDX-License-Identifier: Apache-2.0
// RunController: the run of a window: asks hosts, launches, attaches, lets go, fetches, and writes the
// workspace at the end. Shows itself through a RunPage and tells the rest by signals. It owns the Run; when
// it goes, the run goes on on its hosts. UI thread; nothing here blocks it.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <set>

#include <QObject>

#include "app/made_run.h"
#include "app/run_workspace.h"
#include "core/remote/collector.h"
#include "core/remote/host_probe.h"
#include "ui/async/latest_job.h"
#include "ui/run/run_list.h"
#include "ui/run/side_cards.h"

namespace lockstep {

class RunPage;

class RunController : public QObject {
    Q_OBJECT

  public:
    // How hosts are reached and which agent is put there. notFound: there is no agent program.
    using MakeOptions = std::function<Result<RunOptions>()>;

    // makeOptions: from the environment unless a test brings its own. page outlives this.
    RunController(RunPage& page, const Workers& workers, MakeOptions makeOptions = {},
                  QObject* parent = nullptr);
    ~RunController() override;

    Run* run() const { return m_run.get(); }
    // Beside what the environment says of ssh, from the next host that is asked on: further words, quoted as
    // in a shell, and a file for ssh -F.
    void setSsh(const QString& words, const QString& configFile);
    // A host is asked, a file fetched, the workspace written.
    bool isBusy() const;

    // Asks every host of the session what it has: factsArrived(), or refused() naming who did not answer.
    void checkHosts(const SessionConfig& config);
    // The same, then the checks, then the launch: launched(), or refused() with nothing started. isForced
    // launches whatever was found.
    void launch(const SessionConfig& config, bool isForced);
    // What one launch wants beside its session.
    struct Wish {
        AdaptPlan adapt;                              // no change where empty
        std::filesystem::path output;                 // the workspace; where empty it lies with the run
        bool opensAtEnd = false;                      // whatever the page's options say
        std::function<void(const QString&)> takeBack; // instead of refused()
    };
    void launch(const SessionConfig& config, bool isForced, Wish wish);
    // Values for secrets that neither the session nor the environment has; kept while this lives.
    void giveSecrets(const TextPairs& values);
    const TextPairs& givenSecrets() const { return m_secrets; }
    // id as findRun() takes it. What is kept of the run is read off the UI thread; the newest wish counts.
    void attach(const QString& id);
    // Nothing is stopped; the page is empty then.
    void letGo();
    // entries empty: everything that can be had.
    void fetch(const std::set<size_t>& entries, CollectMode mode);
    // Fetches what is complete and writes the workspace: workspaceWritten().
    void openResults();
    // Looks for runs again: runsListed().
    void listRuns();

  signals:
    // What is being waited for before the launch; empty when it is over.
    void preparing(const QString& text);
    void factsArrived(const std::vector<lockstep::HostFacts>& facts);
    // canForce: launching all the same may work.
    void refused(const QString& reason, bool canForce);
    // Nothing was started: these have no value. giveSecrets() and launch again.
    void secretsWanted(const std::vector<std::string>& names, bool isForced);
    void launched();
    void letGoOf();  // of the run that was watched; it goes on
    void attached(); // run() is the one that was asked for
    void runsListed(const std::vector<lockstep::KnownRun>& runs);
    void workspaceWritten(const std::filesystem::path& path);
    void reportOpenRequested(const std::filesystem::path& path);
    // For a user who looks elsewhere.
    void ended(const QString& title, const QString& text);

  private:
    bool isPreparing() const;
    void takeReopened(const Result<MadeRunPtr>& made);
    MakeOptions optionsMaker() const;
    std::vector<std::string> missingSecrets(const SessionConfig& config) const;
    void probe(const SessionConfig& config, bool isForced, bool launches);
    void refuse(const QString& reason, bool canForce);
    EndOptions endOptions() const;
    void takeOptions(const Result<RunOptions>& options);
    void takeProbe();
    void takeLaunched(const Result<MadeRunPtr>& made);
    void watch(std::unique_ptr<Run> run);
    void takeEnd();
    void collect(const std::set<size_t>& entries, CollectMode mode, bool opensThen);
    void takeCollected(bool opensThen);
    void writeWorkspace();
    std::filesystem::path output() const;
    void takeWritten(const Result<WrittenWorkspace>& written);
    void stopFetching();

    RunPage& m_page;
    MakeOptions m_makeOptions;
    std::vector<std::string> m_sshWords;
    std::filesystem::path m_sshConfig;
    SessionConfig m_config;
    RunOptions m_options;
    TextPairs m_secrets;                         // typed by hand; never written
    bool m_isForced = false, m_launches = false; // what is being prepared
    Wish m_wish, m_runWish;                      // for it, and for the run that is watched
    LatestJob<RunOptions> m_prepare;
    HostProbe* m_probe = nullptr;
    LatestJob<MadeRunPtr> m_launch, m_reopen;
    std::unique_ptr<Run> m_run;
    bool m_endIsNews = true; // false: the run was over before it was attached to
    Collector* m_collector = nullptr;
    std::filesystem::path m_writing;
    LatestJob<std::vector<KnownRun>> m_list;
    LatestJob<WrittenWorkspace> m_write;
};

} // namespace lockstep
