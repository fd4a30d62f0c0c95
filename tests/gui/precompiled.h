// SPDX-License-Identifier: Apache-2.0
// Headers that many tests of the window include, compiled once for all of them. QTest has other functions
// here than in tests/support/precompiled.h. No source includes this file.
#pragma once

#include "ui/precompiled.h"

#include <QElapsedTimer>
#include <QProcess>
#include <QSignalSpy>
#include <QTest>
