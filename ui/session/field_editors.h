// SPDX-License-Identifier: Apache-2.0
// The editors of single session fields: a line of text, a row of exclusive buttons, a drop-down. Each is made
// for one path of session_fields.h, writes what a person chooses to the draft and follows it. UI thread.
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

// A value of a field and how it is called on screen. An empty word empties the field.
struct FieldChoice {
    std::string word;
    QString label;
};

// Undo and redo are the session's, not the line's own.
class FieldEdit : public QLineEdit {
    Q_OBJECT

  public:
    FieldEdit(SessionDraft& draft, std::string path, FieldText kind, const QString& placeholder,
              QWidget* parent = nullptr);

  signals:
    // Why what stands here is not taken; empty once it is.
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

// Side by side; arrows move between them, Space chooses.
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
    // Only with the focus: a page that is scrolled changes nothing.
    void wheelEvent(QWheelEvent* event) override;

  private:
    void refresh();

    SessionDraft& m_draft;
    const std::string m_path;
    const std::vector<FieldChoice> m_choices;
};

// "default", "on" and "off": of a setting that may stay unsaid.
std::vector<FieldChoice> switchChoices();

} // namespace lockstep
