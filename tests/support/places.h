// SPDX-License-Identifier: Apache-2.0
// Paths on the machine that runs the tests: the sources, the built programs, and the public profiler files of
// label `real`, which are outside the repository and may be absent.
#pragma once

#include <filesystem>

#include <QString>

namespace lockstep::test {

std::filesystem::path sourceFolder();
QString builtProgram(const char* name);
std::filesystem::path sharedData(const std::filesystem::path& relative = {});
bool hasSharedData();

} // namespace lockstep::test

// First line of a `real` test function.
#define LOCKSTEP_NEED_SHARED_DATA()                                                                          \
    if (!lockstep::test::hasSharedData()) QSKIP("the folder of public profiler files is not here")
