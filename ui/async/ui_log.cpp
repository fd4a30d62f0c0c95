// SPDX-License-Identifier: Apache-2.0
#include "ui/async/ui_log.h"

namespace lockstep {

Q_LOGGING_CATEGORY(uiLog, "lockstep.ui", QtCriticalMsg)

} // namespace lockstep
