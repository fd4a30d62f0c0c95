// SPDX-License-Identifier: Apache-2.0
// Notes of what hosts and the ways to them did: lockstep.remote. Nothing is printed of it unless it is asked
// for (QT_LOGGING_RULES="lockstep.*=true"); the window's program keeps it for Help > Save log. Never a
// secret's value, a plan, or a program's output.
#pragma once

#include <QLoggingCategory>

namespace lockstep {

Q_DECLARE_LOGGING_CATEGORY(remoteLog)

} // namespace lockstep
