// SPDX-License-Identifier: Apache-2.0
#include "app/look.h"

#include <QActionGroup>
#include <QApplication>
#include <QMenu>

#include "app/actions.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

Look::Look(Settings& settings, bool systemIsDark)
    : m_settings(settings), m_systemIsDark(systemIsDark), m_choice(settings.themeChoice())
{
    // While some style sheet is left Qt remembers which widgets it has to forget when they go; else those
    // that were not shown yet are lost count of when apply() takes the program's sheet off.
    m_anchor.setStyleSheet(" ");
    qApp->setStyleSheet(" "); // before the font, as the first one puts the system's font in its place
    apply();
}

void Look::setThemeChoice(ThemeChoice choice)
{
    m_choice = choice;
    apply();
}

void Look::takeSettings()
{
    m_choice = m_settings.themeChoice();
    apply();
}

void Look::setColorBlind(bool isOn)
{
    m_settings.setColorBlind(isOn);
    apply();
}

void Look::setFontScale(double scale)
{
    m_settings.setFontScale(scale);
    apply();
}

void Look::connectActions(const ActionTable& actions)
{
    const auto on = [&](ActionId id, auto&& run) { connect(actions.at(id), &QAction::triggered, this, run); };
    on(ActionId::textLarger, [this] { setFontScale(m_settings.fontScale() + 0.1); });
    on(ActionId::textSmaller, [this] { setFontScale(m_settings.fontScale() - 0.1); });
    on(ActionId::textReset, [this] { setFontScale(1); });
}

void Look::fillMenu(QMenu& menu)
{
    auto* const group = new QActionGroup(&menu);
    const QStringList names{tr("Like the desktop"), tr("Light"), tr("Dark")};
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
    QAction* const patterns = menu.addAction(tr("Colours and patterns for the colour-blind"));
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
    // Qt styles a widget anew once for itself and once for each widget it lies in when another sheet comes,
    // but once each when a sheet goes and when one comes.
    qApp->setStyleSheet({});
    QApplication::setFont(interfaceFont(m_settings.fontScale()));
    // Every widget takes note of a palette, even of the same one.
    if (QApplication::palette() != m_theme->palette()) QApplication::setPalette(m_theme->palette());
    qApp->setStyleSheet(styleSheetOf(*m_theme, m_settings.fontScale()));
    emit themeChanged(*m_theme);
}

} // namespace lockstep
