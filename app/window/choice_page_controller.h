// SPDX-License-Identifier: Apache-2.0
// ChoicePageController is the Page on which the user selects which of many reports to open, and sets the
// memory limit. UI thread.
#pragma once

#include "app/window/reports_page.h"
#include "app/window/window_parts.h"
#include "core/readers/report_search.h"
#include "ui/async/latest_job.h"
#include "ui/models/report_choice_model.h"

namespace lockstep {

class ReportChoicePage;

class ChoicePageController : public ReportsPage {
    Q_OBJECT

  public:
    explicit ChoicePageController(const WindowParts& parts);

    QWidget* widget() const override;
    QString helpPage() const override { return "open_reports"; }
    void onActivated() override;
    void setTheme(const Theme& theme) override;
    bool isBusy() const override { return m_sort.isRunning(); }

  private:
    void prepare(const FoundReports& found);
    void show(SortedChoices sorted);
    void showMemory();

    WindowParts m_parts;
    ReportChoicePage* m_page;
    std::shared_ptr<const FoundReports> m_found;
    LatestJob<SortedChoices> m_sort;
};

} // namespace lockstep
