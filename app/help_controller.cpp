// SPDX-License-Identifier: Apache-2.0
#include "app/help_controller.h"

#include "app/actions.h"
#include "app/page_stack.h"
#include "app/panel_docks.h"
#include "ui/window/panel.h"

namespace lockstep {

HelpController::HelpController(const WindowParts& parts) : QObject(&parts.window), m_parts(parts)
{
    connect(parts.actions.at(ActionId::help), &QAction::triggered, this, [this] { open("index"); });
    connect(parts.actions.at(ActionId::helpHere), &QAction::triggered, this,
            &HelpController::openOfWhatIsInHand);
    for (Panel* const panel : parts.docks.panels())
        connect(panel, &Panel::helpRequested, this, &HelpController::open);
}

void HelpController::open(const QString& place)
{
    if (m_window == nullptr) m_window = new HelpWindow(&m_parts.window);
    m_window->open(place);
    m_window->raise();
    m_window->activateWindow();
}

void HelpController::openOfWhatIsInHand()
{
    const Panel* const panel = m_parts.docks.inHand();
    open(panel != nullptr ? panel->helpPage() : m_parts.pages.current().helpPage());
}

} // namespace lockstep
