// SPDX-License-Identifier: Apache-2.0
#include "app/window/command_actions.h"

#include <algorithm>
#include <string_view>

#include <QMenu>
#include <QWidget>

namespace lockstep {

void clearWithSubmenus(QMenu& menu)
{
    menu.clear();
    qDeleteAll(menu.findChildren<QMenu*>(Qt::FindDirectChildrenOnly));
}

CommandActions::CommandActions(QWidget* owner)
{
    for (const CommandSpec& spec : commandSpecs()) {
        auto* const action = new QAction(commandTitle(spec.id), owner);
        action->setToolTip(commandDescription(spec.id));
        action->setStatusTip(action->toolTip());
        action->setObjectName(spec.number > 0 ? QString(spec.title).arg(spec.number) : spec.title);
        action->setMenuRole(QAction::NoRole);
        owner->addAction(action);
        m_actions.push_back(action);
    }
    for (const char* const name : commandMenus()) {
        auto* const menu = new QMenu("&" + menuTitle(name), owner);
        menu->setObjectName(name);
        menu->setToolTipsVisible(true);
        for (const CommandSpec& spec : commandSpecs()) {
            if (std::string_view(name) != spec.menu) continue;
            if (spec.startsGroup && !menu->isEmpty()) menu->addSeparator();
            menu->addAction(at(spec.id));
        }
        m_menus.push_back(menu);
    }
}

QMenu* CommandActions::menu(const QString& name) const
{
    return *std::ranges::find(m_menus, name, &QMenu::objectName);
}

void CommandActions::setKeys(const KeyMap& keys)
{
    m_keys = keys;
    assignShortcuts();
}

void CommandActions::setPage(bool isSessionPage)
{
    m_isSessionPage = isSessionPage;
    assignShortcuts();
}

// The timeline handles its keys itself, because they have to work only while it has the focus: they are shown
// in the menus, but not registered as shortcuts.
void CommandActions::assignShortcuts()
{
    const KeyScope otherScope = m_isSessionPage ? KeyScope::otherPages : KeyScope::sessionPage;
    for (const CommandSpec& spec : commandSpecs()) {
        if (spec.scope == KeyScope::timeline) {
            const QString key = m_keys.shownKey(spec.name), title = commandTitle(spec.id);
            at(spec.id)->setText(key.isEmpty() ? title : title + '\t' + key);
        } else {
            at(spec.id)->setShortcuts(spec.scope == otherScope ? QList<QKeySequence>()
                                                               : m_keys.keysOf(spec.name));
        }
    }
}

} // namespace lockstep
