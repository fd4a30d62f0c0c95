// SPDX-License-Identifier: Apache-2.0
#include "app/window/choice_page_controller.h"

#include "app/window/settings.h"
#include "app/window/workspace_controller.h"
#include "ui/panels/report_choice_page.h"

namespace lockstep {

ChoicePageController::ChoicePageController(const WindowParts& parts)
    : ReportsPage(parts.document.undoStack()), m_parts(parts), m_page(new ReportChoicePage(&parts.window)),
      m_sort([this](Result<SortedChoices> sorted) {
          if (sorted) show(*std::move(sorted));
      })
{
    connect(&parts.reports, &WorkspaceController::choiceNeeded, this, &ChoicePageController::prepare);
    connect(m_page, &ReportChoicePage::dismissed, this, &Page::dismissed);
    connect(m_page, &ReportChoicePage::memoryPercentChanged, this,
            [this](int percent) { m_parts.settings.set("open/memory_percent", percent); });
    parts.settings.bind("open/memory_percent", this, [this] {
        m_parts.memory.setLimit(memoryLimit_bytes(m_parts.settings));
        showMemory();
    });
    connect(m_page, &ReportChoicePage::loadRequested, this,
            [this](const FoundReports& found, const std::vector<size_t>& chosen) {
                emit dismissed();
                m_parts.reports.openFound(found, chosen);
            });
    showMemory();
}

QWidget* ChoicePageController::widget() const
{
    return m_page;
}

void ChoicePageController::onActivated()
{
    m_page->setFocus();
}

void ChoicePageController::setTheme(const Theme& theme)
{
    m_page->setTheme(theme);
}

void ChoicePageController::prepare(const FoundReports& found)
{
    m_found = std::make_shared<const FoundReports>(found);
    m_sort.start(
        [found = m_found](const Progress&) -> Result<SortedChoices> { return sortedChoices(*found); });
}

void ChoicePageController::show(SortedChoices sorted)
{
    showMemory();
    m_page->setFound(m_found, std::move(sorted));
    emit frontRequested();
}

void ChoicePageController::showMemory()
{
    m_page->setMemory(m_parts.memory.used_bytes(), m_parts.memory.limit_bytes(), machineMemory_bytes(),
                      m_parts.memory.hasDisk());
}

} // namespace lockstep
