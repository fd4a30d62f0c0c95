// SPDX-License-Identifier: Apache-2.0
// The headless half of the program: `lockstep --export`. Finds and loads the inputs, makes what was asked
// for, writes it whole or not at all, and says with its exit status how much of it was done. Needs no display
// and no environment.
#pragma once

#include <functional>
#include <string>

#include "app/cli.h"
#include "app/report_loader.h"
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
inline constexpr int kConditionHeld = 4;
inline constexpr int kInterrupted = 130;
} // namespace exitStatus

struct SlicePairs;

// A picture to draw of loaded reports.
struct PictureRequest {
    ScenePtr scene;
    PictureFormat format;
    int width, height; // pixels
    bool isDark;
    std::string lanes;              // regular expression; empty = all
    bool isFolded;                  // one row or rank map a group
    bool isMemoryOnly;              // only what memory snapshots say ...
    MemoryLook memoryLook;          // ... and what their areas are
    std::optional<TimeRange> range; // aligned; absent = everything
    Workers workers;
    std::string svg = {};   // drawn already: only to be put into the format; empty: the timeline is drawn
    ScenePtr baseline = {}; // what it is held against; null: nothing
    std::shared_ptr<const SlicePairs> pairs = {}; // of the baseline and the scene, where there is one
};

// The bytes of the picture's file.
using DrawPicture = std::function<Result<std::string>(const PictureRequest& request)>;

// Inputs that somebody found before and that are read in another way than from their own files.
struct PreparedInputs {
    FoundReports found;
    ReadInput read;
    std::function<Status()> loaded; // an error ends the export before it writes anything
    std::function<void(std::vector<InputFile>& files)> digest; // fills sha256 where it is known
};

// line.task is exportFiles. draw is empty where the build draws no pictures. prepared: in place of the line's
// inputs. Returns an exitStatus.
int runExport(const CommandLine& line, const DrawPicture& draw, const Workers& workers, MemoryBudget& memory,
              const PreparedInputs* prepared = nullptr);

} // namespace lockstep
