// SPDX-License-Identifier: Apache-2.0
// FieldMessage: what stands against one field of the session, below it: the reason in the colour of its
// severity, and a link that does the fix where there is one. Hidden while nothing does. UI thread.
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
    // Follows the findings whose field is the path or lies below it ("hosts" takes "hosts.node0").
    FieldMessage(SessionDraft& draft, std::string path, QWidget* parent);

    // What a person typed and no field takes; goes before all findings. Empty = it reads well.
    void setProblem(const QString& problem);
    QString text() const;
    QToolButton* fixButton() const { return m_fix; }

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

// "bad", "warn" or "good": the style sheet's tone of a severity.
QString toneOf(Severity severity);

} // namespace lockstep
