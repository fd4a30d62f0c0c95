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
    qApp->setStyleSheet(" "); // before the font, as the first one puts the system's font in its place
    apply();
}

void Look::setThemeChoice(ThemeChoice choice)
{
    m_choice = choice;
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
    const QStringList names{"Like the desktop", "Light", "Dark"};
    for (int i = 0; i < names.size(); ++i) {
        const auto choice = static_cast<ThemeChoice>(i);
        QAction* const action = menu.addAction(names[i], this, [this, choice] {
            m_settings.setThemeChoice(choice);
            setThemeChoice(choice);
        });
        action->setCheckable(true);
        action->setChecked(choice == m_choice);
        group->addAction(action);
    }
}

void Look::apply()
{
    const bool isDark = m_choice == ThemeChoice::dark || (m_choice == ThemeChoice::system && m_systemIsDark);
    m_theme = isDark ? &darkTheme() : &lightTheme();
    QApplication::setFont(interfaceFont(m_settings.fontScale()));
    // Every widget takes note of a palette, even of the same one.
    if (QApplication::palette() != m_theme->palette()) QApplication::setPalette(m_theme->palette());
    qApp->setStyleSheet(styleSheetOf(*m_theme, m_settings.fontScale()));
    emit themeChanged(*m_theme);
}

} // namespace lockstep
