// SPDX-License-Identifier: Apache-2.0
// stepChart(): makes what `--export step_chart` writes: runs step_breakdown with the line's filters and
// groups, and has core draw it. What is known of reports and clocks stands below the chart.
#pragma once

#include <span>
#include <string>

#include "app/cli.h"
#include "app/export_command.h"
#include "core/analysis/input_file.h"

namespace lockstep {

// The bytes of the picture's file; empty where nothing in scope is a training step. scene: undrawn. draw may
// be empty, then svg is the only format. invalid, unsupported, io, canceled.
Result<std::string> stepChart(const CommandLine& line, const ScenePtr& scene,
                              std::span<const InputFile> inputs, PictureFormat format,
                              const DrawPicture& draw, const Progress& progress);

} // namespace lockstep
