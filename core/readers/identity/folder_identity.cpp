// SPDX-License-Identifier: Apache-2.0
#include "core/readers/identity/folder_identity.h"

#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/readers/identity/file_identity.h"
#include "core/readers/identity/name_scan.h"
#include "core/session/recipes/framework_names.h"

namespace lockstep {

namespace {

constexpr const char* kSource = "folder name";
constexpr int64_t kMaxRanks = 1 << 24;

// Matches step_12, global_step_12, and torchtitan's iteration_12 and iteration_12_exit.
bool learnStep(std::string_view folder, Identity& out)
{
    NameScan scan(folder);
    const bool isIteration = scan.take("iteration");
    if (!isIteration && !scan.take("step") && !scan.take("global_step")) return false;
    scan.take("_");
    const auto step = scan.takeNumber();
    if (isIteration) scan.take("_exit");
    if (!step || !scan.isAtEnd()) return false;
    out.step.learn(static_cast<int>(*step), kSource, Confidence::stated);
    return true;
}

// Matches global_rank_31, which contains local_rank_7.json.
bool learnGlobalRank(std::string_view folder, Identity& out)
{
    NameScan scan(folder);
    const auto rank = scan.takeNumberAfter("global_rank_");
    if (!rank || !scan.isAtEnd() || *rank >= kMaxRanks) return false;
    out.rank.learn(static_cast<int>(*rank), kSource, Confidence::stated);
    return true;
}

// session_2026-08-22_14-35-01_123456_789: a Ray session is a run. In a tree that a Slurm sidecar synced
// (ray/<node>/<session>/logs), the parent folder is the node.
bool learnRaySession(std::string_view folder, std::string_view parent, std::string_view grandparent,
                     Identity& out)
{
    NameScan scan(folder);
    if (!scan.take("session_") || scan.digitCount() != 4) return false;
    out.run.learn(std::string(folder), kSource, Confidence::guessed);
    if (grandparent == "ray") out.host.learn(std::string(parent), kSource, Confidence::guessed);
    return true;
}

// Matches $SLURM_JOB_ID[-restart]-logs.
bool learnSlurmLogs(std::string_view folder, Identity& out)
{
    if (!folder.ends_with("-logs")) return false;
    NameScan scan(folder);
    const auto job = scan.takeNumber();
    if (!job || !scan.rest().starts_with("-")) return false;
    out.run.learn("slurm " + std::to_string(*job), kSource, Confidence::stated);
    return true;
}

// Matches {worker}_{pid}_{17 digits}_ascend_pt, where the worker is the host name unless the user chose a
// name.
bool learnAscendFolder(std::string_view folder, Identity& out)
{
    constexpr std::string_view kSuffix = "_ascend_pt";
    if (!folder.ends_with(kSuffix)) return false;
    folder.remove_suffix(kSuffix.size());
    out.tool.learn("torch_npu", kSource, Confidence::stated);
    NameScan worker(folder);
    const auto rank = worker.take("rank") ? worker.takeNumber() : std::nullopt;
    const bool isRank = rank && *rank < kMaxRanks && (worker.isAtEnd() || worker.rest().starts_with("_"));
    if (isRank) out.rank.learn(static_cast<int>(*rank), kSource, Confidence::stated);
    const size_t timestamp = folder.rfind('_');
    if (timestamp == std::string_view::npos) return true;
    folder = folder.substr(0, timestamp);
    const size_t cut = folder.rfind('_');
    if (cut == std::string_view::npos) return true;
    NameScan scan(folder.substr(cut + 1));
    const auto pid = scan.takeNumber();
    if (!pid || !scan.isAtEnd()) return true;
    out.pid.learn(*pid, kSource, Confidence::stated);
    if (!isRank) out.host.learn(std::string(folder.substr(0, cut)), kSource, Confidence::guessed);
    return true;
}

// profiler_info_<k>.json is in the _ascend_pt folder of rank k, which is above the folder of the exported
// files.
void learnAscendRank(const std::filesystem::path& path, Identity& out)
{
    std::filesystem::path folder = path.parent_path();
    for (int up = 0; up < 2 && !folder.filename().string().ends_with("_ascend_pt"); ++up)
        folder = folder.parent_path();
    if (!folder.filename().string().ends_with("_ascend_pt")) return;
    std::error_code error;
    std::vector<int64_t> ranks;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename().string();
        NameScan scan(name);
        if (!scan.take("profiler_info_")) continue;
        const auto rank = scan.takeNumber();
        if (rank && *rank < kMaxRanks && scan.rest() == ".json") ranks.push_back(*rank);
    }
    if (ranks.size() != 1) return;
    out.rank.learn(static_cast<int>(ranks[0]), "profiler_info_" + std::to_string(ranks[0]) + ".json",
                   Confidence::stated);
}

// `path` is "PARENT/FOLDER". The first scheme that matches is used.
void learnScheme(const std::string& path, std::string_view folder, bool isNear, Identity& out)
{
    for (const FolderNameScheme& scheme : frameworkNames().folders) {
        if (!isNear && !scheme.isAnywhere) continue;
        const auto groups = scheme.pattern.fullMatch(path);
        if (!groups) continue;
        // A folder for one kind of files is more reliable than one that is only named like a role.
        const Confidence confidence = scheme.isAnywhere ? Confidence::stated : Confidence::guessed;
        const auto replica = parseInt((*groups)["replica"]);
        if (replica && *replica < kMaxRanks)
            out.replica.learn(static_cast<int>(*replica), kSource, confidence);
        const std::string role = scheme.role.empty() ? normalizedRole((*groups)["role"]) : scheme.role;
        if (!role.empty()) out.role.learn(role, kSource, confidence);
        if (scheme.isStage) out.stage.learn(std::string(folder), kSource, confidence);
        return;
    }
}

} // namespace

void learnFromFolders(const std::filesystem::path& path, Identity& out)
{
    std::vector<std::string> folders; // nearest first
    for (auto folder = path.parent_path(); folder.has_filename() && folders.size() < 12;
         folder = folder.parent_path()) {
        folders.push_back(folder.filename().string());
    }
    learnAscendRank(path, out);
    folders.resize(folders.size() + 2);
    for (size_t i = 0; i + 2 < folders.size(); ++i) {
        const std::string& folder = folders[i];
        if (learnStep(folder, out) || learnRaySession(folder, folders[i + 1], folders[i + 2], out) ||
            learnSlurmLogs(folder, out) || learnAscendFolder(folder, out) || learnGlobalRank(folder, out)) {
            continue;
        }
        // A folder named "ref" further up does not give any information about this file.
        learnScheme(folders[i + 1] + '/' + folder, folder, i < 2, out);
    }
}

} // namespace lockstep
