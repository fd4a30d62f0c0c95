// SPDX-License-Identifier: Apache-2.0
#include "ui/panels/notice_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QStyle>
#include <QToolButton>

#include "ui/async/ui_log.h"
#include "ui/help/help_topics.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

NoticeBar::NoticeBar(QWidget* parent)
    : QWidget(parent), m_text(new QLabel(this)), m_progress(new QProgressBar(this)),
      m_buttons(new QHBoxLayout)
{
    setProperty("panel", true);
    setProperty("notice", true);
    setAttribute(Qt::WA_StyledBackground);
    setAccessibleName(tr("Notice"));
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_progress->setTextVisible(false);
    m_progress->setRange(0, 1000);
    m_progress->setFixedWidth(scaledPixels(160));
    m_progress->setAccessibleName(tr("Progress"));
    auto* const line = new QHBoxLayout(this);
    line->setContentsMargins(scaledPixels(12), scaledPixels(5), scaledPixels(8), scaledPixels(5));
    line->setSpacing(scaledPixels(10));
    line->addWidget(m_text, 1);
    line->addWidget(m_progress);
    line->addLayout(m_buttons);
    hide();
}

void NoticeBar::showNotice(Tone tone, const QString& text, const std::vector<Choice>& choices, HelpTopic help)
{
    m_isProgress = false;
    qCInfo(uiLog, "told: %s", qUtf8Printable(text));
    const char* const word = tone == Tone::bad ? "bad" : tone == Tone::warn ? "warn" : "plain";
    m_text->setProperty("tone", word);
    m_text->style()->unpolish(m_text);
    m_text->style()->polish(m_text);
    m_text->setText(text);
    m_progress->hide();
    setButtons(choices.empty() ? std::vector<Choice>{{tr("Dismiss"), [] {}}} : choices);
    if (help != HelpTopic::none)
        connect(addButton(tr("Help")), &QToolButton::clicked, this,
                [this, help] { emit helpRequested(helpPageOf(help)); });
    setVisible(true);
}

void NoticeBar::showProgress(const QString& text, std::optional<double> fraction,
                             const std::function<void()>& stop)
{
    if (!m_isProgress) {
        showNotice(Tone::quiet, text, {{tr("Cancel"), stop}});
        m_isProgress = true;
        m_progress->show();
    }
    m_text->setText(text);
    // With an empty range, Qt shows a busy indicator.
    m_progress->setRange(0, fraction ? 1000 : 0);
    if (fraction) m_progress->setValue(static_cast<int>(*fraction * 1000));
}

void NoticeBar::clear()
{
    m_isProgress = false;
    hide();
    m_text->clear();
    setButtons({});
    emit cleared();
}

bool NoticeBar::isEmpty() const
{
    return isHidden();
}

QString NoticeBar::text() const
{
    return m_text->text();
}

void NoticeBar::setButtons(const std::vector<Choice>& choices)
{
    while (QLayoutItem* const item = m_buttons->takeAt(0)) {
        item->widget()->hide();
        item->widget()->deleteLater();
        delete item;
    }
    for (const Choice& choice : choices) {
        connect(addButton(choice.text), &QToolButton::clicked, this, [this, run = choice.run] {
            clear();
            run();
        });
    }
}

QToolButton* NoticeBar::addButton(const QString& text)
{
    auto* const button = new QToolButton(this);
    button->setText(text);
    button->setProperty("link", true);
    button->setFocusPolicy(Qt::StrongFocus);
    m_buttons->addWidget(button);
    return button;
}

} // namespace lockstep
