// SPDX-License-Identifier: Apache-2.0
// How long tests wait for something that must happen. Qt's QTRY_ macros wait for five seconds, which is too
// short on a machine whose cores are busy with other programs, and check only every 50 ms. Here they wait for
// kPatience_ms and check every 10 ms. Only a failing test ever waits that long.
#pragma once

#include <QTest>

#include "tests/support/slowness.h"

namespace lockstep::test {

inline constexpr int kPatience_ms = 300'000 * kSlowness;

// Processes events until the condition holds, which is not evaluated again afterwards. Returns false after
// kPatience_ms.
template<class Condition>
bool waitUntil(const Condition& condition)
{
    return QTest::qWaitFor([&] { return bool(condition()); }, kPatience_ms);
}

} // namespace lockstep::test

#undef QTRY_IMPL
#define QTRY_IMPL(expression, timeout)                                                                       \
    lockstep::test::waitUntil([&] { return QTest::currentTestFailed() || bool(expression); });
