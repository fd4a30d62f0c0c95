// SPDX-License-Identifier: Apache-2.0
// Timeline images show the minimap, ruler and lanes as in the window, but are created without a window. They
// need a QGuiApplication (the offscreen platform is enough). One thread.
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
#include "core/timeline/axis_folds.h"

namespace lockstep {

struct PictureOptions {
    QSize size{1600, 1000}; // pixels; a height of 0 fits all lanes, up to 16,384
    bool dark = false;
    std::string lanesRegex;    // see LaneFilter; empty for all lanes
    bool isFolded = false;     // true: one row or rank map per group and process
    bool isMemoryOnly = false; // true: only memory lanes, with the names of their parents
    MemoryLook memoryLook = MemoryLook::category;
    std::optional<TimeRange> range;     // aligned; nullopt for everything
    double scale = 1;                   // scale of fonts and rows, 0.25 to 8
    bool utc = false;                   // true: label the axis with UTC, if UTC is known
    std::optional<LaneState> laneState; // replaces isFolded: collapsed, hidden, pinned and ordered lanes
    int scroll = 0;                     // device pixels by which the lanes are scrolled
    GapRule gaps;                       // which gaps are collapsed
    std::vector<TimeRange> openedGaps;  // gaps that the user has expanded, aligned
    Workers workers;                    // worker threads that draw
};

// Returns the image. Error: invalid (lanesRegex is not a valid regular expression, or size or scale is out of
// range).
Result<QImage> timelineImage(const ScenePtr& scene, const PictureOptions& options);
// Writes the image as SVG and returns the number of bytes written. Error: io (the file cannot be written).
Result<uint64_t> writeTimelineSvg(const std::filesystem::path& path, const ScenePtr& scene,
                                  const PictureOptions& options);
// Returns the bytes of a PDF with one page, one point per pixel. Identical images give identical bytes,
// because the file contains no date.
Result<std::string> timelinePdf(const ScenePtr& scene, const PictureOptions& options);

} // namespace lockstep
