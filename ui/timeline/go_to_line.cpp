// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/go_to_line.h"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QStyle>
#include <QVBoxLayout>

#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

constexpr int kGoToWidth = 460;

} // namespace

GoToLine::GoToLine(QWidget* parent) : QFrame(parent), m_field(new QLineEdit(this)), m_hint(new QLabel(this))
{
    setFrameShape(QFrame::StyledPanel);
    setAutoFillBackground(true);
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(scaledPixels(8), scaledPixels(6), scaledPixels(8), scaledPixels(6));
    column->setSpacing(scaledPixels(4));
    column->addWidget(m_field);
    column->addWidget(m_hint);
    m_field->setPlaceholderText(tr("Go to a time, a step, a mark or a link"));
    m_field->setAccessibleName(tr("Go to"));
    m_field->installEventFilter(this);
    m_hint->setTextFormat(Qt::PlainText);
    m_hint->setWordWrap(true);
    connect(m_field, &QLineEdit::textChanged, this, &GoToLine::edited);
    hide();
}

void GoToLine::open()
{
    m_field->clear();
    setHint(
        tr("1.204 s   +38 ms   12:04:31.204   2026-11-20T12:04:31Z   @r3 123456789   step 3   mark 2   50%"),
        false);
    const int width = std::min(scaledPixels(kGoToWidth), parentWidget()->width());
    setGeometry((parentWidget()->width() - width) / 2, 0, width, layout()->totalHeightForWidth(width));
    show();
    raise();
    m_field->setFocus(Qt::ShortcutFocusReason);
}

QString GoToLine::hint() const
{
    return m_hint->text();
}

void GoToLine::setHint(const QString& text, bool isError)
{
    m_hint->setText(text);
    m_hint->setProperty("tone", isError ? "bad" : "quiet");
    m_hint->style()->unpolish(m_hint);
    m_hint->style()->polish(m_hint);
    resize(width(), layout()->totalHeightForWidth(width()));
}

void GoToLine::close()
{
    if (!isOpen()) return;
    hide();
    emit closed();
}

bool GoToLine::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::KeyPress) return QFrame::eventFilter(watched, event);
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Escape) close();
    if (key == Qt::Key_Return || key == Qt::Key_Enter) emit entered(m_field->text());
    return key == Qt::Key_Escape || key == Qt::Key_Return || key == Qt::Key_Enter;
}

} // namespace lockstep
