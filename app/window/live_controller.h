// SPDX-License-Identifier: Apache-2.0
// LiveController implements Run > Watch live in the window: it shows the badge with the lag, and makes the
// view follow the newest data until the user zooms or pans. When the collected reports are opened, they
// replace the watched data. Created by the MainWindow after its pages. UI thread.
#pragma once

#include <filesystem>
#include <optional>

#include "app/window/live_watch.h"
#include "app/window/window_parts.h"

namespace lockstep {

class TimelinePageController;

class LiveController : public QObject {
    Q_OBJECT

  public:
    static constexpr int64_t kShown_ns = 10'000'000'000; // initial length of the view

    // Construct after the pages; they are destroyed first.
    explicit LiveController(const WindowParts& parts, QObject* parent = nullptr);

    // Attaches to the run and watches it. `id`: same syntax as for findRun().
    void watchRun(const QString& id);
    // Watches the window's run. Shows a notice if there is none.
    void watch();
    // Stops watching and removes the watched data from the timeline.
    void close();
    bool isFollowing() const { return m_follows; }
    bool isBusy() const { return m_watch.isBusy(); }
    const LiveWatch& live() const { return m_watch; }

  private:
    void setFollowing(bool follows);
    void followNewest();
    void handleOpened(const std::filesystem::path& path);
    void showBadge();

    WindowParts m_parts;
    RunController& m_runs;
    TimelinePageController& m_timeline;
    LiveWatch m_watch;
    bool m_watchesOnAttach = false; // true: watch the run once it is attached
    bool m_follows = false;
    bool m_isNew = false;            // true while the view grows with the data, up to kShown_ns
    std::filesystem::path m_awaited; // workspace file of the collected reports that is expected to be opened
    std::vector<MessageWithHelp> m_reported; // problems that were already shown to the user
};

// Returns the badge text, such as "live · lag 0.8 s · 1.2 MB/s · following".
QString liveText(const LiveFigures& figures, bool isFollowing);

} // namespace lockstep
