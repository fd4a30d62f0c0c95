// SPDX-License-Identifier: Apache-2.0
// LeafLabels returns the labels of a tree's items without children, in alphabetical order.
#pragma once

#include <functional>

#include <QAbstractItemModel>
#include <QStringList>

namespace lockstep::test {

inline QStringList leafLabels(const QAbstractItemModel& model)
{
    QStringList labels;
    const std::function<void(const QModelIndex&)> gather = [&](const QModelIndex& at) {
        if (at.isValid() && model.rowCount(at) == 0) labels << at.data().toString();
        for (int row = 0; row < model.rowCount(at); ++row)
            gather(model.index(row, 0, at));
    };
    gather({});
    labels.sort();
    return labels;
}

} // namespace lockstep::test
