// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "tests/bench/bench.h"

namespace lockstep::test {

std::map<std::string_view, RunBench>& benchRegistry()
{
    static std::map<std::string_view, RunBench> registry;
    return registry;
}

} // namespace lockstep::test

// Without the name of a benchmark, prints all names.
int main(int argc, char** argv)
{
    const auto& registry = lockstep::test::benchRegistry();
    const auto found = argc > 1 ? registry.find(argv[1]) : registry.end();
    if (found != registry.end()) return found->second(argc - 1, argv + 1);
    for (const auto& [name, run] : registry)
        std::printf("%.*s\n", static_cast<int>(name.size()), name.data());
    return argc > 1 ? 2 : 0;
}
