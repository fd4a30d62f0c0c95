// SPDX-License-Identifier: Apache-2.0
// What follows from the form: findings, expected files, and the plan itself. UI thread.
#pragma once

#include "core/session/finding.h"
#include "ui/session/session_section.h"
#include "ui/style/theme.h"

class QPlainTextEdit;
class QTabBar;

namespace lockstep {

class ShellHighlighter;

// All findings, most severe first, with what to do and a Fix link where one click does it. Import findings
// come last.
class FindingsSection : public SessionSection {
    Q_OBJECT

  public:
    FindingsSection(SessionDraft& draft, QWidget* parent);

  signals:
    // A finding was clicked: its field's path.
    void fieldRequested(const QString& path);

  private:
    void refresh();
    QWidget* makeRow(const Finding& finding);

    QWidget* m_rows;
};

// Files a run leaves: role, ranks x reports, count, size.
class ForecastSection : public SessionSection {
    Q_OBJECT

  public:
    ForecastSection(SessionDraft& draft, QWidget* parent);

  private:
    void refresh();

    QWidget* m_rows;
};

// Commands and files as they will stand on each host, one tab a host, to be read and copied.
class PlanSection : public SessionSection {
    Q_OBJECT

  public:
    PlanSection(SessionDraft& draft, QWidget* parent);

    void setTheme(const Theme& theme);
    QString shownText() const;
    QTabBar* hosts() const { return m_hosts; }

  private:
    void refresh();
    void showHost();

    QTabBar* m_hosts;
    QPlainTextEdit* m_text;
    ShellHighlighter* m_colors;
};

} // namespace lockstep
