// ChoicePageController: the Page on which the many reports of a folder are chosen among, and the memory that
// open reports may take. UI thread.
#pragma once

#include "app/reports_page.h"
#include "app/window_parts.h"

namespace lockstep {

class ReportChoicePage;
struct FoundReports;

class ChoicePageController : public ReportsPage {
    Q_OBJECT

  public:
    explicit ChoicePageController(const WindowParts& parts);

    QWidget* widget() const override;
    void takeFront() override;
    void setTheme(const Theme& theme) override;

  private:
    void show(const FoundReports& found);
    void setMemoryPercent(int percent);

    WindowParts m_parts;
    ReportChoicePage* m_page;
};

} // namespace lockstep
