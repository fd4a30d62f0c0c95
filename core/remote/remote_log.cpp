// SPDX-License-Identifier: Apache-2.0
#include "core/remote/remote_log.h"

namespace lockstep {

// Critical: what befalls a host is told by the run that uses it.
Q_LOGGING_CATEGORY(remoteLog, "lockstep.remote", QtCriticalMsg)

} // namespace lockstep
