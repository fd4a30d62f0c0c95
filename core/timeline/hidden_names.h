// SPDX-License-Identifier: Apache-2.0
// HiddenNames: names whose slices the lanes do not show, made ready for a scene: which of each report's names
// they are, and on which tracks any may be. Made when names or scene change; read by layOut(), row by row.
// Immutable, any thread.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/scene/scene.h"

namespace lockstep {

// What rows that are made of sums, and groups that are folded, say while names are hidden.
inline constexpr std::string_view kHiddenNamesCount = "hidden names count here";

class HiddenNames {
  public:
    // nullptr: none of the names is in the scene, which is one to be drawn. O(reports * names + blocks).
    static std::shared_ptr<const HiddenNames> make(const Scene& scene, const std::set<std::string>& names);

    // By StringId whether a name is hidden; nullptr: the track has none of them. Holds as long as this.
    const std::vector<uint8_t>* on(ReportKey report, TrackId track) const;
    bool has(const Scene& scene, SliceRef slice) const;

  private:
    struct Part {
        std::vector<uint8_t> names; // by StringId
        std::vector<bool> tracks;
    };

    ByReport<std::shared_ptr<const Part>> m_parts;
};

} // namespace lockstep
