// SPDX-License-Identifier: Apache-2.0
// stepChart() creates the image of `--export step_chart`: it runs the step_breakdown analysis with the
// filters and groups of the command line, and draws the result. Notes about reports and clocks appear below
// the chart.
#pragma once

#include <span>
#include <string>

#include "app/cli/cli.h"
#include "app/cli/export_command.h"
#include "core/analysis/input_file.h"

namespace lockstep {

// Returns the bytes of the image file; an empty string if there is no training step in scope. `scene` does
// not need drawing data. If `draw` is empty, only SVG is supported. Errors: invalid, unsupported, io,
// canceled.
Result<std::string> stepChart(const CommandLine& line, const ScenePtr& scene,
                              std::span<const InputFile> inputs, PictureFormat format,
                              const DrawPicture& draw, const Progress& progress);

} // namespace lockstep
