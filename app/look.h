// SPDX-License-Identifier: Apache-2.0
// Look: theme and text size of the whole program, as the settings keep them. Made before any widget of the
// window: widgets measure themselves by the application's font while they are made, and a style sheet that
// comes later would have all of them styled twice. UI thread.
#pragma once

#include <QObject>
#include <QWidget>

#include "app/settings.h"
#include "ui/style/theme.h"

class QMenu;

namespace lockstep {

class ActionTable;

class Look : public QObject {
    Q_OBJECT

  public:
    // systemIsDark: what ThemeChoice::system means on this desktop. settings outlive the look.
    Look(Settings& settings, bool systemIsDark);

    const Theme& theme() const { return *m_theme; }
    // Of this window; fillMenu()'s entries also keep it for later ones.
    void setThemeChoice(ThemeChoice choice);
    // Colours and patterns of slices for those who tell red from green badly; kept.
    void setColorBlind(bool isOn);
    // As the settings have it now.
    void takeSettings();
    // Within what Settings allows; kept.
    void setFontScale(double scale);
    void connectActions(const ActionTable& actions);
    // One entry per theme, and one for the colour-blind.
    void fillMenu(QMenu& menu);

  signals:
    void themeChanged(const Theme& theme);

  private:
    // Gives the program its colours and font and tells them.
    void apply();

    Settings& m_settings;
    const bool m_systemIsDark;
    ThemeChoice m_choice;
    const Theme* m_theme = &lightTheme();
    QWidget m_anchor; // see Look::Look(); never shown
};

} // namespace lockstep
