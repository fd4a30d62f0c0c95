// SPDX-License-Identifier: Apache-2.0
// Where the numbers of an export come from: program version, each input with the digest of its bytes, what
// wrote it and how its clock was aligned, and each table's rows, rules and filters. Holds no date, so that
// equal exports are equal.
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
    const ExportProvenance* baseline = nullptr; // the other side of a comparison; null where there is none
    std::vector<std::string> differences = {}; // what is known to differ between the two, see differencesOf()
};

// One JSON object, over several lines.
std::string provenanceJson(const ExportProvenance& provenance, std::span<const Table* const> tables);
// The same facts as lines of text, for comments.
std::vector<std::string> provenanceLines(const ExportProvenance& provenance,
                                         std::span<const Table* const> tables);

} // namespace lockstep
