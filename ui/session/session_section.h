// SPDX-License-Identifier: Apache-2.0
// SessionSection: a framed part of the Session page: a heading and, below it, lines of a caption and an
// editor with the field's message under it. UI thread.
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

// One line of a section: shown and hidden as a whole.
class SectionLine : public QWidget {
    Q_OBJECT

  public:
    // editor is taken; path names the field for the message and, by its comment, the tooltip.
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
