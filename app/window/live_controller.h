// SPDX-License-Identifier: Apache-2.0
// LiveController implements Run > Watch live in the window: it shows the badge with the lag, and makes the
// view follow the newest data until the user zooms or pans. Between two batches of data, the view moves with
// each frame, see LiveGlide. When the collected reports are opened, they replace the watched data. Created by
// the MainWindow after its pages. UI thread.
#pragma once

#include <filesystem>
#include <optional>

#include <QElapsedTimer>
#include <QTimer>

#include "app/window/live_glide.h"
#include "app/window/live_watch.h"
#include "app/window/run_page_controller.h"
#include "app/window/window_parts.h"

namespace lockstep {

class SaveController;
class TimelinePageController;

class LiveController : public QObject {
    Q_OBJECT

  public:
    static constexpr int64_t kShown_ns = 10'000'000'000; // initial length of the view
    static constexpr int kFrame_ms = 16;                 // pause between two frames of a moving view

    // Construct after the pages and `save`; they are destroyed first.
    LiveController(const WindowParts& parts, SaveController& save, QObject* parent = nullptr);

    // Attaches to the run and watches it. `id`: same syntax as for findRun().
    void watchRun(const QString& id);
    // Watches the window's run. Shows a notice if there is none. If reports of other runs are open, starts a
    // new workspace first, which may ask whether to save.
    void watch();
    // Stops watching and removes the watched data from the timeline.
    void close();
    bool isFollowing() const { return m_follows; }
    bool isBusy() const { return m_watch.isBusy(); }
    const LiveWatch& live() const { return m_watch; }

  signals:
    // The reports of the run were collected because it ended. open: they are being opened. closed: they are
    // not opened, because that would close unsaved work.
    void collected(RunPageController::Results results);

  private:
    void begin();
    bool hasOtherReports(const Run& run) const;
    void openCollected(const std::filesystem::path& path, bool isRequested);
    QString obstacle() const;
    void setFollowing(bool follows);
    void followNewest();
    bool canGlide() const;
    void glide();
    TimeRange rangeUpTo(TraceTime end);
    void handleOpened(const std::filesystem::path& path);
    void showBadge();

    WindowParts m_parts;
    SaveController& m_save;
    RunController& m_runs;
    TimelinePageController& m_timeline;
    LiveWatch m_watch;
    bool m_watchesOnAttach = false; // true: watch the run once it is attached
    bool m_follows = false;
    bool m_isNew = false; // true while the view grows with the data, up to kShown_ns
    LiveGlide m_glide;
    QElapsedTimer m_clock; // time of the glide
    QTimer m_frame;
    std::filesystem::path m_awaited; // workspace file of the collected reports that is expected to be opened
    std::vector<MessageWithHelp> m_reported; // problems that were already shown to the user
};

// Returns the badge text, such as "live · lag 0.8 s · 1.2 MB/s · following".
QString liveText(const LiveFigures& figures, bool isFollowing);

} // namespace lockstep
