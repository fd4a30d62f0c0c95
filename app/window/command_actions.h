// SPDX-License-Identifier: Apache-2.0
// CommandActions holds one QAction for each command of the command table, and the menus with these actions.
// The pages, panels and controllers connect their handlers to the actions. UI thread.
#pragma once

#include <vector>

#include <QAction>
#include <QString>

#include "ui/window/command_table.h"

class QMenu;

namespace lockstep {

// Clears a menu and deletes its submenus, which QMenu::clear() does not delete.
void clearWithSubmenus(QMenu& menu);

class CommandActions {
  public:
    // `owner` owns the actions and menus. The objectName of an action is its English title.
    explicit CommandActions(QWidget* owner);

    QAction* at(CommandId id) const { return m_actions[static_cast<size_t>(id)]; }
    // Returns the menus with their actions, in the order of the menu bar.
    const std::vector<QMenu*>& menus() const { return m_menus; }
    // Returns the menu with this English name, for example "File".
    QMenu* menu(const QString& name) const;
    // Returns the first key of the command for display; "" for none.
    QString shownKey(CommandId id) const { return m_keys.shownKey(commandSpec(id).name); }
    // Assigns the keys and shows them in the menus.
    void setKeys(const KeyMap& keys);
    // Enables the shortcuts of the commands that work only on the session page if isSessionPage is true,
    // otherwise those that work only on the other pages.
    void setPage(bool isSessionPage);

  private:
    void assignShortcuts();

    std::vector<QAction*> m_actions; // indexed by CommandId
    std::vector<QMenu*> m_menus;
    KeyMap m_keys;
    bool m_isSessionPage = false;
};

} // namespace lockstep
