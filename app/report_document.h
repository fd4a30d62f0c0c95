// SPDX-License-Identifier: Apache-2.0
// reportDocument(): makes what `--export report` writes: runs the tables that a report holds, has the
// timeline drawn in both themes, and puts all of it into one HTML text. What cannot be made is named in it
// with its reason.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/cli.h"
#include "app/export_command.h"
#include "core/analysis/input_file.h"

namespace lockstep {

struct ReportDocument {
    std::string html;
    std::vector<std::string> missing; // "NAME: why": what could not be made; the document says it too
};

// scene: undrawn. inputs: with their digests. draw may be empty. canceled.
Result<ReportDocument> reportDocument(const CommandLine& line, const ScenePtr& scene,
                                      std::span<const InputFile> inputs, const DrawPicture& draw,
                                      const Progress& progress);

} // namespace lockstep
