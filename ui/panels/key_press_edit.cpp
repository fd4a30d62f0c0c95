// SPDX-License-Identifier: Apache-2.0
#include "ui/panels/key_press_edit.h"

#include <QKeyEvent>

namespace lockstep {

namespace {

bool isAlone(int key)
{
    return key == Qt::Key_unknown || key == 0 || key == Qt::Key_Shift || key == Qt::Key_Control ||
           key == Qt::Key_Alt || key == Qt::Key_Meta || key == Qt::Key_AltGr || key == Qt::Key_CapsLock ||
           key == Qt::Key_NumLock;
}

// Returns the modifiers that are held. For symbols, Shift is not included, so that "?" is "?" on every
// keyboard layout.
Qt::KeyboardModifiers heldWith(const QKeyEvent& event)
{
    const Qt::KeyboardModifiers held = event.modifiers() & ~(Qt::KeypadModifier | Qt::GroupSwitchModifier);
    const int key = event.key();
    const bool isSign = key > Qt::Key_Space && key < 0x7F && (key < Qt::Key_A || key > Qt::Key_Z);
    return isSign ? held & ~Qt::ShiftModifier : held;
}

} // namespace

KeyPressEdit::KeyPressEdit(QWidget* parent) : QLineEdit(parent)
{
    setReadOnly(true);
    setContextMenuPolicy(Qt::NoContextMenu);
    setPlaceholderText(tr("Press keys here"));
    setAccessibleName(placeholderText());
}

void KeyPressEdit::forget()
{
    m_pressed = {};
    clear();
}

// Prevents keys that are pressed in this field from triggering shortcuts of the window.
bool KeyPressEdit::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride) {
        event->accept();
        return true;
    }
    return QLineEdit::event(event);
}

void KeyPressEdit::keyPressEvent(QKeyEvent* event)
{
    if (isAlone(event->key())) return;
    if (event->key() == Qt::Key_Escape && event->modifiers() == Qt::NoModifier) return event->ignore();
    m_pressed = QKeySequence(QKeyCombination(heldWith(*event), static_cast<Qt::Key>(event->key())));
    setText(m_pressed.toString(QKeySequence::NativeText));
    emit keyPressed();
}

} // namespace lockstep
