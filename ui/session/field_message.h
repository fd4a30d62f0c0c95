// SPDX-License-Identifier: Apache-2.0
// FieldMessage: the message below a session field, one line. It shows why a typed text is refused, with a
// link that reverts the text, or otherwise the most severe finding of the field in the color of the severity.
// If the finding can be fixed automatically, a link applies the fix. While there is no message, the widget is
// hidden but keeps its place, so that the form does not move. UI thread.
#pragma once

#include <string>

#include <QWidget>

#include "core/session/finding.h"

class QToolButton;

namespace lockstep {

class ElidedLabel;
class SessionDraft;

class FieldMessage : public QWidget {
    Q_OBJECT

  public:
    // Shows the findings for the field `path` and the fields below it ("hosts" includes "hosts.node0").
    FieldMessage(SessionDraft& draft, std::string path, QWidget* parent);

    // Returns the full text; the line on screen may be elided.
    QString text() const;

  private:
    void refresh();
    void apply();
    void show(Severity severity, const QString& text, const QString& tooltip);

    SessionDraft& m_draft;
    const std::string m_path;
    Finding m_finding;
    ElidedLabel* m_text;
    QToolButton* m_link; // Fix or Revert
};

// Returns the tone that the style sheet uses for a severity: "bad", "warn" or "quiet".
QString toneOf(Severity severity);

} // namespace lockstep
