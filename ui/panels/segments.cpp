// SPDX-License-Identifier: Apache-2.0
#include "ui/panels/segments.h"

#include <QButtonGroup>
#include <QCoreApplication>
#include <QHBoxLayout>
#include <QPushButton>

#include "core/scene/scene.h"
#include "ui/window/view_state.h"

namespace lockstep {

QButtonGroup* addSegments(QHBoxLayout& line, QWidget* parent, const QStringList& labels,
                          const QStringList& tooltips)
{
    auto* const group = new QButtonGroup(parent);
    auto* const segments = new QHBoxLayout;
    segments->setSpacing(0);
    for (qsizetype i = 0; i < labels.size(); ++i) {
        auto* const button = new QPushButton(labels[i], parent);
        button->setCheckable(true);
        button->setProperty("segment", true);
        button->setProperty("first", i == 0);
        button->setToolTip(tooltips[i]);
        group->addButton(button, static_cast<int>(i));
        segments->addWidget(button);
    }
    group->button(0)->setChecked(true);
    line.addLayout(segments);
    return group;
}

void addScopeSegments(QHBoxLayout& line, QWidget* parent, ViewState& view, const QStringList& tooltips)
{
    const auto tr = [](const char* text) { return QCoreApplication::translate("Segments", text); };
    auto* const group = addSegments(line, parent, {tr("Visible"), tr("Selected"), tr("Whole")}, tooltips);
    const QStringList names{tr("Visible"), tr("Kept range")};
    const QString keptTip =
        tr("The table still covers the range that was visible before you jumped to a row. Click to cover "
           "the visible range.");
    const auto follow = [=, &view] {
        group->button(static_cast<int>(view.scopeChoice()))->setChecked(true);
        group->button(0)->setText(view.isScopePinned() ? names[1] : names[0]);
        group->button(0)->setToolTip(view.isScopePinned() ? keptTip : tooltips[0]);
    };
    follow();
    QObject::connect(&view, &ViewState::scopeChanged, group, follow);
    QObject::connect(&view, &ViewState::scopePinnedChanged, group, follow);
    QObject::connect(group, &QButtonGroup::idClicked, &view,
                     [&view](int id) { view.setScopeChoice(static_cast<ScopeChoice>(id)); });
}

QString rangeAdvice(const ViewState& view, const Scope& scope, const Scene& scene)
{
    const auto tr = [](const char* text) { return QCoreApplication::translate("Segments", text); };
    const TimeRange whole = scene.extent();
    if (!scope.time || scope.time->unitedWith(whole) == *scope.time) return {};
    if (view.scopeChoice() == ScopeChoice::selected)
        return ' ' + tr("Only the selected range is counted. Set the range to Whole to count everything.");
    return ' ' +
           tr("Only the visible range is counted. Zoom out (0: zoom to fit) or set the range to Whole.");
}

} // namespace lockstep
