// SPDX-License-Identifier: Apache-2.0
// What a window shows of a run: whose rows, and its timeline as it is drawn, to be held against another
// window's.
#pragma once

#include <set>

#include <QImage>
#include <QTest>

#include "app/main_window.h"
#include "app/workspace_controller.h"
#include "tests/support/in_window.h"
#include "ui/panels/notice_bar.h"
#include "ui/timeline/timeline_view.h"

namespace lockstep::test {

inline const Scene& sceneOf(const MainWindow& window)
{
    return *part<WorkspaceController>(window).scene();
}

// Ranks whose captures have rows on the timeline.
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

// All of it, with nothing selected.
inline QImage timelinePicture(MainWindow& window)
{
    part<NoticeBar>(window).clear(); // it takes room
    run(window, "Timeline page");
    run(window, "Fit everything");
    auto& timeline = part<TimelineView>(window);
    timeline.select({}, false);
    // Until two in a row are alike: animations are over, all that was asked for is there.
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
