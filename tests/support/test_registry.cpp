// SPDX-License-Identifier: Apache-2.0
#include "tests/support/test_registry.h"

#include <algorithm>
#include <cstdio>
#include <vector>

namespace lockstep::test {

std::map<std::string, MakeTest>& testRegistry()
{
    static std::map<std::string, MakeTest> registry;
    return registry;
}

int runTests(int argc, char** argv)
{
    std::vector<char*> rest(argv, argv + argc);
    std::string only;
    if (argc > 1 && argv[1][0] != '-') {
        only = argv[1];
        rest.erase(rest.begin() + 1);
        if (!testRegistry().contains(only)) {
            std::fprintf(stderr, "no test named %s\n", argv[1]);
            return 1;
        }
    }
    int failures = 0;
    for (const auto& [name, make] : testRegistry()) {
        if (!only.empty() && name != only) continue;
        failures += QTest::qExec(make().get(), static_cast<int>(rest.size()), rest.data());
    }
    return std::min(failures, 100);
}

} // namespace lockstep::test
