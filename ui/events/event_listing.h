// SPDX-License-Identifier: Apache-2.0
// EventListing: the rows of the Events panel, made of what it was asked for: a scope, what is selected, the
// hits of the search, and the fields above the columns. Made on a worker; a value.
#pragma once

#include "core/analysis/area_rows.h"
#include "core/timeline/event_list.h"

namespace lockstep {

struct EventRequest {
    ScenePtr scene;
    EventQuery filters;                      // of the fields above the columns
    std::shared_ptr<const EventHits> within; // of the search; null: all events
    AreaQuery selection;                     // areas and picked slices; empty: as options say
    EventListOptions options;                // range and order; hits are set here

    // What passes is the same, whatever the range and the order.
    bool passesAs(const EventRequest& other) const;
};

struct EventListing {
    std::shared_ptr<const EventList> list;
    std::shared_ptr<const EventHits> passed; // null: all events do
    uint64_t all = 0;                        // slices of the scope, filtered or not
};

// kept: what passes where that is known already, of a request that passesAs() this one. canceled.
Result<EventListing> listEvents(const EventRequest& request, const EventListing* kept,
                                const Progress& progress);

// The slices that areas and picks hold, each once. canceled.
Result<std::shared_ptr<const EventHits>> selectedEvents(const Scene& scene, const AreaQuery& selection,
                                                        const Progress& progress);

} // namespace lockstep
