#include "app/window_main.h"

#include <cstdio>

namespace lockstep {

int runWindow(int, char**, const std::vector<std::filesystem::path>&)
{
    std::fputs("lockstep: this build has no window; use --export\n", stderr);
    return 1;
}

} // namespace lockstep
