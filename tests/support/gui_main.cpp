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

QtMessageHandler& testHandler()
{
    static QtMessageHandler handler = nullptr;
    return handler;
}

void handleMessage(QtMsgType type, const QMessageLogContext& context, const QString& message)
{
    if (message != "This plugin does not support propagateSizeHints()") testHandler()(type, context, message);
}

// Omits a warning that the offscreen platform prints for every window and every resize, and that hides
// failures among hundreds of lines. QTest installs its own message handler when a test class starts, so this
// one is installed from the event loop.
void omitPlatformWarning(QObject& application)
{
    QMetaObject::invokeMethod(
        &application, [] { testHandler() = qInstallMessageHandler(handleMessage); }, Qt::QueuedConnection);
}

} // namespace

int main(int argc, char** argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    fixTextAndScale();
    QStandardPaths::setTestModeEnabled(true);
    lockstep::test::LoopWatchdog application(argc, argv);
    lockstep::installPlurals();
    omitPlatformWarning(application);
    return lockstep::test::runTests(argc, argv);
}
