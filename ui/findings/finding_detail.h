// SPDX-License-Identifier: Apache-2.0
// FindingDetail: one finding in full: sentence, actions, its chart with the threshold, why we believe it and
// what to do. UI thread.
#pragma once

#include <memory>

#include <QScrollArea>

#include "core/analysis/training/findings.h"
#include "ui/style/theme.h"

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace lockstep {

class FindingDetail : public QScrollArea {
    Q_OBJECT

  public:
    explicit FindingDetail(QWidget* parent = nullptr);

    // which: a finding of these; -1 shows nothing.
    void showFinding(std::shared_ptr<const RunFindings> findings, int which);
    void setTheme(const Theme& theme);
    // All that it says, as Copy gives it.
    QString text() const;
    QPushButton* helpButton() const { return m_help; }
    QPushButton* showButton() const { return m_show; }

  signals:
    void showRequested(int finding);
    // place: of the help, what the finding's rule means and what helps.
    void helpRequested(const QString& place);

  private:
    void build(const RunFinding& finding);
    void addHeading(QVBoxLayout& column, const QString& text) const;

    const Theme* m_theme = &lightTheme();
    std::shared_ptr<const RunFindings> m_findings;
    int m_which = -1;
    QPushButton* m_show = nullptr;
    QPushButton* m_help = nullptr;
};

} // namespace lockstep
