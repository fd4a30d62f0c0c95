// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/other_runs.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>

#include <sys/stat.h>

#include "capture/agent/event_log.h"
#include "capture/agent/node_plan.h"
#include "capture/agent/run_folder.h"
#include "core/base/json_fields.h"

namespace lockstep::agent {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRunsFolder = "agent-runs";
constexpr int64_t kSilence_ns = 20'000'000'000; // an active run writes a heartbeat every 5 s

bool isIn(const fs::path& path, const fs::path& folder)
{
    const auto [end, rest] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
    return end == folder.end();
}

template<class OnFolder>
void eachFolder(const fs::path& parent, OnFolder onFolder)
{
    std::error_code error;
    for (fs::directory_iterator at(parent, error), end; !error && at != end; at.increment(error)) {
        std::error_code ignored;
        if (at->is_directory(ignored)) onFolder(at->path());
    }
}

int64_t firstEventTime_ns(const fs::path& events)
{
    std::ifstream file(events);
    std::string line;
    std::getline(file, line);
    return numberAt(jsonFrom(line), "t_ns").value_or(0);
}

// Reads only the end of the log, because the last event of a run is short.
bool hasEnded(const fs::path& events, int64_t size_bytes)
{
    constexpr int64_t kTail_bytes = 4096;
    std::ifstream file(events, std::ios::binary);
    file.seekg(std::max<int64_t>(0, size_bytes - kTail_bytes));
    std::string tail(2 * kTail_bytes, '\0'); // the log may have grown
    file.read(tail.data(), static_cast<std::streamsize>(tail.size()));
    tail.resize(static_cast<size_t>(file.gcount()));
    while (tail.ends_with('\n'))
        tail.pop_back();
    // If there is no newline, npos + 1 is 0.
    return isRunEnd(std::string_view(tail).substr(tail.rfind('\n') + 1));
}

// Returns the part of a run on one host; its ID is empty if the run ended earlier.
OtherRun runOf(const fs::path& folder, int64_t since_ns)
{
    OtherRun run;
    const RunFolder part(folder);
    struct stat status = {};
    const bool hasEvents = ::stat(part.eventsFile().c_str(), &status) == 0;
    const int64_t last_ns = int64_t(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec;
    const bool isHere = part.supervisor().has_value();
    if (!isHere && (!hasEvents || last_ns < since_ns)) return run;
    const bool isActive = hasEvents && wallClock_ns() - last_ns < kSilence_ns;
    run.isRunning = (isHere || isActive) && !hasEnded(part.eventsFile(), status.st_size);
    run.began_ns = hasEvents ? firstEventTime_ns(part.eventsFile()) : wallClock_ns();
    run.ended_ns = run.isRunning ? wallClock_ns() : last_ns;
    if (run.ended_ns < since_ns) return run;
    run.places = reportPlaces(part);
    run.id = folder.parent_path().filename().string();
    return run;
}

// Adds all runs in a folder of runs.
void addRuns(const fs::path& runs, const fs::path& own, int64_t since_ns, std::vector<OtherRun>& found)
{
    eachFolder(runs, [&](const fs::path& run) {
        if (run == own) return;
        eachFolder(run, [&](const fs::path& part) {
            OtherRun other = runOf(part, since_ns);
            if (!other.id.empty()) found.push_back(std::move(other));
        });
    });
}

} // namespace

bool OtherRun::expectsReportAt(const fs::path& file, bool isInWorkingFolder) const
{
    return std::ranges::any_of(places, [&](const ReportPlace& place) {
        return isIn(file, place.folder) && (!place.isWorkingFolder || isInWorkingFolder);
    });
}

std::string OtherRun::commonFolder(const std::vector<ReportPlace>& own) const
{
    for (const ReportPlace& ownPlace : own) {
        for (const ReportPlace& otherPlace : places) {
            const bool isWide = ownPlace.isWorkingFolder != otherPlace.isWorkingFolder;
            const bool isCommon =
                ownPlace.folder == otherPlace.folder ||
                (!isWide && !ownPlace.isWorkingFolder &&
                 (isIn(ownPlace.folder, otherPlace.folder) || isIn(otherPlace.folder, ownPlace.folder)));
            if (isCommon) return ownPlace.folder.string();
        }
    }
    return {};
}

std::vector<ReportPlace> reportPlaces(const RunFolder& folder)
{
    std::vector<ReportPlace> places;
    const auto roots = reportRootsOfRun(folder);
    if (!roots) return places;
    const fs::path working = workingFolderOfRun(folder);
    std::error_code error;
    for (const std::string& root : *roots) {
        if (root.find_first_of("*?[") != std::string::npos) continue;
        const fs::path place = fs::weakly_canonical(fs::path(root), error);
        if (!error) places.push_back({place, isIn(working, place)});
    }
    return places;
}

std::vector<OtherRun> otherRuns(const RunFolder& folder, int64_t since_ns)
{
    std::vector<OtherRun> found;
    const fs::path own = folder.path().parent_path(), runs = own.parent_path();
    if (runs.filename() == kRunsFolder) addRuns(runs, own, since_ns, found);
    return found;
}

std::string runWritingInto(const fs::path& folder)
{
    std::set<fs::path> homes;
    if (const char* const home = std::getenv("HOME"); home != nullptr) {
        homes.insert(fs::path(home) / ".local/state/lockstep");
        if (isOnSharedDisk(home)) homes.insert(localStateFolder());
    }
    std::error_code error;
    // A session may set a different agent folder; the agent program is installed there too.
    fs::path up = fs::read_symlink("/proc/self/exe", error).parent_path();
    for (int level = 0; level < 3 && up.has_relative_path(); ++level, up = up.parent_path())
        homes.insert(up);
    const std::vector<ReportPlace> own{{fs::weakly_canonical(folder, error), false}};
    for (const fs::path& home : homes) {
        std::vector<OtherRun> found;
        if (!home.empty()) addRuns(home / kRunsFolder, {}, wallClock_ns() - kSilence_ns, found);
        for (const OtherRun& run : found) {
            if (run.isRunning && !run.commonFolder(own).empty()) return run.id;
        }
    }
    return {};
}

} // namespace lockstep::agent
