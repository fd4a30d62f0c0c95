// SPDX-License-Identifier: Apache-2.0
#include "app/window/look.h"

#include <QActionGroup>
#include <QApplication>
#include <QMenu>

#include "app/window/command_actions.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

Look::Look(Settings& settings, bool systemIsDark)
    : m_settings(settings), m_systemIsDark(systemIsDark), m_choice(settings.themeChoice())
{
    // Qt tracks styled widgets only while at least one style sheet is set. When apply() removes the program's
    // style sheet, Qt would lose track of widgets that are not shown yet if this anchor did not have a style
    // sheet.
    m_anchor.setStyleSheet(" ");
    qApp->setStyleSheet(" "); // before the font, because the first style sheet resets the font
    apply();
    settings.bind("look/", this, [this] { setThemeChoice(m_settings.themeChoice()); });
}

void Look::setThemeChoice(ThemeChoice choice)
{
    m_choice = choice;
    apply();
}

void Look::setColorBlind(bool isOn)
{
    m_settings.remember("look/color_blind", isOn);
    apply();
}

void Look::setFontScale(double scale)
{
    m_settings.remember("look/font_scale", scale);
    apply();
}

void Look::connectActions(const CommandActions& actions)
{
    const auto on = [&](CommandId id, auto&& run) {
        connect(actions.at(id), &QAction::triggered, this, run);
    };
    on(CommandId::textLarger, [this] { setFontScale(m_settings.fontScale() + 0.1); });
    on(CommandId::textSmaller, [this] { setFontScale(m_settings.fontScale() - 0.1); });
    on(CommandId::textReset, [this] { setFontScale(1); });
}

void Look::fillMenu(QMenu& menu)
{
    auto* const group = new QActionGroup(&menu);
    const QStringList names{tr("Same as desktop"), tr("Light"), tr("Dark")};
    for (int i = 0; i < names.size(); ++i) {
        const auto choice = static_cast<ThemeChoice>(i);
        QAction* const action = menu.addAction(names[i], this, [this, choice] {
            m_settings.setThemeChoice(choice);
            setThemeChoice(choice);
        });
        action->setCheckable(true);
        action->setChecked(choice == m_choice);
        group->addAction(action);
        connect(&menu, &QMenu::aboutToShow, action,
                [this, action, choice] { action->setChecked(choice == m_choice); });
    }
    menu.addSeparator();
    QAction* const patterns = menu.addAction(tr("Color-blind-friendly colors and patterns"));
    patterns->setCheckable(true);
    patterns->setChecked(m_settings.isColorBlind());
    connect(patterns, &QAction::triggered, this, &Look::setColorBlind);
    connect(&menu, &QMenu::aboutToShow, patterns,
            [this, patterns] { patterns->setChecked(m_settings.isColorBlind()); });
}

void Look::apply()
{
    const bool isDark = m_choice == ThemeChoice::dark || (m_choice == ThemeChoice::system && m_systemIsDark);
    m_theme = &themeOf(isDark, m_settings.isColorBlind());
    // Replacing a style sheet restyles a widget once per ancestor. Removing the sheet and setting a new one
    // restyles each widget only twice.
    qApp->setStyleSheet({});
    QApplication::setFont(interfaceFont(m_settings.fontScale()));
    // Setting a palette updates every widget, even if the palette is the same.
    if (QApplication::palette() != m_theme->palette()) QApplication::setPalette(m_theme->palette());
    qApp->setStyleSheet(styleSheetOf(*m_theme, m_settings.fontScale()));
    emit themeChanged(*m_theme);
}

} // namespace lockstep
