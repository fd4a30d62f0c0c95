// SPDX-License-Identifier: Apache-2.0
#include "ui/events/event_listing.h"

namespace lockstep {

namespace {

std::shared_ptr<const EventHits> inBoth(const Scene& scene, const EventHits& one, const EventHits& other)
{
    return EventHits::of(scene, [&](ReportKey key, HitBits& bits) {
        if (!one.isOf(key) || !other.isOf(key)) return;
        const HitBits &a = one.bitsOf(key), &b = other.bitsOf(key);
        for (size_t row = a.firstFrom(0, a.rows()); row < a.rows(); row = a.firstFrom(row + 1, a.rows())) {
            if (b.has(row)) bits.set(row);
        }
    });
}

} // namespace

bool EventRequest::hasSameFilters(const EventRequest& other) const
{
    return scene == other.scene && filters == other.filters && within == other.within &&
           selection == other.selection;
}

Result<std::shared_ptr<const EventHits>> selectedEvents(const Scene& scene, const AreaQuery& selection,
                                                        const Progress& progress)
{
    const AreaRows rows = LOCKSTEP_TRY(areaRowsOf(scene, selection, progress));
    ByReport<std::vector<const AreaRun*>> runs(scene.shown.slotCount());
    for (const AreaRun& run : rows.runs())
        runs[run.report].push_back(&run);
    auto hits = EventHits::of(scene, [&](ReportKey key, HitBits& bits) {
        for (const AreaRun* const run : runs[key]) {
            for (uint32_t i = 0; i < run->count && !progress.isCanceled(); ++i)
                bits.set(run->row(i));
        }
    });
    LOCKSTEP_TRY(progress.check());
    return hits;
}

Result<EventListing> listEvents(const EventRequest& request, const EventListing* previous,
                                const Progress& progress)
{
    EventListing made;
    const bool isOfSelection = !request.selection.isEmpty();
    made.passed = previous != nullptr ? previous->passed : request.within;
    made.all = previous != nullptr && isOfSelection
                   ? previous->all
                   : EventRuns(request.scene, request.options.range, nullptr).size();
    if (previous == nullptr && isOfSelection) {
        const auto selected = LOCKSTEP_TRY(selectedEvents(*request.scene, request.selection, progress));
        made.all = selected->count();
        made.passed =
            request.within == nullptr ? selected : inBoth(*request.scene, *selected, *request.within);
    }
    if (previous == nullptr && !request.filters.isEmpty())
        made.passed =
            LOCKSTEP_TRY(EventHits::find(*request.scene, request.filters, progress, made.passed.get()));
    EventListOptions options = request.options;
    options.hits = made.passed;
    made.list = LOCKSTEP_TRY(EventList::make(request.scene, options, progress));
    return made;
}

} // namespace lockstep
