// SPDX-License-Identifier: Apache-2.0
// LiveController: the window's part in watching a run: what `Run > Watch live` does, the badge that says how
// well it keeps up, and the view that follows the newest until the user goes elsewhere. The collected reports
// take the pieces' place when they are opened. Made by the MainWindow behind its pages. UI thread.
#pragma once

#include <filesystem>
#include <optional>

#include "app/live_watch.h"
#include "app/window_parts.h"

namespace lockstep {

class TimelinePageController;

class LiveController : public QObject {
    Q_OBJECT

  public:
    static constexpr int64_t kShown_ns = 10'000'000'000; // of the newest, at first

    // The pages were added before, and go before this.
    explicit LiveController(const WindowParts& parts, QObject* parent = nullptr);

    // Attaches to the run, then watches it; id as findRun() takes it.
    void watchRun(const QString& id);
    // Watches the run that the window has; says so where it has none.
    void watch();
    bool isFollowing() const { return m_follows; }
    bool isBusy() const { return m_watch.isBusy(); }
    const LiveWatch& live() const { return m_watch; }

  private:
    void setFollowing(bool follows);
    void followNewest();
    void takeOpened(const std::filesystem::path& path);
    void showBadge();

    WindowParts m_parts;
    RunController& m_runs;
    TimelinePageController& m_timeline;
    LiveWatch m_watch;
    bool m_watchesNext = false; // the run that is being attached to
    bool m_follows = false;
    bool m_isNew = false;            // the view grows with what has come
    std::filesystem::path m_awaited; // the workspace of the collected reports
    std::vector<std::string> m_told; // problems that were shown
};

// "live · lag 0.8 s · 1.2 MB/s · following".
QString liveText(const LiveFigures& figures, bool isFollowing);

} // namespace lockstep
