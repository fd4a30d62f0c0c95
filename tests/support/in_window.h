// SPDX-License-Identifier: Apache-2.0
// What a test reaches for inside a window: its parts by their class, pages by theirs, commands by their name.
#pragma once

#include <QAction>

#include "app/page_stack.h"
#include "core/base/memory_budget.h"
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

// The command as menus call it.
inline void run(const QObject& window, const QString& command)
{
    part<QAction>(window, command).trigger();
}

} // namespace lockstep::test
