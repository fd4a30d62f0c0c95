// SPDX-License-Identifier: Apache-2.0
// SessionSection: a framed section of the Session page: a heading, then lines that consist of a caption, an
// editor, and the field's message below the editor. UI thread.
#pragma once

#include "core/session/session_config.h"
#include "ui/style/card.h"

namespace lockstep {

inline bool isVerl(const SessionConfig& config)
{
    return isVerlFamily(config.framework);
}

class FieldMessage;
class SessionDraft;

// SectionLine is one line of a section; its widgets are shown and hidden together.
class SectionLine : public QWidget {
    Q_OBJECT

  public:
    // Adds a line and takes ownership of `editor`. `path` is the field whose message and tooltip (the field's
    // comment) are shown.
    SectionLine(SessionDraft& draft, const std::string& path, const QString& caption, QWidget* editor,
                QWidget* parent);

    FieldMessage* message() const { return m_message; }

  private:
    FieldMessage* m_message;
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
