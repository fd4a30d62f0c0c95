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
// field.
struct FieldChoice {
    std::string word;
    QString label;
};

// FieldEdit edits one field as text. Undo and redo apply to the session, not to the text in the line edit.
class FieldEdit : public QLineEdit {
    Q_OBJECT

  public:
    FieldEdit(SessionDraft& draft, std::string path, FieldText kind, const QString& placeholder,
              QWidget* parent = nullptr);

  signals:
    // Emitted with the reason why the text is invalid; empty once it is valid.
    void problemChanged(const QString& problem);

  protected:
    bool event(QEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

  private:
    void take(const QString& text);
    void refresh();

    SessionDraft& m_draft;
    const std::string m_path;
    const FieldText m_kind;
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

  protected:
    // Ignores the wheel unless the box has the focus, so that scrolling the page does not change values.
    void wheelEvent(QWheelEvent* event) override;

  private:
    void refresh();

    SessionDraft& m_draft;
    const std::string m_path;
    const std::vector<FieldChoice> m_choices;
};

// Returns the choices "default", "on" and "off" of an optional setting.
std::vector<FieldChoice> switchChoices();

} // namespace lockstep
