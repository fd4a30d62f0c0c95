// SPDX-License-Identifier: Apache-2.0
#include "tests/support/places.h"

namespace lockstep::test {

std::filesystem::path sourceFolder()
{
    return LOCKSTEP_SOURCE_DIR;
}

QString builtProgram(const char* name)
{
    return QString(LOCKSTEP_BIN_DIR) + '/' + name;
}

std::filesystem::path sharedData(const std::filesystem::path& relative)
{
    return std::filesystem::path(LOCKSTEP_SHARED_DATA) / relative;
}

bool hasSharedData()
{
    return std::filesystem::is_directory(LOCKSTEP_SHARED_DATA);
}

} // namespace lockstep::test
