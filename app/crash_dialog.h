// SPDX-License-Identifier: Apache-2.0
// showCrashReport(): the text of a CrashReport before the window, to read, to copy and to delete. UI thread;
// does not block.
#pragma once

#include "app/crash_report.h"

class QWidget;

namespace lockstep {

// secrets are masked in what is shown and copied.
void showCrashReport(QWidget& window, const CrashReport& report, const TextPairs& secrets);

} // namespace lockstep
