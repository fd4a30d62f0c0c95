// SPDX-License-Identifier: Apache-2.0
// InputFile: a file given by the user, which was opened, failed to open, or was skipped as a duplicate.
// Created by the code that loads files; read by the inventory and by provenance, so that failed inputs are
// listed too.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "core/base/ids.h"
#include "core/base/result.h"

namespace lockstep {

struct InputFile {
    std::filesystem::path path; // path as given by the user
    uint64_t size_bytes = 0;    // 0 if the file could not be read
    std::string sha256;         // digest of the file's bytes as stored; empty: not computed
    ReportKey report;           // report from this file; invalid if opening failed
    std::optional<Error> error; // reason for the failure
    std::string sameAs; // names of the reports with the same content; not empty if the input was skipped as a
                        // duplicate
};

} // namespace lockstep
