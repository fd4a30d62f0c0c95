// SPDX-License-Identifier: Apache-2.0
// Look applies the theme and the text size of the settings to the whole program. Construct before any widget
// of the window: widgets measure text with the application's font when they are constructed, and a style
// sheet that is set later would style every widget twice. UI thread.
#pragma once

#include <QObject>
#include <QWidget>

#include "app/window/settings.h"
#include "ui/style/theme.h"

class QMenu;

namespace lockstep {

class CommandActions;

class Look : public QObject {
    Q_OBJECT

  public:
    // systemIsDark: true if ThemeChoice::system means the dark theme on this desktop. `settings` must outlive
    // this object.
    Look(Settings& settings, bool systemIsDark);

    const Theme& theme() const { return *m_theme; }
    // Sets the theme of this window only. The entries of fillMenu() also store the choice.
    void setThemeChoice(ThemeChoice choice);
    // Turns the color-blind colors and patterns of slices on or off, and stores the choice.
    void setColorBlind(bool isOn);
    // Sets and stores the text scale, clamped to the limits of Settings.
    void setFontScale(double scale);
    void connectActions(const CommandActions& actions);
    // Adds one entry per theme and one for the color-blind colors.
    void fillMenu(QMenu& menu);

  signals:
    void themeChanged(const Theme& theme);

  private:
    // Sets the colors and the font of the program and emits themeChanged().
    void apply();

    Settings& m_settings;
    const bool m_systemIsDark;
    ThemeChoice m_choice;
    const Theme* m_theme = &lightTheme();
    QWidget m_anchor; // never shown; see the comment in the constructor
};

} // namespace lockstep
