// SPDX-License-Identifier: Apache-2.0
#include "app/cli/session_captures.h"

#include <algorithm>

#include "core/base/mapped_file.h"
#include "core/readers/identity/identity_resolver.h"
#include "core/session/expected_files.h"
#include "core/session/session_yaml.h"

namespace lockstep {

namespace {

namespace fs = std::filesystem;

constexpr int kFoldersUp = 3;
constexpr uint64_t kLargestSession_bytes = 1 << 20;

// Returns true if `word` is a component of `role`, like "ref" in "actor_rollout_ref".
bool hasWord(const std::string& role, const std::string& word)
{
    return ("_" + role + "_").find("_" + word + "_") != std::string::npos;
}

// Returns the distinct capture plans of the session's nsys workers, of one role or of all roles.
std::vector<CapturePlan> capturePlans(const std::vector<ExpectedFile>& files,
                                      const std::optional<std::string>& role)
{
    std::vector<CapturePlan> out;
    for (const ExpectedFile& file : files) {
        const bool isWorker = file.kind == ReportKind::nsysReport && file.role != "controller";
        // If stages may be omitted, the index of a capture does not determine its step.
        if (!isWorker || file.steps.empty() || file.optionalPerRank > 0 ||
            (role && !hasWord(*role, file.role)))
            continue;
        CapturePlan plan;
        for (const std::vector<int64_t>& group : file.steps)
            plan.steps.push_back(static_cast<int>(group.front()));
        plan.stagesPerStep = static_cast<int>(file.reportsPerRank / static_cast<int64_t>(file.steps.size()));
        const auto isSame = [&](const CapturePlan& other) {
            return other.steps == plan.steps && other.stagesPerStep == plan.stagesPerStep;
        };
        if (std::ranges::none_of(out, isSame)) out.push_back(std::move(plan));
    }
    return out;
}

bool isSession(const fs::directory_entry& entry)
{
    std::error_code failed;
    const fs::path extension = entry.path().extension();
    if (extension != ".yaml" && extension != ".yml") return false;
    if (!entry.is_regular_file(failed) || entry.file_size(failed) > kLargestSession_bytes) return false;
    const auto file = MappedFile::open(entry.path());
    return file && file->text().find("lockstep_session") != std::string_view::npos;
}

} // namespace

Identity plannedBySession(const SessionConfig& session, const Identity& report,
                          const std::string& sessionName)
{
    Identity out;
    if (!report.captureIndex.isKnown()) return out;
    const std::vector<ExpectedFile> files = forecastFiles(session, {});
    std::vector<CapturePlan> plans = capturePlans(files, report.role.value);
    if (plans.empty()) plans = capturePlans(files, std::nullopt);
    if (plans.size() != 1) return out;
    if (const auto step = stepOfCapture(plans.front(), *report.captureIndex.value)) {
        out.step = {*step,
                    "capture " + std::to_string(*report.captureIndex.value) + " of the steps in " +
                        sessionName,
                    Confidence::stated};
    }
    return out;
}

Identity SessionCaptures::plannedFor(const Report& report)
{
    if (!report.identity.captureIndex.isKnown()) return {};
    std::error_code failed;
    fs::path folder = fs::absolute(report.provenance.path, failed).parent_path();
    const std::lock_guard lock(m_mutex);
    for (int up = 0; up <= kFoldersUp && !folder.empty(); ++up, folder = folder.parent_path()) {
        if (const auto session = sessionIn(folder))
            return plannedBySession(*session, report.identity,
                                    session->name.empty() ? "the session" : session->name);
        if (folder == folder.root_path()) break;
    }
    return {};
}

std::optional<SessionConfig> SessionCaptures::sessionIn(const fs::path& folder)
{
    const auto [entry, isNew] = m_sessions.try_emplace(folder);
    if (!isNew) return entry->second;
    std::error_code failed;
    size_t found = 0;
    for (const auto& file : fs::directory_iterator(folder, failed)) {
        if (!isSession(file)) continue;
        auto session = loadSession(file.path());
        if (!session) continue;
        entry->second = std::move(*session);
        ++found;
    }
    if (found > 1) entry->second.reset();
    return entry->second;
}

} // namespace lockstep
