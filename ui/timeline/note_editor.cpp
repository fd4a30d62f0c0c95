// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/note_editor.h"

#include <algorithm>

#include <QKeyEvent>

#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

constexpr int kEditorWidth = 320, kEditorHeight = 74;

} // namespace

NoteEditor::NoteEditor(QWidget* parent) : QPlainTextEdit(parent)
{
    setAccessibleName(tr("Note text"));
    setPlaceholderText(tr("Note. Enter saves, Esc discards, Shift+Enter adds a line"));
    setTabChangesFocus(true);
    hide();
}

void NoteEditor::open(QPoint at, const QString& text, Save save)
{
    m_onSave = std::move(save);
    setPlainText(text);
    selectAll();
    resize(scaledPixels(kEditorWidth), scaledPixels(kEditorHeight));
    const QSize room = parentWidget()->size() - size();
    move(std::clamp(at.x(), 0, std::max(0, room.width())), std::clamp(at.y(), 0, std::max(0, room.height())));
    show();
    raise();
    setFocus(Qt::OtherFocusReason);
}

void NoteEditor::keyPressEvent(QKeyEvent* event)
{
    const bool isEnter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (isEnter && (event->modifiers() & Qt::ShiftModifier)) return insertPlainText("\n");
    if (isEnter) return close(true);
    if (event->key() == Qt::Key_Escape) return close(false);
    QPlainTextEdit::keyPressEvent(event);
}

// A note is not lost if the user clicks elsewhere, and the editor does not stay open over the lanes.
void NoteEditor::focusOutEvent(QFocusEvent* event)
{
    QPlainTextEdit::focusOutEvent(event);
    if (event->reason() == Qt::ActiveWindowFocusReason || event->reason() == Qt::PopupFocusReason) return;
    const Save save = std::exchange(m_onSave, {});
    hide();
    if (save) save(toPlainText());
}

void NoteEditor::close(bool isSaved)
{
    const QString text = toPlainText();
    const Save save = std::exchange(m_onSave, {});
    hide();
    emit closed();
    if (isSaved && save) save(text);
}

} // namespace lockstep
