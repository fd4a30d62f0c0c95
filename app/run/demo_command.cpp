// SPDX-License-Identifier: Apache-2.0
#include "app/run/demo_command.h"

#include <algorithm>
#include <chrono>

#include "app/cli/console.h"
#include "app/cli/export_command.h"
#include "app/run/demo_reports.h"
#include "app/run/run_command.h"
#include "core/readers/workspace_file/workspace_file.h"

namespace lockstep {

namespace {

namespace fs = std::filesystem;

// Returns the number of captures in the workspace; 0 if the workspace is older than `since`, so that an
// earlier demo wrote it.
size_t capturesIn(const fs::path& workspace, fs::file_time_type since)
{
    std::error_code error;
    if (fs::last_write_time(workspace, error) < since || error) return 0;
    const auto contents = openWorkspaceFile(workspace, Progress());
    if (!contents) return 0;
    return static_cast<size_t>(std::ranges::count_if(contents->workspace.keys(), [&](ReportKey key) {
        return contents->workspace.report(key).provenance.kind == "lockstep capture";
    }));
}

// Returns `a` unless it is kComplete, otherwise `b`.
int both(int a, int b)
{
    return a == exitStatus::kComplete ? b : a;
}

int writeFiles(const CommandLine& line, std::vector<std::string> inputs, const fs::path& folder, bool draws,
               const ExportFiles& exportFiles)
{
    CommandLine files = line;
    files.task = Task::exportFiles;
    files.isQuiet = true;
    files.inputs = std::move(inputs);
    files.what = {"timeline"};
    files.pictureFormat = PictureFormat::png;
    files.output = (folder / "timeline.png").string();
    const int drawn = draws ? exportFiles(files) : exitStatus::kComplete;
    files.what = {"inventory", "alignment",    "stragglers",        "collectives",
                  "nvtx_sum",  "cuda_api_sum", "cuda_gpu_kern_sum", "cuda_gpu_mem_time_sum"};
    files.pictureFormat.reset();
    files.tableFormat = TableFormat::csv;
    files.output = (folder / "tables").string();
    return both(drawn, exportFiles(files));
}

} // namespace

int demoInFiles(int argc, char** argv, const CommandLine& line, const Workers& workers, const DemoRun& demo,
                bool draws, const ExportFiles& exportFiles)
{
    Console console(line.isQuiet, line.isVerbose);
    const auto since =
        // One tick of the file system's clock.
        fs::file_time_type::clock::now() - std::chrono::milliseconds(20);
    const int status = runDemo(argc, argv, line, workers, demo);
    if (status == exitStatus::kInterrupted) return status;
    const size_t captures = capturesIn(demo.workspace(), since);
    fs::path folder = demo.folder();
    std::vector<std::string> inputs{demo.workspace().string()};
    if (captures == 0) {
        console.failure("could not run the demo program here (see above); writing SYNTHETIC data instead");
        folder = demo.syntheticFolder();
        const auto made = writeDemoReports(folder / "reports");
        if (!made) {
            console.failure(made.error().message);
            return exitStatus::kNothing;
        }
        inputs.clear();
        for (const fs::path& path : *made)
            inputs.push_back(path.string());
    }
    const int written = writeFiles(line, std::move(inputs), folder, draws, exportFiles);
    const std::string path = folder.string();
    if (captures == 0) {
        console.notice("wrote a synthetic run of 2 nodes:");
    } else {
        console.notice("the demo ran on two hosts, both of them this machine; processes recorded: " +
                       std::to_string(captures) + ". Files:");
    }
    if (draws) console.notice("  " + path + "/timeline.png  picture of the timeline");
    console.notice("  " + path +
                   "/tables/  tables as CSV; stragglers.csv shows which rank the others waited for");
    console.notice(captures == 0 ? "  " + path + "/reports/  the synthetic reports"
                                 : "  " + demo.workspace().string() +
                                       "  the whole run as a workspace; open it with lockstep");
    return captures == 0 ? both(written, exitStatus::kPart) : both(status, written);
}

} // namespace lockstep
