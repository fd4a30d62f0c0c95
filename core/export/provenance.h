// SPDX-License-Identifier: Apache-2.0
// Provenance of an export: program version, each input with its digest, producer and clock alignment, and the
// rows, rules and filters of each table. Contains no date, so that equal exports are byte-identical.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/analysis/input_file.h"
#include "core/analysis/table.h"
#include "core/export/table_writer.h"
#include "core/scene/scene.h"

namespace lockstep {

struct ExportProvenance {
    std::span<const InputFile> inputs;
    const Scene& scene;
    TimeUnit timeUnit = TimeUnit::ns;
    const ExportProvenance* baseline = nullptr; // the other side of a comparison, or null
    std::vector<std::string> differences = {};  // known differences between the two sides, see
                                                // differencesOf()
};

// Returns a JSON object that spans several lines.
std::string provenanceJson(const ExportProvenance& provenance, std::span<const Table* const> tables);
// Returns the same data as lines of text for comments.
std::vector<std::string> provenanceLines(const ExportProvenance& provenance,
                                         std::span<const Table* const> tables);

} // namespace lockstep
