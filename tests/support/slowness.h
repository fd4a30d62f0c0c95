// SPDX-License-Identifier: Apache-2.0
// Adjustments for sanitizers: more time, and their options in the environment of started programs.
#pragma once

#include <QProcessEnvironment>

namespace lockstep::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr int kSlowness = 5;
#else
inline constexpr int kSlowness = 1;
#endif

// Adds the options that ctest set to an empty environment; without them a program that forks ends.
inline void addSanitizerOptions(QProcessEnvironment& environment)
{
    for (const char* name : {"TSAN_OPTIONS", "ASAN_OPTIONS", "UBSAN_OPTIONS"}) {
        if (qEnvironmentVariableIsSet(name)) environment.insert(name, qEnvironmentVariable(name));
    }
}

} // namespace lockstep::test
