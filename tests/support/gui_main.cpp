// SPDX-License-Identifier: Apache-2.0
// Runs the GUI tests on the offscreen platform, unless the caller chose another, with a fixed scale and
// without user settings. A test fails if the event loop blocks.
#include <QStandardPaths>

#include "tests/support/loop_watchdog.h"
#include "tests/support/test_registry.h"
#include "ui/window/plurals.h"

int main(int argc, char** argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    qputenv("QT_SCALE_FACTOR", "1");
    QStandardPaths::setTestModeEnabled(true);
    lockstep::test::LoopWatchdog application(argc, argv);
    lockstep::installPlurals();
    return lockstep::test::runTests(argc, argv);
}
