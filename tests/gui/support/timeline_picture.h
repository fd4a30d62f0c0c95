// SPDX-License-Identifier: Apache-2.0
// The ranks with rows in a window and the picture of its timeline, for comparison with another window.
#pragma once

#include <set>

#include <QImage>
#include <QTest>

#include "app/window/main_window.h"
#include "app/window/workspace_controller.h"
#include "tests/support/in_window.h"
#include "ui/panels/notice_bar.h"
#include "ui/timeline/timeline_view.h"

namespace lockstep::test {

inline const Scene& sceneOf(const MainWindow& window)
{
    return *part<WorkspaceController>(window).scene();
}

// Returns the ranks whose captures have rows on the timeline.
inline std::set<int> ranksSeen(const MainWindow& window)
{
    std::set<int> ranks;
    const Workspace& shown = sceneOf(window).shown;
    for (const ReportKey key : shown.keys()) {
        const Report& report = shown.report(key);
        if (report.provenance.kind == "lockstep capture" && report.slices.size() > 0)
            ranks.insert(shown.identity(key).rank.value.value_or(-1));
    }
    return ranks;
}

// Returns a picture of the whole timeline, with nothing selected.
inline QImage timelinePicture(MainWindow& window)
{
    part<NoticeBar>(window).clear(); // the bar takes up space
    run(window, "Timeline page");
    run(window, "Zoom to fit");
    auto& timeline = part<TimelineView>(window);
    timeline.selector().select({}, false);
    // Waits until two pictures in a row are equal: animations are over, and all requested data is shown.
    QImage last;
    for (int i = 0; i < 100; ++i) {
        QTest::qWait(50);
        const QImage now = timeline.grab().toImage();
        if (window.isSettled() && now == last) return now;
        last = now;
    }
    return {};
}

} // namespace lockstep::test
