// SPDX-License-Identifier: Apache-2.0
// SessionSection: a framed section of the Session page: a heading, then lines that consist of a caption, an
// editor, and the field's message below the editor. UI thread.
#pragma once

#include "core/session/recipes/recipe_settings.h"
#include "core/session/session_config.h"
#include "ui/style/card.h"

class QHBoxLayout;

namespace lockstep {

class SessionDraft;

// SectionLine is one line of a section; its widgets are shown and hidden together. The place of the message
// is reserved.
class SectionLine : public QWidget {
    Q_OBJECT

  public:
    // Adds a line and takes ownership of `editor`. `path` is the field whose message and tooltip (the field's
    // comment) are shown.
    SectionLine(SessionDraft& draft, const std::string& path, const QString& caption, QWidget* editor,
                QWidget* parent);

    // Adds a button at the right end of the editor.
    void addButton(QWidget* button);

  private:
    QHBoxLayout* m_editor;
};

class SessionSection : public Card {
    Q_OBJECT

  public:
    SessionSection(SessionDraft& draft, const QString& heading, QWidget* parent);

  protected:
    SessionDraft& draft() const { return m_draft; }
    SectionLine* addLine(const std::string& path, const QString& caption, QWidget* editor);

  private:
    SessionDraft& m_draft;
};

} // namespace lockstep
