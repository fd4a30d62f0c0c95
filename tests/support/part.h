// SPDX-License-Identifier: Apache-2.0
// Access to the inside of a widget for tests, by class and object name.
#pragma once

#include <QObject>

namespace lockstep::test {

// Returns the only descendant of that class, or the one of that name.
template<class T>
T& part(const QObject& parent, const QString& name = {})
{
    T* const found = parent.findChild<T*>(name);
    if (found == nullptr) qFatal("no %s '%s' here", T::staticMetaObject.className(), qPrintable(name));
    return *found;
}

} // namespace lockstep::test
