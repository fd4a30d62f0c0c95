// SPDX-License-Identifier: Apache-2.0
// NsysInstall: an nsys program or importer on this machine. Located when a report must be converted; any
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
    std::string build; // full version from `--version`: "2022.4.2.1-df9881f"
};

// Returns the folders to search for a program named nsys: the folders of PATH, then the usual install
// locations below `root` ("/" except in tests). Each folder is listed once.
std::vector<std::filesystem::path> nsysFolders(std::string_view pathVariable,
                                               const std::filesystem::path& root);

// Returns the newest nsys in these folders according to `nsys --version`, or nullopt. Runs each program once.
std::optional<NsysInstall> newestNsys(std::span<const std::filesystem::path> folders,
                                      const std::stop_token& stop);
// Returns the QdstrmImporter programs of the installations in these folders, in order and without duplicates.
// Each folder is searched, and so are the folders host-linux* next to it, as in NVIDIA's installations. Runs
// each program once.
std::vector<NsysInstall> streamImporters(std::span<const std::filesystem::path> folders,
                                         const std::stop_token& stop);

} // namespace lockstep
