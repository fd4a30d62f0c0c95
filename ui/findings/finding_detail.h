// SPDX-License-Identifier: Apache-2.0
// FindingDetail shows one finding in full: the sentence that states it, the actions, a chart with the
// threshold, the evidence, and advice. UI thread.
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

    // Shows findings->found[index]; -1 shows nothing.
    void showFinding(std::shared_ptr<const RunFindings> findings, int index);
    void setTheme(const Theme& theme);
    // Returns all text on the page, as the Copy button copies it.
    QString text() const;

  signals:
    void showRequested(int finding);
    // Requests the help section for the finding's rule; `page` is a help page with a section.
    void helpRequested(const QString& page);

  private:
    void build(const RunFinding& finding);
    void addHeading(QVBoxLayout& column, const QString& text) const;

    const Theme* m_theme = &lightTheme();
    std::shared_ptr<const RunFindings> m_findings;
    int m_index = -1;
    QPushButton* m_show = nullptr;
    QPushButton* m_help = nullptr;
};

} // namespace lockstep
