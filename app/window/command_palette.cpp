// SPDX-License-Identifier: Apache-2.0
#include "app/window/command_palette.h"

#include <algorithm>
#include <set>

#include <QMenu>
#include <QPointer>

#include "app/window/command_actions.h"
#include "app/window/page_stack.h"
#include "app/window/panel_docks.h"
#include "app/window/setting_table.h"
#include "app/window/settings.h"
#include "app/window/settings_page_controller.h"
#include "core/analysis/analysis.h"
#include "ui/analysis/analysis_list.h"
#include "ui/analysis/analysis_panel.h"
#include "ui/panels/notice_bar.h"
#include "ui/panels/top_strip.h"

namespace lockstep {

namespace {

constexpr const char* kRecent = "palette/recent"; // setting: command texts, most recent first
constexpr qsizetype kMaxRecent = 12;

QString plainText(const QAction& action)
{
    return action.text().section('\t', 0, 0).remove('&').simplified();
}

QString keysOfAction(const QAction& action)
{
    const QString written = action.text().section('\t', 1);
    return written.isEmpty() ? action.shortcut().toString(QKeySequence::NativeText) : written;
}

} // namespace

CommandPalette::CommandPalette(const WindowParts& parts, QObject* parent) : QObject(parent), m_parts(parts) {}

void CommandPalette::addCommands(std::vector<Entry>& entries) const
{
    for (const CommandSpec& spec : commandSpecs()) {
        if (spec.isFixed) continue;
        QAction* const action = m_parts.actions.at(spec.id);
        entries.push_back({commandTitle(spec.id), m_parts.actions.shownKey(spec.id), actionRun(*action),
                           commandDescription(spec.id)});
    }
}

// Adds the entries of submenus, such as themes and recent files, which are not in the command table.
void CommandPalette::addSubmenus(std::vector<Entry>& entries, QMenu& menu, const QString& before) const
{
    emit menu.aboutToShow(); // some menus are filled only when they are about to show
    const QList<QAction*> commands = m_parts.window.actions();
    for (QAction* const action : menu.actions()) {
        if (action->isSeparator() || (action->menu() == nullptr && commands.contains(action))) continue;
        const QString text = before + plainText(*action);
        if (QMenu* const below = action->menu(); below != nullptr)
            addSubmenus(entries, *below, text + ": ");
        else
            entries.push_back({text, keysOfAction(*action), actionRun(*action, text)});
    }
}

std::function<void()> CommandPalette::actionRun(QAction& action, const QString& text) const
{
    return [this, text = text.isEmpty() ? plainText(action) : text, guarded = QPointer<QAction>(&action)] {
        if (guarded != nullptr && guarded->isEnabled()) return guarded->trigger();
        m_parts.notice.showNotice(NoticeBar::Tone::warn, tr("%1 is not available now").arg(text));
    };
}

void CommandPalette::addAnalyses(std::vector<Entry>& entries) const
{
    for (const Analysis& analysis : analyses()) {
        const auto word = [](std::string_view text) {
            return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
        };
        const QString text = tr("Analysis: %1 (%2)").arg(word(analysis.title), word(analysis.name));
        entries.push_back({text, {}, [this, &analysis] {
                               AnalysisPanel& panel = m_parts.docks.at<AnalysisPanel>();
                               m_parts.docks.raise(panel);
                               panel.list()->select(analysis);
                           }});
    }
}

void CommandPalette::addSettings(std::vector<Entry>& entries) const
{
    for (const Setting& setting : settingTable()) {
        entries.push_back({tr("Settings: %1").arg(setting.label), {}, [this, key = setting.name()] {
                               m_parts.pages.at<SettingsPageController>().open(key);
                           }});
    }
}

std::vector<CommandPalette::Entry> CommandPalette::entries() const
{
    std::vector<Entry> entries;
    addCommands(entries);
    for (QMenu* const menu : m_parts.actions.menus())
        addSubmenus(entries, *menu, {});
    addAnalyses(entries);
    std::ranges::stable_sort(entries, {}, &Entry::text);
    addSettings(entries); // settings come after the commands that have the same effect
    std::set<QString> texts;
    for (Entry& entry : entries) {
        const QString first = entry.text;
        for (int number = 2; !texts.insert(entry.text).second; ++number)
            entry.text = QString("%1 (%2)").arg(first).arg(number);
    }
    return entries;
}

void CommandPalette::remember(const QString& text)
{
    QStringList recent = m_parts.settings.value(kRecent).toStringList();
    recent.removeAll(text);
    recent.prepend(text);
    m_parts.settings.set(kRecent, QStringList(recent.mid(0, kMaxRecent)));
}

void CommandPalette::offer()
{
    std::vector<TopStrip::Command> commands;
    for (const Entry& entry : entries())
        commands.push_back({entry.text, entry.keys, entry.description});
    const QStringList recent = m_parts.settings.value(kRecent).toStringList();
    const auto recency = [&](const TopStrip::Command& command) {
        const qsizetype at = recent.indexOf(command.text);
        return at < 0 ? recent.size() : at;
    };
    std::ranges::stable_sort(commands, {}, recency);
    m_parts.strip.setCommands(std::move(commands));
}

void CommandPalette::run(const QString& text)
{
    const std::vector<Entry> all = entries();
    const auto found = std::ranges::find(all, text, &Entry::text);
    if (found != all.end()) {
        remember(text);
        return found->run();
    }
    m_parts.notice.showNotice(NoticeBar::Tone::warn, tr("Unknown command \"%1\"").arg(text));
}

} // namespace lockstep
