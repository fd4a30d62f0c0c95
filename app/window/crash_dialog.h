// SPDX-License-Identifier: Apache-2.0
// showCrashReport() shows a CrashReport in a dialog, to read, copy or delete it. UI thread; does not block.
#pragma once

#include "app/cli/crash_report.h"

class QWidget;

namespace lockstep {

// Masks the values of `secrets` in the displayed and copied text.
void showCrashReport(QWidget& window, const CrashReport& report, const TextPairs& secrets);

} // namespace lockstep
