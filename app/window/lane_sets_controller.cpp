// SPDX-License-Identifier: Apache-2.0
#include "app/window/lane_sets_controller.h"

#include <algorithm>
#include <utility>

#include <QLineEdit>
#include <QMenu>

#include "app/window/command_actions.h"
#include "app/window/work_sections.h"
#include "app/window/workspace_controller.h"
#include "ui/timeline/lane_order_button.h"
#include "ui/timeline/prompt_line.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/notices.h"

namespace lockstep {

namespace {

constexpr qsizetype kLongestName = 80;

// Returns the number of lanes in the layout that are not in the tree.
size_t missingLanes(const LaneState& lanes, const LaneTree& tree)
{
    std::set<std::string> keys = lanes.hidden;
    keys.insert(lanes.pinned.begin(), lanes.pinned.end());
    keys.insert(lanes.order.begin(), lanes.order.end());
    return static_cast<size_t>(
        std::ranges::count_if(keys, [&](const std::string& key) { return tree.find(key) == kNoLane; }));
}

} // namespace

LaneSetsController::LaneSetsController(TimelineView& timeline, const WindowParts& parts)
    : QObject(&timeline), m_timeline(timeline), m_parts(parts),
      m_line(new PromptLine(&timeline, {tr("Layout name"), tr("Name of the lane layout"),
                                        tr("Saves hidden and pinned lanes, grouping and order. Replaces a "
                                           "layout with the same name.")}))
{
    m_line->field()->setMaxLength(kLongestName);
    connect(m_line, &PromptLine::closed, &timeline, qOverload<>(&QWidget::setFocus));
    connect(m_line, &PromptLine::entered, this, [this](const QString& text) {
        m_line->close();
        if (!text.trimmed().isEmpty()) store(text.trimmed());
    });
    connect(parts.actions.at(CommandId::saveLaneLayout), &QAction::triggered, this,
            &LaneSetsController::promptForName);
    connect(&parts.reports, &WorkspaceController::sceneChanged, this, &LaneSetsController::reportRecalled,
            Qt::QueuedConnection); // queued, so that the timeline already has the new scene
    QMenu* const menu = parts.actions.menu("View")->addMenu(tr("Lane layouts"));
    connect(menu, &QMenu::aboutToShow, this, [this, menu] { fillMenu(*menu); });
    timeline.lanes().orderButton()->menu()->addMenu(menu);
}

void LaneSetsController::promptForName()
{
    if (m_timeline.state().tree().size() == 0)
        return m_parts.notices.post(tr("No lanes to save. Open a report first."));
    m_line->open();
}

void LaneSetsController::store(const QString& name)
{
    m_parts.document.edit(tr("save lane layout \"%1\"").arg(name), [&](Work& work) {
        const std::string word = name.toStdString();
        auto set = std::ranges::find(work.laneSets, word, &LaneSet::name);
        if (set == work.laneSets.end()) set = work.laneSets.insert(set, {word, {}});
        takeLayout(m_timeline.lanes().laneState(), set->lanes);
    });
    m_parts.notices.post(tr("Lane layout \"%1\" saved").arg(name));
}

void LaneSetsController::recall(const QString& name)
{
    const auto set = std::ranges::find(sets(), name.toStdString(), &LaneSet::name);
    if (set == sets().end()) return m_parts.notices.post(tr("No lane layout is named \"%1\"").arg(name));
    m_recalled = *set;
    m_timeline.lanes().editLanes([&](LaneState& lanes) { takeLayout(set->lanes, lanes); });
    reportRecalled();
}

// Shows a message about the recalled layout once the scene with its grouping is available. Missing lanes are
// not known earlier.
void LaneSetsController::reportRecalled()
{
    if (!m_recalled || m_parts.reports.isBusy()) return;
    const LaneSet set = *std::exchange(m_recalled, std::nullopt);
    const size_t missing = missingLanes(set.lanes, m_timeline.state().tree());
    const QString name = QString::fromStdString(set.name);
    m_parts.notices.post(
        missing == 0
            ? tr("Lane layout \"%1\"").arg(name)
            : tr("Lane layout \"%1\"; %n lane(s) not open", nullptr, static_cast<int>(missing)).arg(name));
}

void LaneSetsController::remove(const QString& name)
{
    m_parts.document.edit(tr("remove lane layout \"%1\"").arg(name), [&](Work& work) {
        std::erase_if(work.laneSets, [&](const LaneSet& set) { return set.name == name.toStdString(); });
    });
}

const LaneSets& LaneSetsController::sets() const
{
    return m_parts.document.work().laneSets;
}

void LaneSetsController::fillMenu(QMenu& menu)
{
    clearWithSubmenus(menu);
    const auto textOf = [](const LaneSet& set) { return QString::fromStdString(set.name); };
    const auto escaped = [](QString text) { return text.replace('&', "&&"); };
    for (const LaneSet& set : sets())
        menu.addAction(escaped(textOf(set)), this, [this, name = textOf(set)] { recall(name); });
    if (sets().empty()) menu.addAction(tr("No saved layouts"))->setEnabled(false);
    menu.addSeparator();
    menu.addAction(m_parts.actions.at(CommandId::saveLaneLayout));
    QMenu* const removal = menu.addMenu(tr("Remove layout"));
    removal->setEnabled(!sets().empty());
    for (const LaneSet& set : sets())
        removal->addAction(escaped(textOf(set)), this, [this, name = textOf(set)] { remove(name); });
}

} // namespace lockstep
