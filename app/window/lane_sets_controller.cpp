// SPDX-License-Identifier: Apache-2.0
#include "app/window/lane_sets_controller.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <QLineEdit>
#include <QMenu>
#include <QUndoStack>

#include "app/window/command_actions.h"
#include "app/window/window_state.h"
#include "app/window/workspace_controller.h"
#include "core/base/json_fields.h"
#include "ui/timeline/lane_order_button.h"
#include "ui/timeline/prompt_line.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/notices.h"

namespace lockstep {

namespace {

constexpr int kLaneSetsVersion = 1;
constexpr qsizetype kLongestName = 80;

// Copies the parts of the lane state that a layout stores.
void takeSet(const LaneState& from, LaneState& to)
{
    to.hidden = from.hidden;
    to.pinned = from.pinned;
    to.opened = from.opened;
    to.grouping = from.grouping;
    to.sort = from.sort;
    to.order = from.order;
}

// Returns the number of lanes in the layout that are not in the tree.
size_t missingLanes(const LaneState& lanes, const LaneTree& tree)
{
    std::set<std::string> keys = lanes.hidden;
    keys.insert(lanes.pinned.begin(), lanes.pinned.end());
    keys.insert(lanes.order.begin(), lanes.order.end());
    return static_cast<size_t>(
        std::ranges::count_if(keys, [&](const std::string& key) { return tree.find(key) == kNoLane; }));
}

class SetsEdit : public QUndoCommand {
  public:
    using Show = std::function<void(const LaneSets& sets)>;

    SetsEdit(const QString& text, LaneSets before, LaneSets after, Show show)
        : QUndoCommand(text), m_before(std::move(before)), m_after(std::move(after)), m_show(std::move(show))
    {
    }
    void undo() override { m_show(m_before); }
    void redo() override { m_show(m_after); }

  private:
    LaneSets m_before, m_after;
    Show m_show;
};

} // namespace

std::string laneSetsText(const LaneSets& sets)
{
    Json list = Json::array();
    for (const LaneSet& set : sets)
        list.push_back(
            {{"name", set.name}, {"lanes", Json::parse(laneStateText(set.lanes), nullptr, false)}});
    return jsonLine({{"version", kLaneSetsVersion}, {"sets", std::move(list)}});
}

Result<LaneSets> parseLaneSets(std::string_view text, size_t* dropped)
{
    const Json all = Json::parse(text, nullptr, false);
    if (numberAt(all, "version") != kLaneSetsVersion)
        return makeError(ErrorKind::unsupported, "the lane layouts are from a different version of Lockstep");
    LaneSets sets;
    size_t without = 0;
    for (const Json& entry : listAt(all, "sets")) {
        LaneSet set;
        set.name = textAt(entry, "name");
        const bool isKnown = std::ranges::find(sets, set.name, &LaneSet::name) != sets.end();
        if (set.name.empty() || isKnown || !objectAt(entry, "lanes").is_object()) {
            ++without;
            continue;
        }
        takeSet(parseLaneState(jsonLine(objectAt(entry, "lanes"))), set.lanes);
        sets.push_back(std::move(set));
    }
    if (dropped != nullptr) *dropped = without;
    return sets;
}

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
    timeline.orderButton()->menu()->addMenu(menu);
}

void LaneSetsController::promptForName()
{
    if (m_timeline.laneTree().size() == 0)
        return m_parts.notices.post(tr("No lanes to save. Open a report first."));
    m_line->open();
}

void LaneSetsController::store(const QString& name)
{
    LaneSets sets = m_sets;
    const std::string word = name.toStdString();
    auto set = std::ranges::find(sets, word, &LaneSet::name);
    if (set == sets.end()) set = sets.insert(sets.end(), {word, {}});
    takeSet(m_timeline.laneState(), set->lanes);
    change(tr("save lane layout \"%1\"").arg(name), std::move(sets));
    m_parts.notices.post(tr("Lane layout \"%1\" saved").arg(name));
}

void LaneSetsController::recall(const QString& name)
{
    const auto set = std::ranges::find(m_sets, name.toStdString(), &LaneSet::name);
    if (set == m_sets.end()) return m_parts.notices.post(tr("No lane layout is named \"%1\"").arg(name));
    m_recalled = *set;
    m_timeline.editLanes([&](LaneState& lanes) { takeSet(set->lanes, lanes); });
    reportRecalled();
}

// Shows a message about the recalled layout once the scene with its grouping is available. Missing lanes are
// not known earlier.
void LaneSetsController::reportRecalled()
{
    if (!m_recalled || m_parts.reports.isBusy()) return;
    const LaneSet set = *std::exchange(m_recalled, std::nullopt);
    const size_t missing = missingLanes(set.lanes, m_timeline.laneTree());
    const QString name = QString::fromStdString(set.name);
    m_parts.notices.post(
        missing == 0
            ? tr("Lane layout \"%1\"").arg(name)
            : tr("Lane layout \"%1\"; %n lane(s) not open", nullptr, static_cast<int>(missing)).arg(name));
}

void LaneSetsController::remove(const QString& name)
{
    LaneSets sets = m_sets;
    std::erase_if(sets, [&](const LaneSet& set) { return set.name == name.toStdString(); });
    if (sets != m_sets) change(tr("remove lane layout \"%1\"").arg(name), std::move(sets));
}

void LaneSetsController::change(const QString& what, LaneSets sets)
{
    m_parts.undo.push(new SetsEdit(what, m_sets, std::move(sets), [this](const LaneSets& now) {
        m_sets = now;
        emit changed();
    }));
}

void LaneSetsController::fillMenu(QMenu& menu)
{
    clearWithSubmenus(menu);
    const auto textOf = [](const LaneSet& set) { return QString::fromStdString(set.name); };
    const auto escaped = [](QString text) { return text.replace('&', "&&"); };
    for (const LaneSet& set : m_sets)
        menu.addAction(escaped(textOf(set)), this, [this, name = textOf(set)] { recall(name); });
    if (m_sets.empty()) menu.addAction(tr("No saved layouts"))->setEnabled(false);
    menu.addSeparator();
    menu.addAction(m_parts.actions.at(CommandId::saveLaneLayout));
    QMenu* const removal = menu.addMenu(tr("Remove layout"));
    removal->setEnabled(!m_sets.empty());
    for (const LaneSet& set : m_sets)
        removal->addAction(escaped(textOf(set)), this, [this, name = textOf(set)] { remove(name); });
}

} // namespace lockstep
