// SPDX-License-Identifier: Apache-2.0
// lockstep-demo-data FOLDER: writes the demo's report files and the session of their run, demo.yaml, and
// prints the paths of the reports, one a line.
#include <cstdio>
#include <filesystem>

#include "core/session/session_yaml.h"
#include "core/session/typed_value.h"
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

int main(int argc, char** argv)
{
    if (argc != 2) {
        std::fprintf(stderr, "usage: lockstep-demo-data FOLDER\n");
        return 2;
    }
    const auto paths = test::writeDemoFiles(argv[1]);
    const Status session = paths ? writeSession(argv[1]) : tl::make_unexpected(paths.error());
    if (!session) {
        std::fprintf(stderr, "lockstep-demo-data: %s\n", session.error().message.c_str());
        return 1;
    }
    for (const auto& path : *paths)
        std::printf("%s\n", path.c_str());
    return 0;
}
