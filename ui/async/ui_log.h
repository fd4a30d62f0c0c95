// SPDX-License-Identifier: Apache-2.0
// Notes of what the window did and told: files opened, saved and refused, notices. lockstep.ui, as
// remote_log.h.
#pragma once

#include <QLoggingCategory>

namespace lockstep {

Q_DECLARE_LOGGING_CATEGORY(uiLog)

} // namespace lockstep
