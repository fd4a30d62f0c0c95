// SPDX-License-Identifier: Apache-2.0
// Access to the inside of a window for tests: pages by class, commands by name.
#pragma once

#include <QAction>

#include "app/window/main_window.h"
#include "app/window/page_stack.h"
#include "core/base/memory_budget.h"
#include "tests/support/part.h"
#include "tests/support/temp_dir.h"
#include "tests/support/workers.h"
#include "ui/timeline/timeline_view.h"

namespace lockstep::test {

template<class T>
T& page(const QObject& window)
{
    return part<PageStack>(window).at<T>();
}

// Returns true if a page of that class is the current one.
template<class T>
bool isInFront(const QObject& window)
{
    return qobject_cast<const T*>(&part<PageStack>(window).current()) != nullptr;
}

// Limits for windows that accept data of any size.
inline MemoryBudget& memory()
{
    static MemoryBudget unlimited({});
    return unlimited;
}

// Settings for windows that leave nothing on disk.
inline QString settingsFile(const TempDir& folder)
{
    return QString::fromStdString((folder.path() / "window.ini").string());
}

// Parameters of a window, with the defaults of most tests.
struct WindowSetup {
    QSize size = {1280, 720};
    bool isDark = false;
    bool isMotionReduced = false;
    Workers pool = workers();
    MemoryBudget* budget = &memory(); // must outlive the window
    RunController::MakeOptions runOptions = {};
};

inline std::unique_ptr<MainWindow> shownWindow(Settings& settings, const WindowSetup& setup = {})
{
    auto window =
        std::make_unique<MainWindow>(settings, setup.isDark, setup.pool, *setup.budget, setup.runOptions);
    window->resize(setup.size);
    window->show();
    if (setup.isMotionReduced) part<TimelineView>(*window).navigation().setReducedMotion(true);
    return window;
}

// Returns the command with the name used in menus.
inline void run(const QObject& window, const QString& command)
{
    part<QAction>(window, command).trigger();
}

} // namespace lockstep::test
