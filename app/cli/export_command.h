// SPDX-License-Identifier: Apache-2.0
// `lockstep --export`, the headless part of the program: finds and loads the inputs, creates the requested
// documents, and writes each document completely or not at all. The exit status states whether everything, a
// part or nothing was written. Needs no display and no environment variables.
#pragma once

#include <functional>
#include <string>

#include "app/cli/cli.h"
#include "app/cli/report_loader.h"
#include "core/base/memory_budget.h"
#include "core/base/progress.h"
#include "core/lanes/lane_state.h"
#include "core/scene/scene.h"

namespace lockstep {

namespace exitStatus {
inline constexpr int kComplete = 0;
inline constexpr int kNothing = 1;
inline constexpr int kUsage = 2;
inline constexpr int kPart = 3;
inline constexpr int kConditionMet = 4;
inline constexpr int kInterrupted = 130;
} // namespace exitStatus

struct SlicePairs;

// PictureRequest is a request to draw loaded reports as an image.
struct PictureRequest {
    ScenePtr scene;
    PictureFormat format;
    int width, height; // pixels
    bool isDark;
    std::string lanes;              // regular expression; empty = all
    bool isFolded;                  // one row or rank map per group
    bool isMemoryOnly;              // draw only the lanes of memory snapshots
    MemoryLook memoryLook;          // what the areas of the memory lanes show
    std::optional<TimeRange> range; // aligned; absent = everything
    Workers workers;
    std::string svg = {};   // finished drawing that only needs conversion; empty = draw the timeline
    ScenePtr baseline = {}; // the run to compare with; null = none
    std::shared_ptr<const SlicePairs> pairs =
        {}; // pairs of slices from the baseline and the scene, if there is a baseline
};

// Returns the bytes of the image file.
using DrawPicture = std::function<Result<std::string>(const PictureRequest& request)>;

// PreparedInputs holds inputs that were found earlier. They are read by calling `read`, not from their own
// files.
struct PreparedInputs {
    FoundReports found;
    ReadInput read;
    std::function<Status()>
        loaded; // called after loading; an error ends the export before anything is written
    // Sets the sha256 of each file for which it is known.
    std::function<void(std::vector<InputFile>& files)> digest;
};

// Runs an export. line.task is exportFiles. draw is empty if this build cannot draw images. prepared:
// replaces the inputs on the command line. Returns an exitStatus.
int runExport(const CommandLine& line, const DrawPicture& draw, const Workers& workers, MemoryBudget& memory,
              const PreparedInputs* prepared = nullptr);

} // namespace lockstep
