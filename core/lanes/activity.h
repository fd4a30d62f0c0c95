// SPDX-License-Identifier: Apache-2.0
// Activity: what a GPU did in a moment, in four words. Of work that ran at once the first of them counts, so
// that the four together are never more than the time: computing hides communication, both hide copies.
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

// The category whose colour stands for an activity.
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

// How much of a pixel's time each activity took, by Activity: 0..255, together at most about that.
using ActivityParts = std::array<uint16_t, kActivities>;

} // namespace lockstep
