// SPDX-License-Identifier: Apache-2.0
// nextScene(): computes the next scene from the current one. The next scene shares parts that the change does
// not affect with the current scene. Pure; called off the UI thread.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/base/progress.h"
#include "core/scene/scene.h"

namespace lockstep {

// A report that was read, with the key assigned to it.
struct OpenedInScene {
    ReportKey key;
    std::shared_ptr<const Report> report;
    std::shared_ptr<const ReportLod> lod;
    // the report's own identity; the scene reconciles it with the identities of the other reports
    std::shared_ptr<const ReportIdentity> identity;
};

// The changes since a scene was created. Entries for reports not in the scene are ignored.
struct SceneChange {
    std::vector<OpenedInScene> opened;
    // all open reports after opening, in order; reports that are not listed come last
    std::vector<ReportKey> order;
    std::set<ReportKey> closed;      // applied before `opened`
    std::map<ReportKey, bool> shown; // new reports are shown unless this map specifies otherwise
    std::map<ReportKey, Identity> stated;
    std::optional<Alignment> alignment; // computed from the reports that were open in an earlier scene
    std::optional<LaneOptions> laneOptions;

    bool isEmpty() const;
    // Returns true if the set of reports or their identities changed; these determine the clock alignment.
    bool changesReports() const { return !opened.empty() || !closed.empty() || !stated.empty(); }
    // Merges a later change into this one.
    void add(SceneChange later);
};

// Creates the next scene. A report missing from the alignment is placed by its wall clock. Returns a scene or
// `canceled`. O(reports), and O(lanes) if identities, shown reports, clocks or grouping changed.
Result<ScenePtr> nextScene(const ScenePtr& last, const SceneChange& change, const Progress& progress);

} // namespace lockstep
