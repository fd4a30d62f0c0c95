// SPDX-License-Identifier: Apache-2.0
// lockstep-demo-data FOLDER: writes the demo's report files and prints their paths, one a line.
#include <cstdio>

#include "tests/support/demo_files.h"

int main(int argc, char** argv)
{
    if (argc != 2) {
        std::fprintf(stderr, "usage: lockstep-demo-data FOLDER\n");
        return 2;
    }
    const auto paths = lockstep::test::writeDemoFiles(argv[1]);
    if (!paths) {
        std::fprintf(stderr, "lockstep-demo-data: %s\n", paths.error().message.c_str());
        return 1;
    }
    for (const auto& path : *paths)
        std::printf("%s\n", path.c_str());
    return 0;
}
