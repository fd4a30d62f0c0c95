// SPDX-License-Identifier: Apache-2.0
// PlaceLink: a place in a workspace as a text that somebody else opens: what is seen, what is selected, which
// lanes are let through, and which reports it was of. Anchored like marks, so that it leads to the same
// moments under another alignment. Also what a stored view is made of. Pure; any thread.
#pragma once

#include "core/scene/mark_list.h"

namespace lockstep {

inline constexpr std::string_view kLinkScheme = "lockstep:";
inline constexpr size_t kMostLinkReports = 64;   // that are named in a link; the others are counted
inline constexpr size_t kMostLinkText = 1 << 20; // bytes

struct PlaceLink {
    Mark visible;                      // a range
    std::optional<Mark> selection;     // a range or a slice
    std::string laneFilter;            // regular expression; empty: all lanes
    std::vector<ReportAnchor> reports; // that were shown
    uint64_t otherReports = 0;         // and were not named

    friend bool operator==(const PlaceLink&, const PlaceLink&) = default;
};

// What is seen, by the clock of the selected slice's report, else of the first that is shown.
PlaceLink placeLinkOf(const Scene& scene, TimeRange visible, SliceRef slice,
                      const std::optional<TimeRange>& range, std::string laneFilter);

// "lockstep:..." of letters, digits, - and _ alone.
std::string linkText(const PlaceLink& link);
bool isLink(std::string_view text);
// invalid: no link, cut short, or of a newer version.
Result<PlaceLink> parseLink(std::string_view text);

struct LinkedPlace {
    TimeRange visible;
    std::optional<TimeRange> range; // selected
    SliceRef slice;
    std::vector<std::string> missing; // what of the link is not here, one sentence each
};
// notFound: the place itself is on no axis here; the message names the report that is missing.
Result<LinkedPlace> placeOfLink(const PlaceLink& link, const Scene& scene);

} // namespace lockstep
