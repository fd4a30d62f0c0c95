// SPDX-License-Identifier: Apache-2.0
// Checks every item model of a widget for consistency, each time one of them changes.
#pragma once

#include <QAbstractItemModelTester>
#include <QWidget>

namespace lockstep::test {

// Attaches a tester to each of Lockstep's models among the children. A fault fails the running test. Returns
// the number of testers.
inline int testModels(const QWidget& widget)
{
    using Mode = QAbstractItemModelTester::FailureReportingMode;
    int count = 0;
    for (auto* const model : widget.findChildren<QAbstractItemModel*>()) {
        const QByteArray name = model->metaObject()->className();
        // A model without signals of its own has the name of its base class.
        if (!name.startsWith("lockstep::") && name != "QAbstractListModel") continue;
        new QAbstractItemModelTester(model, Mode::QtTest, model);
        ++count;
    }
    return count;
}

} // namespace lockstep::test
