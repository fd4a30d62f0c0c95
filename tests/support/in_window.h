// SPDX-License-Identifier: Apache-2.0
// What a test reaches for inside a window: its parts by their class, pages by theirs, commands by their name.
#pragma once

#include <QAction>

#include "app/main_window.h"
#include "app/page_stack.h"
#include "core/base/memory_budget.h"
#include "tests/support/temp_dir.h"
#include "tests/support/workers.h"

namespace lockstep::test {

// The only one of that class in the window, or the one of that name.
template<class T>
T& part(const QObject& window, const QString& name = {})
{
    T* const found = window.findChild<T*>(name);
    if (found == nullptr) qFatal("no %s '%s' here", T::staticMetaObject.className(), qPrintable(name));
    return *found;
}

template<class T>
T& page(const QObject& window)
{
    return part<PageStack>(window).at<T>();
}

// Whether a page of that class is in front.
template<class T>
bool isInFront(const QObject& window)
{
    return qobject_cast<const T*>(&part<PageStack>(window).current()) != nullptr;
}

// For windows that nothing is too large for.
inline MemoryBudget& memory()
{
    static MemoryBudget unlimited({});
    return unlimited;
}

// For the settings of windows that leave nothing behind.
inline QString settingsFile(const TempDir& folder)
{
    return QString::fromStdString((folder.path() / "window.ini").string());
}

inline std::unique_ptr<MainWindow> shownWindow(Settings& settings, QSize size = {1280, 720},
                                               const Workers& pool = workers())
{
    auto window = std::make_unique<MainWindow>(settings, false, pool, memory());
    window->resize(size);
    window->show();
    return window;
}

// The command as menus call it.
inline void run(const QObject& window, const QString& command)
{
    part<QAction>(window, command).trigger();
}

} // namespace lockstep::test
