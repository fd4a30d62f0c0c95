// SPDX-License-Identifier: Apache-2.0
#include "app/window/page_registry.h"

#include <array>

#include "app/window/choice_page_controller.h"
#include "app/window/open_controller.h"
#include "app/window/page_stack.h"
#include "app/window/run_page_controller.h"
#include "app/window/session_page_controller.h"
#include "app/window/settings_page_controller.h"
#include "app/window/start_page_controller.h"
#include "app/window/timeline_page_controller.h"

namespace lockstep {

namespace {

template<class T>
std::unique_ptr<Page> make(const WindowParts& parts)
{
    return std::make_unique<T>(parts);
}

// The entries are in tab order. A page that depends on another page must come after it.
constexpr std::array kPages{
    make<SessionPageController>, make<RunPageController>,      make<StartPageController>,
    make<ChoicePageController>,  make<TimelinePageController>, make<SettingsPageController>,
};

} // namespace

void addPages(PageStack& pages, const WindowParts& parts)
{
    for (const auto makePage : kPages)
        pages.add(makePage(parts));
    Page& start = pages.at<StartPageController>();
    Page& timeline = pages.at<TimelinePageController>();
    pages.setHome(start);
    const auto showTimelineTab = [&pages, &start] { pages.showTab(start.tab().title); };
    QObject::connect(parts.actions.at(CommandId::showTimeline), &QAction::triggered, &pages, showTimelineTab);
    QObject::connect(&parts.opening, &OpenController::reportsRequested, &pages,
                     [showTimelineTab](bool isShown) {
                         if (isShown) showTimelineTab();
                     });
    const ReportList& list = parts.reports.reports();
    // A watched run is shown on the timeline before any of its files is open.
    QObject::connect(&list, &ReportList::changed, &pages,
                     [&pages, &list, &timeline, &start, &reports = parts.reports] {
                         pages.setHome(list.hasOpen() || !reports.scene()->open.isEmpty() ? timeline : start);
                     });
}

} // namespace lockstep
