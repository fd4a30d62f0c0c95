// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/prompt_line.h"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QStyle>
#include <QVBoxLayout>

#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

constexpr int kPromptWidth = 460;

} // namespace

PromptLine::PromptLine(QWidget* parent, Texts texts)
    : QFrame(parent), m_texts(std::move(texts)), m_field(new QLineEdit(this)), m_hint(new QLabel(this))
{
    setFrameShape(QFrame::StyledPanel);
    setAutoFillBackground(true);
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(scaledPixels(8), scaledPixels(6), scaledPixels(8), scaledPixels(6));
    column->setSpacing(scaledPixels(4));
    column->addWidget(m_field);
    column->addWidget(m_hint);
    m_field->setPlaceholderText(m_texts.placeholder);
    m_field->setAccessibleName(m_texts.name);
    m_field->installEventFilter(this);
    m_hint->setTextFormat(Qt::PlainText);
    m_hint->setWordWrap(true);
    connect(m_field, &QLineEdit::textChanged, this, &PromptLine::edited);
    hide();
}

void PromptLine::open()
{
    m_field->clear();
    setHint(m_texts.hint, false);
    const int width = std::min(scaledPixels(kPromptWidth), parentWidget()->width());
    setGeometry((parentWidget()->width() - width) / 2, 0, width, layout()->totalHeightForWidth(width));
    show();
    raise();
    m_field->setFocus(Qt::ShortcutFocusReason);
}

QString PromptLine::hint() const
{
    return m_hint->text();
}

void PromptLine::setHint(const QString& text, bool isError)
{
    m_hint->setText(text);
    m_hint->setProperty("tone", isError ? "bad" : "quiet");
    m_hint->style()->unpolish(m_hint);
    m_hint->style()->polish(m_hint);
    resize(width(), layout()->totalHeightForWidth(width()));
}

void PromptLine::close()
{
    if (!isOpen()) return;
    hide();
    emit closed();
}

bool PromptLine::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::FocusOut) {
        const Qt::FocusReason reason = static_cast<QFocusEvent*>(event)->reason();
        if (reason != Qt::ActiveWindowFocusReason && reason != Qt::PopupFocusReason) hide();
    }
    if (event->type() != QEvent::KeyPress) return QFrame::eventFilter(watched, event);
    const auto* const press = static_cast<QKeyEvent*>(event);
    const int key = press->key();
    if (key == Qt::Key_Escape) close();
    if (key == Qt::Key_Return || key == Qt::Key_Enter)
        emit entered(m_field->text(), press->modifiers().testFlag(Qt::ShiftModifier));
    return key == Qt::Key_Escape || key == Qt::Key_Return || key == Qt::Key_Enter;
}

} // namespace lockstep
