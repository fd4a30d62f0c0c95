// SPDX-License-Identifier: Apache-2.0
// RunPageController is the Page that shows a run, with the commands of the "Run" menu. It passes the session
// to the RunController, and shows the controller's questions, errors and results. UI thread.
#pragma once

#include "app/window/page.h"
#include "app/window/run_removal.h"
#include "app/window/window_parts.h"

namespace lockstep {

class RunPage;
class SessionPage;

class RunPageController : public Page {
    Q_OBJECT

  public:
    // Construct after the session page.
    explicit RunPageController(const WindowParts& parts);

    Tab tab() const override { return {tr("Run"), tr("Watch a run and fetch its reports (Alt+3)")}; }
    QWidget* widget() const override;
    QString helpPage() const override { return "ssh"; }
    RunController& runs() { return m_runs; }
    RunPage& page() const { return *m_page; }
    void onActivated() override;
    void setTheme(const Theme& theme) override;
    bool isBusy() const override;
    // A recording of servers counts as a change: closing the window stops their profilers first.
    bool isModified() const override;
    void confirmClose(const std::function<void()>& leave) override;
    TextPairs secrets() const override { return m_runs.providedSecrets(); }

    // Shows a banner if the watched run has failed, with its cause, or if its results can be shown or opened.
    enum class Results : uint8_t { none, open, closed };
    void showEnd(Results results);

  signals:
    // Requests that the timeline show the last slice of a rank of the run.
    void rankRequested(const std::string& host, int64_t rank);

  private:
    // Applies the settings for the end of a run.
    void applySettings();
    void connectActions();
    void connectRuns();
    void launch(bool isForced);
    void showRefusal(const QString& reason, bool canForce, HelpTopic help);
    // Asks before a dry run, because the script's other commands do run.
    void promptForDryRun();
    void showDryRun(const std::vector<RecordedLaunch>& launches, const std::vector<std::string>& problems);
    void offerToAttach(const std::vector<KnownRun>& runs);
    void promptToAttach();
    // Shows the log line of a host's problem.
    void showLogLine(size_t host, const RunProblem& problem);
    void followRun();
    void enableCommands();

    WindowParts m_parts;
    SessionPage& m_session;
    RunPage* m_page;
    RunController m_runs;
    RunRemoval m_removal;
    bool m_hasOfferedRun = false;
};

} // namespace lockstep
