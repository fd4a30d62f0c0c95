// SPDX-License-Identifier: Apache-2.0
// Registers a benchmark under the name of its file. One program contains all of them; run
// `bench NAME [arguments]`.
//   int bench(int argc, char** argv); // like main(); argv[0] is the name
//   const test::Bench kBench("layout_bench", bench);
#pragma once

#include <map>
#include <string_view>

namespace lockstep::test {

using RunBench = int (*)(int argc, char** argv);

std::map<std::string_view, RunBench>& benchRegistry();

struct Bench {
    Bench(std::string_view name, RunBench run) { benchRegistry()[name] = run; }
};

} // namespace lockstep::test
