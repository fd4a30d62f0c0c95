// SPDX-License-Identifier: Apache-2.0
#include "ui/session/page_banner.h"

#include <algorithm>
#include <utility>

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "ui/help/help_link.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

PageBanner::PageBanner(QWidget* page, QWidget* below)
    : QFrame(page), m_below(below), m_text(new QLabel(this)), m_help(new HelpLink(this)),
      m_action(new QToolButton(this))
{
    setObjectName("pageBanner");
    setAccessibleName(tr("Message"));
    m_text->setProperty("tone", "bad");
    m_text->setTextFormat(Qt::PlainText);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_text->setWordWrap(true);
    m_action->setProperty("link", true);
    auto* const close = new QToolButton(this);
    close->setText(tr("Close"));
    close->setProperty("link", true);
    auto* const line = new QHBoxLayout(this);
    line->setContentsMargins(scaledPixels(12), scaledPixels(6), scaledPixels(8), scaledPixels(6));
    line->setSpacing(scaledPixels(10));
    line->addWidget(m_text, 1);
    for (QWidget* const button :
         {static_cast<QWidget*>(m_help), static_cast<QWidget*>(m_action), static_cast<QWidget*>(close)})
        line->addWidget(button, 0, Qt::AlignTop);
    connect(close, &QToolButton::clicked, this, [this] { setMessage({}, HelpTopic::none, {}); });
    connect(m_action, &QToolButton::clicked, this, [this] {
        const std::function<void()> run = std::exchange(m_run, {});
        setMessage({}, HelpTopic::none, {});
        if (run) run();
    });
    connect(m_help, &HelpLink::helpRequested, this, &PageBanner::helpRequested);
    page->installEventFilter(this);
    below->installEventFilter(this);
    hide();
}

void PageBanner::setMessage(const QString& message, HelpTopic help, const Action& action)
{
    m_text->setText(message);
    m_help->setTopic(help);
    m_action->setText(action.text);
    m_action->setVisible(!action.text.isEmpty());
    m_run = action.run;
    setVisible(!message.isEmpty());
    place();
}

bool PageBanner::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize || event->type() == QEvent::Move) place();
    return QFrame::eventFilter(watched, event);
}

// A long message covers at most half of the page.
void PageBanner::place()
{
    if (isHidden()) return;
    const int margin = scaledPixels(10);
    const int width = std::max(0, parentWidget()->width() - 2 * margin);
    const int wanted = std::max(layout()->heightForWidth(width), layout()->minimumSize().height());
    setGeometry(margin, m_below->geometry().bottom() + 1 + margin / 2, width,
                std::min(wanted, parentWidget()->height() / 2));
    raise();
}

} // namespace lockstep
