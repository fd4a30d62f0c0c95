// SPDX-License-Identifier: Apache-2.0
// The log category lockstep.ui for actions and messages of the window: files opened, saved and rejected, and
// notices. See also core/remote/remote.h.
#pragma once

#include <QLoggingCategory>

namespace lockstep {

Q_DECLARE_LOGGING_CATEGORY(uiLog)

} // namespace lockstep
