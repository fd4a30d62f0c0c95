// SPDX-License-Identifier: Apache-2.0
#include "core/trace/run_title.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace lockstep {

namespace {

namespace fs = std::filesystem;

fs::path wholePath(const fs::path& path)
{
    std::error_code failed;
    const fs::path whole = fs::absolute(path, failed);
    return (failed ? path : whole).lexically_normal();
}

bool isInside(const fs::path& path, const fs::path& folder)
{
    return std::ranges::mismatch(folder, path).in1 == folder.end();
}

} // namespace

std::string runTitle(const Workspace& reports)
{
    const std::vector<ReportKey>& keys = reports.keys();
    if (keys.empty()) return {};
    const Sourced<std::string>& run = reports.identity(keys.front()).run;
    fs::path folder = wholePath(reports.report(keys.front()).provenance.path);
    bool isOneRun = run.isKnown();
    for (const ReportKey key : keys) {
        isOneRun = isOneRun && reports.identity(key).run.value == run.value;
        const fs::path path = wholePath(reports.report(key).provenance.path);
        while (folder.has_relative_path() && !isInside(path, folder))
            folder = folder.parent_path();
    }
    return isOneRun ? *run.value : folder.filename().string();
}

} // namespace lockstep
