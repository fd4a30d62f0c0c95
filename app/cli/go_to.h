// SPDX-License-Identifier: Apache-2.0
// resolvePlace() resolves the text of --goto and of Go to (a time or a link) against a scene. Pure, except
// that it reads report rows to find steps. Any thread.
#pragma once

#include "app/cli/cli.h"
#include "core/scene/mark_list.h"
#include "core/timeline/place_link.h"

namespace lockstep {

struct ResolvedPlace {
    TimeRange aligned;             // range to show; begin == end for a point in time
    std::optional<PlaceLink> link; // the parsed link, if the text was one
    LinkedPlace linked;            // the place to which the link resolves
    std::string description;       // text for the user
};

// Resolves a time (syntax of parseTimeText()) or a link. Searches for steps only if the text refers to a
// step.
Result<ResolvedPlace> resolvePlace(std::string_view text, const Scene& scene, TimeRange visible,
                                   std::optional<TraceTime> from, const MarkList* marks);

// Returns the range of an image: --time-range if given, otherwise the surroundings of --goto, otherwise
// nullopt (everything).
Result<std::optional<TimeRange>> pictureRange(const CommandLine& line, const Scene& scene,
                                              const MarkList& marks);

// Sets CommandLine::goTo; called by the option table. Fails if `value` is neither a time nor a valid link.
Status setGoTo(CommandLine& line, std::string_view value);

} // namespace lockstep
