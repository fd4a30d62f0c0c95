// SPDX-License-Identifier: Apache-2.0
// Editors of single session fields: a line edit, a row of exclusive buttons, a combo box. Each edits one path
// of session_fields.h, writes the user's input to the draft, and follows changes of the draft. UI thread.
#pragma once

#include <string>
#include <vector>

#include <QComboBox>
#include <QLineEdit>
#include <QWidget>

#include "ui/session/field_text.h"

class QAbstractButton;

namespace lockstep {

class SessionDraft;

// FieldChoice is a value of a field with its displayed label. If `word` is empty, choosing it clears the
// field. If `label` is empty too, it shows the value that then applies, e.g. "default: on".
struct FieldChoice {
    std::string word;
    QString label;
};

// FieldEdit edits one field as text. Undo and redo apply to the session, not to the text in the line edit. If
// the field does not accept the text, the session keeps the value that the field had before the user began to
// type; the text stays, marked as invalid, until it is corrected or reverted (Escape or undo). The property
// "invalid" is then true.
class FieldEdit : public QLineEdit {
    Q_OBJECT

  public:
    FieldEdit(SessionDraft& draft, std::string path, FieldText kind, QWidget* parent = nullptr);

  protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

  private:
    void take(const QString& text);
    void commit();
    void refresh();
    void markInvalid(const QString& reason);

    SessionDraft& m_draft;
    const std::string m_path;
    const FieldText m_kind;
    ConfigValue m_before;  // value before the user began to type; null if not set
    ConfigValue m_written; // value that this editor wrote or showed last
    bool m_isTaking = false;
};

// FieldButtons shows the choices of a field side by side. Arrow keys move between them; Space selects.
class FieldButtons : public QWidget {
    Q_OBJECT

  public:
    FieldButtons(SessionDraft& draft, std::string path, std::vector<FieldChoice> choices,
                 QWidget* parent = nullptr);

  private:
    void refresh();

    SessionDraft& m_draft;
    const std::string m_path;
    const std::vector<FieldChoice> m_choices;
    std::vector<QAbstractButton*> m_buttons;
};

class FieldCombo : public QComboBox {
    Q_OBJECT

  public:
    FieldCombo(SessionDraft& draft, std::string path, std::vector<FieldChoice> choices,
               QWidget* parent = nullptr);
    // Replaces the choices if they are others.
    void setChoices(std::vector<FieldChoice> choices);

  protected:
    // Ignores the wheel unless the box has the focus, so that scrolling the page does not change values.
    void wheelEvent(QWheelEvent* event) override;

  private:
    void refresh();

    SessionDraft& m_draft;
    const std::string m_path;
    std::vector<FieldChoice> m_choices;
};

// Returns the choices of an optional setting: unset, "on" and "off".
std::vector<FieldChoice> switchChoices();

} // namespace lockstep
