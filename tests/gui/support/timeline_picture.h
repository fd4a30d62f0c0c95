// SPDX-License-Identifier: Apache-2.0
// The timeline of a window as it is drawn, everything of it: to be held against another window's.
#pragma once

#include <QImage>
#include <QTest>

#include "app/main_window.h"
#include "tests/support/in_window.h"
#include "ui/panels/notice_bar.h"
#include "ui/timeline/timeline_view.h"

namespace lockstep::test {

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
