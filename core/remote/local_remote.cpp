// SPDX-License-Identifier: Apache-2.0
#include "core/remote/local_remote.h"

namespace lockstep {

std::vector<std::string> LocalRemote::localCommand(std::string_view shellText) const
{
    return {"/bin/sh", "-c", std::string(shellText)};
}

LinkFailure LocalRemote::linkFailure(int, std::string_view) const
{
    return LinkFailure::none;
}

std::string LocalRemote::linkFailureText(LinkFailure, std::string_view) const
{
    return {};
}

} // namespace lockstep
