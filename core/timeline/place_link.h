// SPDX-License-Identifier: Apache-2.0
// PlaceLink: a place in a workspace, as a string that another user can open. It contains the visible range,
// the selection, the lane filter, and the reports. Times are anchored to report clocks, as in markers, so
// that they remain valid under a different alignment. Also used for saved views. Pure. Thread: any.
#pragma once

#include "core/scene/mark_list.h"

namespace lockstep {

inline constexpr std::string_view kLinkScheme = "lockstep:";
inline constexpr size_t kMaxLinkReports = 64;   // maximum number of reports that a link lists; further
                                                // reports are only counted
inline constexpr size_t kMaxLinkText = 1 << 20; // maximum length in bytes

struct PlaceLink {
    Mark visible;                      // a range
    std::optional<Mark> selection;     // a range or a slice
    std::string laneFilter;            // lane filter as a regular expression; empty: all lanes
    std::vector<ReportAnchor> reports; // visible reports
    uint64_t omittedReports = 0;       // number of visible reports that the link does not list
    std::string digest;                // equal for equal sets of visible reports; see resolvePlaceLink()

    friend bool operator==(const PlaceLink&, const PlaceLink&) = default;
};

// Anchors the visible range to the clock of the selected slice's report. Without a selected slice, uses the
// clock of the first visible report.
PlaceLink placeLinkOf(const Scene& scene, TimeRange visible, SliceRef slice,
                      const std::optional<TimeRange>& range, std::string laneFilter);

// Returns "lockstep:..."; the part after the colon contains only letters, digits, '-' and '_'.
std::string linkText(const PlaceLink& link);
// Returns the link without the list of its reports. Its length does not depend on their number, so that it
// can be sent in a message. Opening it detects that the reports differ, but not which ones.
std::string shortLinkText(PlaceLink link);
bool isLink(std::string_view text);
// Returns `invalid` if the string is not a link, is truncated, or was created by a newer version.
Result<PlaceLink> parseLink(std::string_view text);

struct LinkedPlace {
    TimeRange visible;
    std::optional<TimeRange> range; // selected
    SliceRef slice;
    std::vector<std::string> missing; // parts of the link that were not found, one sentence each
};
// Returns `notFound` if the place itself is not on the axis; the message names the missing report. If the
// link does not list its reports, compares its digest with that of the visible reports.
Result<LinkedPlace> resolvePlaceLink(const PlaceLink& link, const Scene& scene);

} // namespace lockstep
