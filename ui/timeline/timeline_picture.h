// SPDX-License-Identifier: Apache-2.0
// Timeline pictures: what the window would show, without a window: minimap, ruler and lanes. Needs a
// QGuiApplication (the offscreen platform is enough). One thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <QImage>
#include <QSize>

#include "core/base/result.h"
#include "core/base/workers.h"
#include "core/lanes/lane_state.h"
#include "core/scene/scene.h"

namespace lockstep {

struct PictureOptions {
    QSize size{1600, 1000}; // height 0: as tall as all lanes, at most 16,384
    bool dark = false;
    std::string lanesRegex;    // see LaneFilter; empty: all
    bool isFolded = false;     // a row or a rank map for each group and process
    bool isMemoryOnly = false; // the lanes of memory alone, under the names of what they are of
    MemoryLook memoryLook = MemoryLook::category;
    std::optional<TimeRange> range; // aligned; absent: everything
    double scale = 1;               // of fonts and rows
    bool utc = false;               // label the axis with UTC, where it has one
    Workers workers;                // who draws
};

// invalid: lanesRegex is no regular expression, or the size is not drawable.
Result<QImage> timelineImage(const ScenePtr& scene, const PictureOptions& options);
// The same as vectors. io: the file cannot be written. The value is the number of bytes written.
Result<uint64_t> writeTimelineSvg(const std::filesystem::path& path, const ScenePtr& scene,
                                  const PictureOptions& options);
// The bytes of a PDF of one page of that many points; equal for equal pictures: it holds no date.
Result<std::string> timelinePdf(const ScenePtr& scene, const PictureOptions& options);

} // namespace lockstep
