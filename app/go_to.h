// SPDX-License-Identifier: Apache-2.0
// What --goto and Go to take besides the window's own state: a time or a link, put onto a scene. Pure but for
// the rows that steps are looked for in. Any thread.
#pragma once

#include "app/cli.h"
#include "core/scene/mark_list.h"
#include "core/timeline/place_link.h"

namespace lockstep {

struct GoToPlace {
    TimeRange aligned;             // what to show; begin == end: a moment
    std::optional<PlaceLink> link; // where it came from
    LinkedPlace linked;            // of a link
    std::string understood;        // for people
};

// A time as parseTimeText(), or a link. steps null: they are looked for here where the text asks for one.
Result<GoToPlace> goToPlace(std::string_view text, const Scene& scene, TimeRange visible,
                            std::optional<TraceTime> from, const MarkList* marks);

// What a picture shows: --time-range, else the surroundings of --goto; absent: everything.
Result<std::optional<TimeRange>> pictureRange(const CommandLine& line, const Scene& scene,
                                              const MarkList& marks);

// For the option's table.
Status setGoTo(CommandLine& line, std::string_view value);

} // namespace lockstep
