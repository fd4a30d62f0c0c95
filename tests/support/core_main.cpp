// SPDX-License-Identifier: Apache-2.0
#include <QCoreApplication>

#include "tests/support/test_registry.h"

int main(int argc, char** argv)
{
    QCoreApplication application(argc, argv);
    return lockstep::test::runTests(argc, argv);
}
