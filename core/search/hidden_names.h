// SPDX-License-Identifier: Apache-2.0
// HiddenNames: the names whose slices are hidden, resolved for a scene: the matching names in each report,
// and the tracks that may contain them. Recomputed when the names or the scene change; read by layOut() for
// each row. Immutable. Thread: any.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/scene/scene.h"

namespace lockstep {

// Note that is shown for collapsed groups and for rows that are computed from sums, while names are hidden.
inline constexpr std::string_view kHiddenNamesCount = "includes hidden slices";

class HiddenNames {
  public:
    // Returns nullptr if none of the names occurs in the scene, which must be drawable. O(reports * names +
    // blocks).
    static std::shared_ptr<const HiddenNames> make(const Scene& scene, const std::set<std::string>& names);

    // Returns for each StringId whether the name is hidden; nullptr if the track contains no hidden names.
    // The result is valid as long as this object.
    const std::vector<uint8_t>* on(ReportKey report, TrackId track) const;
    // Same for a row with slices of several tracks; nullptr if the report contains no hidden names.
    const std::vector<uint8_t>* in(ReportKey report) const;
    bool has(const Scene& scene, SliceRef slice) const;

  private:
    struct Part {
        std::vector<uint8_t> names; // by StringId
        std::vector<bool> tracks;
    };

    ByReport<std::shared_ptr<const Part>> m_parts;
};

} // namespace lockstep
