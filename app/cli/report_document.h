// SPDX-License-Identifier: Apache-2.0
// reportDocument() creates the HTML document of `--export report`: it computes the tables, draws the timeline
// in both themes and combines them into one HTML text. The document lists the parts that could not be
// created, with the reasons.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/cli/cli.h"
#include "app/cli/export_command.h"
#include "core/analysis/input_file.h"

namespace lockstep {

struct ReportDocument {
    std::string html;
    std::vector<std::string>
        missing; // "NAME: reason" for each part that could not be created; also listed in the document
};

// `scene` does not need level-of-detail data; the digests in `inputs` must be set; `draw` may be empty.
// Error: canceled.
Result<ReportDocument> reportDocument(const CommandLine& line, const ScenePtr& scene,
                                      std::span<const InputFile> inputs, const DrawPicture& draw,
                                      const Progress& progress);

} // namespace lockstep
