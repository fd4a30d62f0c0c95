// SPDX-License-Identifier: Apache-2.0
// EventListing holds the rows of the Events panel. They result from a scope, the selection, the search hits
// and the column filters. A worker creates the listing. Value type.
#pragma once

#include "core/analysis/area_rows.h"
#include "core/search/event_list.h"

namespace lockstep {

struct EventRequest {
    ScenePtr scene;
    EventQuery filters;                      // column filters
    std::shared_ptr<const EventHits> within; // search hits; null for all events
    AreaQuery selection;      // area selections and selected slices; if there are none, `options` applies
    EventListOptions options; // range and order; listEvents() sets the hits

    // Returns true if both requests accept the same events, apart from range and order.
    bool hasSameFilters(const EventRequest& other) const;
};

struct EventListing {
    std::shared_ptr<const EventList> list;
    std::shared_ptr<const EventHits> passed; // null if no event is filtered out
    uint64_t all = 0;                        // number of slices in the scope before filtering
};

// Lists the events. previous: an earlier listing to reuse, or null; hasSameFilters() must be true for its
// request and this one. Error: canceled.
Result<EventListing> listEvents(const EventRequest& request, const EventListing* previous,
                                const Progress& progress);

// Returns the slices in the selection without duplicates. Error: canceled.
Result<std::shared_ptr<const EventHits>> selectedEvents(const Scene& scene, const AreaQuery& selection,
                                                        const Progress& progress);

} // namespace lockstep
