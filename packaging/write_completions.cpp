// SPDX-License-Identifier: Apache-2.0
// write_completions bash|zsh|fish FILE: run by the build alone, from the same table that the program reads.
#include <cstdio>
#include <fstream>

#include "app/cli/completions.h"

int main(int argc, char** argv)
{
    const auto shell = argc == 3 ? lockstep::shellNamed(argv[1]) : std::nullopt;
    if (!shell) {
        std::fputs("usage: write_completions bash|zsh|fish FILE\n", stderr);
        return 2;
    }
    std::ofstream file(argv[2], std::ios::binary);
    file << lockstep::completionScript(*shell) << std::flush;
    return file.good() ? 0 : 1;
}
