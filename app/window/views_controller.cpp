// SPDX-License-Identifier: Apache-2.0
#include "app/window/views_controller.h"

#include <QMenu>

#include "app/window/command_actions.h"
#include "app/window/workspace_controller.h"
#include "core/base/text.h"
#include "ui/panels/top_strip.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/notices.h"
#include "ui/window/view_state.h"

namespace lockstep {

namespace {

CommandId recallCommand(int key)
{
    return static_cast<CommandId>(static_cast<int>(CommandId::recallView1) + key - 1);
}

CommandId storeCommand(int key)
{
    return static_cast<CommandId>(static_cast<int>(CommandId::storeView1) + key - 1);
}

} // namespace

ViewsController::ViewsController(TimelineView& timeline, const WindowParts& parts)
    : QObject(&timeline), m_timeline(timeline), m_parts(parts)
{
    QMenu* const menu = parts.actions.menu("View")->addMenu(tr("Saved views"));
    connect(menu, &QMenu::aboutToShow, this, [this, menu] { fillMenu(*menu); });
    for (int key = 1; key <= kViewCount; ++key) {
        connect(parts.actions.at(recallCommand(key)), &QAction::triggered, this,
                [this, key] { recall(key); });
        connect(parts.actions.at(storeCommand(key)), &QAction::triggered, this, [this, key] { store(key); });
    }
}

void ViewsController::store(int key)
{
    const ScenePtr scene = m_parts.reports.scene();
    if (scene->shown.isEmpty()) return m_parts.notices.post(tr("No view to save. Open a report first."));
    m_parts.document.edit(tr("save view %1").arg(key), [&](Work& work) {
        work.views[static_cast<size_t>(key - 1)] =
            StoredView{placeLinkOf(*scene, m_parts.view.visible(), m_parts.view.slice(), m_parts.view.range(),
                                   m_timeline.lanes().filter().toStdString()),
                       m_timeline.lanes().laneState(), m_timeline.state().scroll};
    });
    const QString pressed = m_parts.actions.shownKey(recallCommand(key));
    m_parts.notices.post(pressed.isEmpty()
                             ? tr("View %1 saved").arg(key)
                             : tr("View %1 saved; press %2 to return to the view").arg(key).arg(pressed));
}

void ViewsController::recall(int key)
{
    const auto stored = m_parts.document.work().views[static_cast<size_t>(key - 1)];
    if (!stored) return m_parts.notices.post(tr("No view %1 saved. %2").arg(key).arg(howToStore(key)));
    const auto place = resolvePlaceLink(stored->place, *m_parts.reports.scene());
    if (!place) return m_parts.notices.post(tr("View %1: %2").arg(key).arg(place.error().message.c_str()));
    const LaneState before = m_timeline.lanes().laneState();
    m_timeline.lanes().setLaneState(stored->lanes);
    if (stored->lanes != before) emit m_timeline.lanes().lanesEdited(before, stored->lanes);
    m_parts.strip.filterLanes(QString::fromStdString(stored->place.laneFilter));
    m_timeline.selector().select(place->slice, false);
    m_parts.view.setRange(place->range);
    m_timeline.navigation().zoomTo(place->visible);
    m_timeline.scrollTo(stored->scroll);
    const QString missing =
        place->missing.empty() ? QString() : QString::fromStdString(place->missing.front());
    m_parts.notices.post(missing.isEmpty() ? tr("View %1").arg(key)
                                           : tr("View %1; %2").arg(key).arg(missing));
}

QString ViewsController::howToStore(int key) const
{
    const QString pressed = m_parts.actions.shownKey(storeCommand(key));
    return pressed.isEmpty() ? tr("Save the current view with View > Saved views.")
                             : tr("Press %1 to save the current view.").arg(pressed);
}

QString ViewsController::nameOf(int key) const
{
    const auto& view = m_parts.document.work().views[static_cast<size_t>(key - 1)];
    if (!view) return {};
    const Mark& visible = view->place.visible;
    return tr("%1, %2 long")
        .arg(durationText({visible.begin.aligned.ns}).c_str(),
             durationText(visible.end.aligned - visible.begin.aligned).c_str());
}

void ViewsController::fillMenu(QMenu& menu)
{
    clearWithSubmenus(menu);
    for (int key = 1; key <= kViewCount; ++key) {
        const QString name = nameOf(key);
        const QString text =
            name.isEmpty() ? tr("&%1  empty").arg(key) : QString("&%1  %2").arg(key).arg(name);
        QAction* const action = menu.addAction(text, this, [this, key] { recall(key); });
        action->setEnabled(!name.isEmpty());
    }
    menu.addSeparator();
    QMenu* const store = menu.addMenu(tr("Save this view"));
    for (int key = 1; key <= kViewCount; ++key)
        store->addAction(m_parts.actions.at(storeCommand(key)));
}

} // namespace lockstep
