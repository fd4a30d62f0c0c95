// SPDX-License-Identifier: Apache-2.0
// lockstep-demo-data FOLDER: writes the demo's report files and the session of their run, demo.yaml, and
// prints the paths of the reports, one a line. lockstep-demo-data --async REQUESTS FOLDER: writes the files
// of an asynchronous run of 64 GPUs instead.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string_view>

#include "core/base/text.h"
#include "core/session/session_yaml.h"
#include "core/session/typed_value.h"
#include "tests/support/demo_async_run.h"
#include "tests/support/demo_files.h"

using namespace lockstep;

// The session maps the n-th nsys report of a worker to training step n.
static Status writeSession(const std::filesystem::path& folder)
{
    SessionConfig session;
    session.name = "synthetic demo";
    session.framework = *enumFromWord<Framework>("verl");
    session.tool = Tool::nsys;
    session.steps = std::vector<int64_t>{1, 2};
    session.role(Role::actor).enable = true;
    session.role(Role::actor).allRanks = true;
    return saveSession(session, folder / "demo.yaml");
}

static Result<std::vector<std::filesystem::path>> writtenFiles(std::span<char* const> arguments)
{
    const std::filesystem::path folder = arguments.back();
    if (arguments.size() == 1) {
        auto paths = LOCKSTEP_TRY(test::writeDemoFiles(folder));
        LOCKSTEP_TRY(writeSession(folder));
        return paths;
    }
    test::AsyncRunShape shape;
    const auto requests = parseInt(arguments[1]);
    if (!requests || *requests < 1 || *requests > 10'000'000)
        return makeError(ErrorKind::invalid, std::string(arguments[1]) + ": not a number of requests");
    shape.requests = static_cast<int>(*requests);
    return test::writeAsyncRun(folder, shape);
}

int main(int argc, char** argv)
{
    const std::span<char* const> arguments(argv + 1, static_cast<size_t>(std::max(argc - 1, 0)));
    const bool isAsync = arguments.size() == 3 && arguments[0] == std::string_view("--async");
    if (arguments.size() != 1 && !isAsync) {
        std::fprintf(stderr, "usage: lockstep-demo-data [--async REQUESTS] FOLDER\n");
        return 2;
    }
    const auto paths = writtenFiles(arguments);
    if (!paths) {
        std::fprintf(stderr, "lockstep-demo-data: %s\n", paths.error().message.c_str());
        return 1;
    }
    for (const auto& path : *paths)
        std::printf("%s\n", path.c_str());
    return 0;
}
