#include "app/choice_page_controller.h"

#include "app/report_loader.h"
#include "app/settings.h"
#include "app/workspace_controller.h"
#include "ui/panels/report_choice_page.h"

namespace lockstep {

ChoicePageController::ChoicePageController(const WindowParts& parts)
    : ReportsPage(parts.undo), m_parts(parts), m_page(new ReportChoicePage(&parts.window))
{
    connect(&parts.reports, &WorkspaceController::choiceNeeded, this, &ChoicePageController::show);
    connect(m_page, &ReportChoicePage::left, this, &Page::left);
    connect(m_page, &ReportChoicePage::memoryPercentChanged, this, &ChoicePageController::setMemoryPercent);
    connect(m_page, &ReportChoicePage::loadRequested, this,
            [this](const FoundReports& found, const std::vector<size_t>& chosen) {
                emit left();
                m_parts.reports.openFound(found, chosen);
            });
    setMemoryPercent(parts.settings.memoryPercent());
}

QWidget* ChoicePageController::widget() const
{
    return m_page;
}

void ChoicePageController::takeFront()
{
    m_page->setFocus();
}

void ChoicePageController::setTheme(const Theme& theme)
{
    m_page->setTheme(theme);
}

void ChoicePageController::show(const FoundReports& found)
{
    m_page->setFound(found);
    setMemoryPercent(m_parts.settings.memoryPercent());
    emit frontRequested();
}

void ChoicePageController::setMemoryPercent(int percent)
{
    Settings& settings = m_parts.settings;
    settings.setMemoryPercent(percent);
    const uint64_t machine_bytes = machineMemory_bytes();
    m_parts.reports.setMemoryLimit(machine_bytes / 100 * static_cast<uint64_t>(settings.memoryPercent()));
    m_page->setMemory(m_parts.reports.reports().residentBytes(), m_parts.reports.memoryLimit_bytes(),
                      machine_bytes);
}

} // namespace lockstep
