// SPDX-License-Identifier: Apache-2.0
// NsysInstall: one nsys program, or importer, of this machine. Found when a report has to be converted; any
// worker thread.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/readers/nsys_report/nsys_version.h"

namespace lockstep {

struct NsysInstall {
    std::filesystem::path program;
    NsightRelease version;
    std::string build; // all that `--version` says of it: "2022.4.2.1-df9881f"
};

// Folders to look for a program named nsys in: those of PATH, then the usual install places under `root` ("/"
// but in tests), each once.
std::vector<std::filesystem::path> nsysFolders(std::string_view pathVariable,
                                               const std::filesystem::path& root);

// The newest nsys in these folders, by what `nsys --version` says; empty when there is none. Runs each found
// program once.
std::optional<NsysInstall> newestNsys(std::span<const std::filesystem::path> folders,
                                      const std::stop_token& stop);
// The QdstrmImporters of the installations that these folders belong to, each once, in order: in the folder
// itself or in the folder host-linux* beside it, as installations have it. Runs each found program once.
std::vector<NsysInstall> streamImporters(std::span<const std::filesystem::path> folders,
                                         const std::stop_token& stop);

} // namespace lockstep
