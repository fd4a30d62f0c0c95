// SPDX-License-Identifier: Apache-2.0
#include "core/remote/report_roots.h"

#include <algorithm>
#include <filesystem>

#include "core/base/home_path.h"
#include "core/session/expected_files.h"

namespace lockstep {

namespace {

std::string placed(const std::string& path, const HostPlan& host)
{
    if (isPlacedPath(path)) return path;
    std::string whole = host.workingFolder;
    if (!whole.empty()) whole += '/';
    whole += path;
    if (isPlacedPath(whole)) return whole;
    // Local commands start in the current folder of this program, and remote commands in the home folder.
    if (host.address.empty()) return std::filesystem::absolute(whole).lexically_normal().string();
    return whole.insert(0, "~/");
}

} // namespace

std::vector<std::string> reportRoots(const SessionConfig& config, const HostPlan& host)
{
    std::vector<std::string> roots;
    const auto add = [&](const std::string& folder) {
        if (folder.empty()) return;
        const std::string path = placed(folder, host);
        if (std::ranges::find(roots, path) == roots.end()) roots.push_back(path);
    };
    if (config.savePath) add(*config.savePath);
    for (const Role role : kRoles) {
        if (const auto& own = config.role(role).savePath) add(*own);
    }
    for (const std::string& folder : host.reportFolders)
        add(folder);
    for (const auto& [name, value] : config.environment) {
        if (name == "BASE_LOG_DIR" || name == "LOG_DIR" || name == "LOCKSTEP_OUTPUT") add(value);
    }
    if (config.framework == Framework::nemoRl) add("logs");
    const bool usesRay = isVerlFamily(config.framework) || config.framework == Framework::nemoRl ||
                         config.launcher.startRay.value_or(false) ||
                         config.launcher.kind == LauncherKind::rayJob;
    if (usesRay) add(std::string(kRayReportFolder));
    if (roots.empty()) add(host.workingFolder.empty() ? "." : host.workingFolder);
    return roots;
}

} // namespace lockstep
