// SPDX-License-Identifier: Apache-2.0
// Strongly typed row numbers. An Id<Tag> identifies one row of one table of one report (ReportKey: one open
// report). IDs of different tables do not convert into each other and are meaningless in another report.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace lockstep {

template<class Tag>
struct Id {
    static constexpr uint32_t kNone = 0xFFFFFFFFu;

    uint32_t value = kNone;

    constexpr Id() = default;
    constexpr explicit Id(uint32_t row) : value(row) {}
    constexpr explicit Id(size_t row) : value(static_cast<uint32_t>(row)) {}
    constexpr bool isValid() const { return value != kNone; }
    friend constexpr auto operator<=>(Id, Id) = default;
};

using SliceId = Id<struct SliceTag>;          // row of a report's slice table
using TrackId = Id<struct TrackTag>;          // row of a report's track table
using CounterTrackId = Id<struct CounterTag>; // row of a report's counter track table
using ProcessId = Id<struct ProcessTag>;      // row of a report's process table
using ThreadId = Id<struct ThreadTag>;        // row of a report's thread table
using DeviceId = Id<struct DeviceTag>;        // row of a report's device table
using StringId = Id<struct StringTag>;        // entry of a report's string pool
using ReportKey = Id<struct ReportTag>;       // key of a report while it is open; never reused

} // namespace lockstep

template<class Tag>
struct std::hash<lockstep::Id<Tag>> {
    size_t operator()(lockstep::Id<Tag> id) const noexcept { return std::hash<uint32_t>{}(id.value); }
};
