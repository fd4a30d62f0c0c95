// SPDX-License-Identifier: Apache-2.0
// FieldMessage: the message below a session field. It shows the most severe finding of the field in the color
// of the severity. If the finding can be fixed automatically, a link applies the fix. Hidden while the field
// has no finding. UI thread.
#pragma once

#include <string>

#include <QWidget>

#include "core/session/finding.h"

class QLabel;
class QToolButton;

namespace lockstep {

class SessionDraft;

class FieldMessage : public QWidget {
    Q_OBJECT

  public:
    // Shows the findings for the field `path` and the fields below it ("hosts" includes "hosts.node0").
    FieldMessage(SessionDraft& draft, std::string path, QWidget* parent);

    // Shows a problem with the typed text; the problem takes precedence over all findings. An empty string
    // clears the problem.
    void setProblem(const QString& problem);
    QString text() const;

  private:
    void refresh();
    void show(Severity severity, const QString& text, const QString& tooltip);

    SessionDraft& m_draft;
    const std::string m_path;
    QString m_problem;
    Finding m_finding;
    QLabel* m_text;
    QToolButton* m_fix;
};

// Returns the tone that the style sheet uses for a severity: "bad", "warn" or "quiet".
QString toneOf(Severity severity);

} // namespace lockstep
