// GUI tests run on the offscreen platform unless the caller chose another, with one fixed scale and no user
// settings.
#include <QApplication>
#include <QStandardPaths>

#include "tests/support/test_registry.h"

int main(int argc, char** argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    qputenv("QT_SCALE_FACTOR", "1");
    QStandardPaths::setTestModeEnabled(true);
    QApplication application(argc, argv);
    return lockstep::test::runTests(argc, argv);
}
