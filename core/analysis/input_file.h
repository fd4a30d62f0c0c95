// SPDX-License-Identifier: Apache-2.0
// InputFile: a file that was asked for, whether it was opened, failed, or was left out as a copy. Made by
// whoever loads files; read by the inventory and by provenance, so that a failed input is listed and not
// forgotten.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "core/base/ids.h"
#include "core/base/result.h"

namespace lockstep {

struct InputFile {
    std::filesystem::path path; // as asked for
    uint64_t size_bytes = 0;    // 0 where it could not be read
    std::string sha256;         // of the file's bytes as stored; empty = not computed
    ReportKey report;           // its report; invalid when it failed
    std::optional<Error> error; // why it failed
    std::string sameAs;         // names of the reports that show the same; set where it was left out for that
};

} // namespace lockstep
