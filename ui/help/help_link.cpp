// SPDX-License-Identifier: Apache-2.0
#include "ui/help/help_link.h"

#include "ui/help/help_topics.h"

namespace lockstep {

HelpLink::HelpLink(QWidget* parent) : QPushButton(tr("Help on this"), parent)
{
    setProperty("flat", true);
    setCursor(Qt::PointingHandCursor);
    hide();
    connect(this, &QPushButton::clicked, this, [this] { emit helpRequested(helpPageOf(m_topic)); });
}

void HelpLink::setTopic(HelpTopic topic)
{
    m_topic = topic;
    setVisible(topic != HelpTopic::none);
}

} // namespace lockstep
