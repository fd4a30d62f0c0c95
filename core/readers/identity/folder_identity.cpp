// SPDX-License-Identifier: Apache-2.0
#include "core/readers/identity/folder_identity.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/readers/identity/file_identity.h"
#include "core/readers/identity/name_scan.h"

namespace lockstep {

namespace {

constexpr const char* kSource = "folder name";
constexpr int64_t kMaxRanks = 1 << 24;

// Role folders of verl 0.9 and of Ascend trees (save_path/{role}/).
constexpr std::array<std::string_view, 14> kRoles{
    "actor",         "rollout",           "ref",       "critic",         "reward",      "reward_model",
    "actor_rollout", "actor_rollout_ref", "actor_ref", "language_model", "value_model", "language-model",
    "value-model",   "actor-rollout-ref"};
// Stage folders of verl 0.7 (save_path/{e2e|stage}/), with the role of the stage; the role is empty if
// several roles have the stage.
struct StageFolder {
    std::string_view name;
    std::string_view role;
};
constexpr std::array kStageFolders{
    StageFolder{"e2e", ""},
    StageFolder{"rollout_generate", "rollout"},
    StageFolder{"actor_update", "actor"},
    StageFolder{"actor_compute_log_prob", "actor"},
    StageFolder{"ref_compute_log_prob", "ref"},
    StageFolder{"critic_update", "critic"},
    StageFolder{"compute_values", "critic"},
    StageFolder{"compute_rm_score", "reward"},
    StageFolder{"train_batch", ""},
};

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

// Matches agent_loop_rollout_replica_{r}, which contains the files of one engine; its parent may be
// reward_model.
bool learnReplica(std::string_view folder, std::string_view parent, Identity& out)
{
    NameScan scan(folder);
    const auto replica = scan.takeNumberAfter("agent_loop_rollout_replica_");
    if (!replica || !scan.isAtEnd()) return false;
    out.replica.learn(static_cast<int>(*replica), kSource, Confidence::stated);
    out.role.learn(parent == "reward_model" ? "reward" : "rollout", kSource, Confidence::stated);
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

bool learnWord(std::string_view folder, Identity& out)
{
    if (std::ranges::find(kRoles, folder) != kRoles.end()) {
        out.role.learn(normalizedRole(folder), kSource, Confidence::guessed);
        return true;
    }
    const auto stage = std::ranges::find(kStageFolders, folder, &StageFolder::name);
    if (stage == kStageFolders.end()) return false;
    out.stage.learn(std::string(folder), kSource, Confidence::guessed);
    if (!stage->role.empty()) out.role.learn(std::string(stage->role), kSource, Confidence::guessed);
    return true;
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
        if (learnStep(folder, out) || learnReplica(folder, folders[i + 1], out) ||
            learnRaySession(folder, folders[i + 1], folders[i + 2], out) || learnSlurmLogs(folder, out) ||
            learnAscendFolder(folder, out) || learnGlobalRank(folder, out)) {
            continue;
        }
        // A folder named "ref" further up does not give any information about this file.
        if (i < 2) learnWord(folder, out);
    }
}

} // namespace lockstep
