// SPDX-License-Identifier: Apache-2.0
// Headers that many tests include, compiled once for all of them. No source includes this file.
#pragma once

#include "core/base/precompiled.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QObject>
#include <QProcess>
#include <QTest>
#include <QTimer>
