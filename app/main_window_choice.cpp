// MainWindow: choosing among the many reports of a folder, and the memory that open reports may take.
#include <QStackedWidget>

#include "app/main_window.h"
#include "app/report_loader.h"
#include "ui/panels/notice_bar.h"
#include "ui/panels/report_choice_page.h"
#include "ui/timeline/timeline_view.h"

namespace lockstep {

void MainWindow::connectChoice()
{
    connect(&m_controller, &WorkspaceController::choiceNeeded, this, &MainWindow::showChoice);
    connect(m_choice, &ReportChoicePage::left, this, &MainWindow::leaveChoice);
    connect(m_choice, &ReportChoicePage::memoryPercentChanged, this, &MainWindow::setMemoryPercent);
    connect(m_choice, &ReportChoicePage::loadRequested, this,
            [this](const FoundReports& found, const std::vector<size_t>& chosen) {
                leaveChoice();
                m_controller.openFound(found, chosen);
            });
}

void MainWindow::showChoice(const FoundReports& found)
{
    showTimelinePage();
    m_choice->setFound(found);
    setMemoryPercent(m_settings.memoryPercent());
    hideDocks();
    m_pages->setCurrentWidget(m_choice);
    m_choice->setFocus();
}

void MainWindow::leaveChoice()
{
    m_pages->setCurrentWidget(m_timeline);
    bringDocksBack();
    showEntries();
}

void MainWindow::setMemoryPercent(int percent)
{
    m_settings.setMemoryPercent(percent);
    const uint64_t machine_bytes = machineMemory_bytes();
    m_controller.setMemoryLimit(machine_bytes / 100 * static_cast<uint64_t>(m_settings.memoryPercent()));
    m_choice->setMemory(m_controller.reports().residentBytes(), m_controller.memoryLimit_bytes(),
                        machine_bytes);
}

} // namespace lockstep
