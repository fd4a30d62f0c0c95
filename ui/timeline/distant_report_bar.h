// SPDX-License-Identifier: Apache-2.0
// DistantReportBar is a bar above the lanes that notifies the user of a distant report (a report that is far
// from all others in time) and offers to move it. It is hidden if no report is distant. UI thread.
#pragma once

#include <set>

#include <QFrame>

#include "core/scene/distant_report.h"

class QLabel;
class QPushButton;

namespace lockstep {

class DistantReportBar : public QFrame {
    Q_OBJECT

  public:
    explicit DistantReportBar(QWidget* parent);

    // Shows the first distant report in the scene that the user has not dismissed.
    void setScene(const Scene& scene);
    const std::optional<DistantReport>& shown() const { return m_shown; }
    QString text() const;

  signals:
    void goToRequested(TimeRange aligned);
    void alignByStepRequested();
    // Requests that the report be shifted so that it begins just after the others end.
    void moveAdjacentRequested(ReportKey report, Duration by);

  private:
    void show(const Scene& scene, const DistantReport& far, size_t more);
    void dismiss();

    QLabel* m_text;
    QPushButton* m_goTo;
    QPushButton* m_align;
    QPushButton* m_moveAdjacent;
    QPushButton* m_dismiss;
    std::optional<DistantReport> m_shown;
    std::vector<DistantReport> m_all;
    std::set<ReportKey> m_dismissed;
};

} // namespace lockstep
