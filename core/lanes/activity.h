// SPDX-License-Identifier: Apache-2.0
// Activity: divides GPU time among four activities. If several kinds of work run at once, the first in the
// order of the enumeration counts, so the four never add up to more than the elapsed time: computation hides
// communication, and both hide copies.
#pragma once

#include <array>
#include <cstdint>

#include "core/trace/row_kind.h"

namespace lockstep {

enum class Activity : uint8_t { compute, communication, copy /* and memset */, other /* whole graphs */ };

inline constexpr size_t kActivities = 4;

constexpr Activity activityOf(SliceCategory category)
{
    switch (category) {
    case SliceCategory::compute:
        return Activity::compute;
    case SliceCategory::communication:
        return Activity::communication;
    case SliceCategory::copyToDevice:
    case SliceCategory::copyToHost:
    case SliceCategory::copyOnDevice:
    case SliceCategory::memset:
        return Activity::copy;
    default:
        return Activity::other;
    }
}

// Returns the category whose color is used for an activity.
constexpr SliceCategory categoryOf(Activity activity)
{
    constexpr std::array kOf{SliceCategory::compute, SliceCategory::communication,
                             SliceCategory::copyToDevice, SliceCategory::graph};
    return kOf[static_cast<size_t>(activity)];
}

constexpr std::string_view activityName(Activity activity)
{
    constexpr std::array<std::string_view, kActivities> kNames{"compute", "communication", "copy", "other"};
    return kNames[static_cast<size_t>(activity)];
}

// The fraction of a pixel's time per activity, indexed by Activity, from 0 to 255. The sum is at most about
// 255.
using ActivityParts = std::array<uint16_t, kActivities>;

} // namespace lockstep
