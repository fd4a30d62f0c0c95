// SPDX-License-Identifier: Apache-2.0
#include "core/remote/remote_log.h"

namespace lockstep {

// The default level is critical, because the run itself reports problems of its hosts.
Q_LOGGING_CATEGORY(remoteLog, "lockstep.remote", QtCriticalMsg)

} // namespace lockstep
