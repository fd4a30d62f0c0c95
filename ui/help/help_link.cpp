// SPDX-License-Identifier: Apache-2.0
#include "ui/help/help_link.h"

#include "ui/help/error_help.h"

namespace lockstep {

HelpLink::HelpLink(QWidget* parent) : QPushButton(tr("Help on this"), parent)
{
    setProperty("flat", true);
    setCursor(Qt::PointingHandCursor);
    hide();
    connect(this, &QPushButton::clicked, this, [this] { emit helpRequested(m_place); });
}

void HelpLink::setMessage(const QString& message)
{
    m_place = helpPlaceOf(message);
    setVisible(!m_place.isEmpty());
}

} // namespace lockstep
