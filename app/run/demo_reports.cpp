// SPDX-License-Identifier: Apache-2.0
#include "app/run/demo_reports.h"

#include <algorithm>

#include "core/base/child_process.h"

namespace lockstep {

namespace {

namespace fs = std::filesystem;

fs::path generatorPath()
{
    std::error_code error;
    const fs::path self = fs::read_symlink("/proc/self/exe", error);
    return self.parent_path() / "lockstep-demo-data";
}

// Runs the generator with these options, and returns the paths of the reports.
Result<std::vector<fs::path>> writtenReports(const fs::path& folder, std::vector<std::string> options)
{
    const fs::path generator = generatorPath();
    if (!fs::exists(generator)) {
        return makeError(ErrorKind::notFound,
                         generator.string() + ": not installed; install the whole package");
    }
    options.insert(options.begin(), generator.string());
    options.push_back(folder.string());
    auto child = ChildProcess::start({.argv = options, .output = ChildOptions::kNull});
    if (!child || child->wait() != 0) {
        return makeError(ErrorKind::io, folder.string() + ": cannot write the demo reports");
    }
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.is_regular_file() && entry.path().extension() != ".yaml") paths.push_back(entry.path());
    }
    std::ranges::sort(paths);
    return paths;
}

} // namespace

Result<std::vector<fs::path>> writeDemoReports(const fs::path& folder)
{
    return writtenReports(folder, {});
}

Result<std::vector<fs::path>> writeAsyncReports(const fs::path& folder, int requests)
{
    return writtenReports(folder, {"--async", std::to_string(requests)});
}

} // namespace lockstep
