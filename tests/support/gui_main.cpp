// SPDX-License-Identifier: Apache-2.0
// GUI tests run on the offscreen platform unless the caller chose another, with one fixed scale and no user
// settings, and fail where the event loop stands still.
#include <QStandardPaths>

#include "tests/support/loop_watchdog.h"
#include "tests/support/test_registry.h"

int main(int argc, char** argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    qputenv("QT_SCALE_FACTOR", "1");
    QStandardPaths::setTestModeEnabled(true);
    lockstep::test::LoopWatchdog application(argc, argv);
    return lockstep::test::runTests(argc, argv);
}
