// SPDX-License-Identifier: Apache-2.0
// Runs the GUI tests on the offscreen platform, unless the caller chose another, with fixed fonts and a fixed
// scale, and without user settings. A test fails if the event loop blocks.
#include <QStandardPaths>

#include "tests/support/loop_watchdog.h"
#include "tests/support/places.h"
#include "tests/support/test_registry.h"
#include "ui/window/plurals.h"

namespace {

// Makes text look the same on every machine. Call before the application is created, because Qt and
// fontconfig read these variables only once.
void fixTextAndScale()
{
    qputenv("FONTCONFIG_FILE", (lockstep::test::sourceFolder() / "tests/support/fonts.conf").c_str());
    for (const char* const name : {"FREETYPE_PROPERTIES", "QT_FONT_DPI", "QT_SCREEN_SCALE_FACTORS",
                                   "QT_USE_PHYSICAL_DPI", "QT_QPA_PLATFORMTHEME", "QT_STYLE_OVERRIDE"})
        qunsetenv(name);
    qputenv("QT_SCALE_FACTOR", "1");
}

} // namespace

int main(int argc, char** argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    fixTextAndScale();
    QStandardPaths::setTestModeEnabled(true);
    lockstep::test::LoopWatchdog application(argc, argv);
    lockstep::installPlurals();
    return lockstep::test::runTests(argc, argv);
}
