// SPDX-License-Identifier: Apache-2.0
// Inference servers to record, from addresses or from a run. Requests to the servers of a run are sent from
// its hosts, because such servers often listen on private addresses: from the host that the session names;
// otherwise from the host whose name or address is in the server's address; otherwise from the first host.
// localhost in an address needs the name of the host if the run has several. Any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/remote/run.h"
#include "core/remote/server_run.h"

namespace lockstep {

// Returns targets for addresses whose requests are sent from this machine. Errors: invalid.
Result<std::vector<ServerTarget>> targetsFromUrls(std::span<const std::string> urls,
                                                  std::optional<ServerKind> kind, const std::string& folder);
// Returns targets for the servers in the session of a run. kind and folder replace those of the session if
// they are set. Errors: notFound if the session has no servers; invalid if the host is not clear.
Result<std::vector<ServerTarget>> targetsOfRun(const RunRecord& record, const SessionConfig& config,
                                               const RunOptions& options, std::optional<ServerKind> kind,
                                               const std::string& folder);
// Returns the key for the servers from LOCKSTEP_SERVER_KEY, or "". Errors: invalid for control characters.
Result<std::string> serverKeyFromEnvironment();

} // namespace lockstep
