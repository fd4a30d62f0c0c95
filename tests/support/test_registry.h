// SPDX-License-Identifier: Apache-2.0
// Registers a Qt Test class under the name of its file, so that one program contains many and ctest runs each
// by name.
//   class TextTest : public QObject { Q_OBJECT private slots: ... };
//   LOCKSTEP_TEST(TextTest, "text_test")
//   #include "text_test.moc"
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include <QObject>
#include <QTest>

#include "tests/support/patience.h"

namespace lockstep::test {

using MakeTest = std::function<std::unique_ptr<QObject>()>;

std::map<std::string, MakeTest>& testRegistry();
// Runs the named test, or all if the first argument is not the name of a test. Returns the number of
// failures.
int runTests(int argc, char** argv);

struct Registration {
    Registration(const char* name, MakeTest make) { testRegistry()[name] = std::move(make); }
};

} // namespace lockstep::test

#define LOCKSTEP_TEST(TestClass, name)                                                                       \
    static const lockstep::test::Registration registered##TestClass{                                         \
        name, [] { return std::unique_ptr<QObject>(std::make_unique<TestClass>()); }};
