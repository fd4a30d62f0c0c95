// Where the public profiler files are, for tests of label `real`. They live outside the repository and may be absent.
#pragma once

#include <filesystem>

namespace lockstep::test {

inline std::filesystem::path sharedData(const std::filesystem::path& relative = {})
{
    return std::filesystem::path(LOCKSTEP_SHARED_DATA) / relative;
}

inline bool hasSharedData()
{
    return std::filesystem::is_directory(LOCKSTEP_SHARED_DATA);
}

} // namespace lockstep::test

// First line of a `real` test function.
#define LOCKSTEP_NEED_SHARED_DATA()                                                                          \
    if (!lockstep::test::hasSharedData()) QSKIP("the folder of public profiler files is not here")
