// SPDX-License-Identifier: Apache-2.0
// LocalRemote represents this machine as a host, for local sessions and tests. It uses the same shell, and
// has no link that could fail.
#pragma once

#include "core/remote/remote.h"

namespace lockstep {

class LocalRemote : public Remote {
  public:
    std::string name() const override { return "this machine"; }
    std::vector<std::string> localCommand(std::string_view shellText) const override;
    LinkFailure linkFailure(int code, std::string_view errorText) const override;
    std::string linkFailureText(LinkFailure failure, std::string_view errorText) const override;
};

} // namespace lockstep
