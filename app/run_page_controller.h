// SPDX-License-Identifier: Apache-2.0
// RunPageController: the Page on which a run is watched, with the commands of the menu "Run": it hands the
// session to the RunController and tells what that asks, refuses and brings. UI thread.
#pragma once

#include "app/page.h"
#include "app/window_parts.h"

namespace lockstep {

class RunPage;
class SessionPage;

class RunPageController : public Page {
    Q_OBJECT

  public:
    // The page of the session was added before.
    explicit RunPageController(const WindowParts& parts);

    Tab tab() const override { return {tr("Run"), tr("Watch a run and fetch its reports (Alt+3)")}; }
    QWidget* widget() const override;
    QString helpPage() const override { return "ssh"; }
    RunController& runs() { return m_runs; }
    void takeFront() override;
    void setTheme(const Theme& theme) override;
    bool isBusy() const override { return m_runs.isBusy(); }
    TextPairs secrets() const override { return m_runs.givenSecrets(); }

    // What is done when a run ends, as the settings have it now.
    void takeSettings();

  private:
    void connectActions();
    void connectRuns();
    void launch(bool isForced);
    void takeRefusal(const QString& reason, bool canForce);
    void offerToAttach(const std::vector<KnownRun>& runs);
    void askToAttach();

    WindowParts m_parts;
    SessionPage& m_session;
    RunPage* m_page;
    RunController m_runs;
    bool m_hasOfferedRun = false;
};

} // namespace lockstep
