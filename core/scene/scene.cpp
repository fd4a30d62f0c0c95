// SPDX-License-Identifier: Apache-2.0
#include "core/scene/scene.h"

namespace lockstep {

ScenePtr makeScene(const Workspace& workspace, Alignment alignment, const Workers& workers, ReportLods lods,
                   const LaneOptions& laneOptions)
{
    auto scene = std::make_shared<Scene>();
    scene->open = scene->shown = workspace;
    scene->alignment = std::move(alignment);
    scene->lateness = measureLateness(workspace, scene->alignment, workers);
    scene->lods = std::move(lods);
    for (const ReportKey key : workspace.keys()) {
        if (!scene->lods.has(key) || scene->lods[key] == nullptr)
            scene->lods.set(key, buildLod(workspace.report(key), workers));
    }
    scene->quiet = std::make_shared<const QuietTime>(findQuietTime(workspace, scene->alignment, scene->lods));
    scene->laneOptions = laneOptions;
    scene->tree = std::make_shared<const LaneTree>(
        buildLaneTree(workspace, scene->alignment, scene->lods, laneOptions));
    scene->bubbles = std::make_shared<const RoleBubbles>(
        findRoleBubbles(workspace, scene->alignment, scene->lods, *scene->tree));
    return scene;
}

ScenePtr makeHeadlessScene(const Workspace& workspace, Alignment alignment)
{
    auto scene = std::make_shared<Scene>();
    scene->open = scene->shown = workspace;
    scene->alignment = std::move(alignment);
    return scene;
}

} // namespace lockstep
