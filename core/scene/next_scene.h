// SPDX-License-Identifier: Apache-2.0
// nextScene(): the one step from what was looked at to what is looked at now. What a change does not touch is
// shared with the scene before. Pure; called off the UI thread.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/base/progress.h"
#include "core/scene/scene.h"

namespace lockstep {

// A report that was read, under the key it is to have.
struct OpenedInScene {
    ReportKey key;
    std::shared_ptr<const Report> report;
    std::shared_ptr<const ReportLod> lod;
    std::shared_ptr<const ReportIdentity> identity; // its own; the scene settles it with the others
};

// What happened since a scene was made. Parts that name a report the scene does not have say nothing.
struct SceneChange {
    std::vector<OpenedInScene> opened;
    std::vector<ReportKey> order;    // of all open ones, once something was opened; what it lacks comes last
    std::set<ReportKey> closed;      // before `opened`
    std::map<ReportKey, bool> shown; // newcomers are, unless this says otherwise
    std::map<ReportKey, Identity> stated;
    std::optional<Alignment> alignment; // made of the open reports of an earlier scene
    std::optional<LaneOptions> laneOptions;

    bool isEmpty() const;
    // Which reports there are, or whose they are: what clocks are aligned by.
    bool changesReports() const { return !opened.empty() || !closed.empty() || !stated.empty(); }
    // Makes this the change of both, `later` having come after it.
    void add(SceneChange later);
};

// A report that the alignment does not speak of yet lies where its wall clock puts it. canceled; else always
// a scene. O(reports), and O(lanes) where identities, shown reports, clocks or grouping changed.
Result<ScenePtr> nextScene(const ScenePtr& last, const SceneChange& change, const Progress& progress);

} // namespace lockstep
