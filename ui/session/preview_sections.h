// SPDX-License-Identifier: Apache-2.0
// Sections that show what results from the values in the form: session checks, expected reports, and the
// plan. UI thread.
#pragma once

#include "core/session/finding.h"
#include "ui/session/session_section.h"
#include "ui/style/theme.h"

class QPlainTextEdit;
class QTabBar;
class QToolButton;

namespace lockstep {

class ShellHighlighter;

// FindingsSection lists all findings with their remedies, most severe first. A finding whose remedy can be
// applied automatically has a Fix link. Findings from an import come last.
class FindingsSection : public SessionSection {
    Q_OBJECT

  public:
    FindingsSection(SessionDraft& draft, QWidget* parent);

  signals:
    // Emitted when the user clicks the field of a finding; `path` is the path of that field.
    void fieldRequested(const QString& path);

  private:
    void refresh();
    QWidget* makeRow(const Finding& finding);

    QWidget* m_rows;
};

// ForecastSection lists the expected reports of the run: its columns are role, host, ranks x reports, count
// and size.
class ForecastSection : public SessionSection {
    Q_OBJECT

  public:
    ForecastSection(SessionDraft& draft, QWidget* parent);

  private:
    void refresh();

    QWidget* m_rows;
};

// PlanSection shows the commands and files of each host, one tab per host, to read and copy for one host or
// for all hosts.
class PlanSection : public SessionSection {
    Q_OBJECT

  public:
    PlanSection(SessionDraft& draft, QWidget* parent);

    void setTheme(const Theme& theme);
    QString shownText() const;
    QTabBar* hosts() const { return m_hosts; }

  signals:
    // Requests a dry run of the session's script.
    void dryRunRequested();

  private:
    void refresh();
    void showHost();
    void copyAll();
    // what: the hosts of the text. The remark of the section confirms the copy until the session changes.
    void copy(const std::string& text, const QString& what);
    void fillCopyMenu();

    QTabBar* m_hosts;
    QPlainTextEdit* m_text;
    QToolButton* m_dryRun;
    QToolButton* m_copy;
    ShellHighlighter* m_colors;
};

} // namespace lockstep
