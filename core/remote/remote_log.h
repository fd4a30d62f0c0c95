// SPDX-License-Identifier: Apache-2.0
// Log category lockstep.remote for hosts and their connections. Printed only on request
// (QT_LOGGING_RULES="lockstep.*=true"). The window stores the log for Help > Save log. Never contains values
// of secrets, plans, or program output.
#pragma once

#include <QLoggingCategory>

namespace lockstep {

Q_DECLARE_LOGGING_CATEGORY(remoteLog)

} // namespace lockstep
