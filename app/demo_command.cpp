// SPDX-License-Identifier: Apache-2.0
#include "app/demo_command.h"

#include <algorithm>
#include <chrono>

#include "app/console.h"
#include "app/demo_reports.h"
#include "app/export_command.h"
#include "app/run_command.h"
#include "core/readers/workspace_file/workspace_file.h"

namespace lockstep {

namespace {

namespace fs = std::filesystem;

// Zero where it was written before that: by an earlier demo.
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

// The worse of two.
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
        fs::file_time_type::clock::now() - std::chrono::milliseconds(20); // a tick of file times
    const int status = runDemo(argc, argv, line, workers, demo);
    if (status == exitStatus::kInterrupted) return status;
    const size_t captures = capturesIn(demo.workspace(), since);
    fs::path folder = demo.folder();
    std::vector<std::string> inputs{demo.workspace().string()};
    if (captures == 0) {
        console.failure("the demo's program could not be run here, see above; what follows is MADE UP");
        folder = demo.madeUpFolder();
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
    const std::string place = folder.string();
    if (captures == 0) {
        console.notice("a made-up run of 2 nodes, in files:");
    } else {
        console.notice("the demo ran, " + std::to_string(captures) +
                       " processes on two hosts that are both this machine; it was written to files:");
    }
    if (draws) console.notice("  " + place + "/timeline.png  the timeline");
    console.notice("  " + place +
                   "/tables/  its tables as CSV; stragglers.csv says who kept the others waiting");
    console.notice(captures == 0 ? "  " + place + "/reports/  the made-up reports"
                                 : "  " + demo.workspace().string() + "  all of it, for lockstep to open");
    return captures == 0 ? both(written, exitStatus::kPart) : both(status, written);
}

} // namespace lockstep
