// SPDX-License-Identifier: Apache-2.0
// FarReportBar is a line above the lanes that informs the user of a distant report (a report that is far from
// all others in time) and offers remedies. It is hidden if no report is distant. UI thread.
#pragma once

#include <set>

#include <QFrame>

#include "core/scene/far_report.h"

class QLabel;
class QPushButton;

namespace lockstep {

class FarReportBar : public QFrame {
    Q_OBJECT

  public:
    explicit FarReportBar(QWidget* parent);

    // Shows the first distant report in the scene that the user has not dismissed.
    void setScene(const Scene& scene);
    const std::optional<FarReport>& shown() const { return m_shown; }
    QString text() const;
    QPushButton* goToButton() const { return m_goTo; }
    QPushButton* alignButton() const { return m_align; }
    QPushButton* besideButton() const { return m_beside; }
    QPushButton* dismissButton() const { return m_dismiss; }

  signals:
    void goToRequested(TimeRange aligned);
    void alignByStepRequested();
    // Requests that the report be shifted so that it begins just after the others end.
    void besideRequested(ReportKey report, Duration by);

  private:
    void show(const Scene& scene, const FarReport& far, size_t more);
    void dismiss();

    QLabel* m_text;
    QPushButton* m_goTo;
    QPushButton* m_align;
    QPushButton* m_beside;
    QPushButton* m_dismiss;
    std::optional<FarReport> m_shown;
    std::vector<FarReport> m_all;
    std::set<ReportKey> m_dismissed;
};

} // namespace lockstep
