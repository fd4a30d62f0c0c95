// SPDX-License-Identifier: Apache-2.0
// Words and colours of a run's states, said the same in the table, the ledger, the log and the page's head.
// Pure.
#pragma once

#include <QColor>
#include <QString>

#include "core/remote/run.h"
#include "ui/style/theme.h"

class QPainter;
class QRectF;

namespace lockstep {

QString hostStateText(HostState state);
QColor hostStateColor(HostState state, const Theme& theme);

// "verified", "to come", "recording".
QString ledgerStateText(LedgerState state);
QColor ledgerStateColor(LedgerState state, const Theme& theme);
// A sign for the state that colour-blind eyes tell apart: a tick, an arrow, a disc, ...
void drawLedgerSign(QPainter& painter, const QRectF& place, LedgerState state, const QColor& color);

// "recording", "writing the report"; empty for a host that records nothing.
QString captureText(const HostStatus& host);
// "0.4 ms", "reconnected 3 s ago", "lost for 12 s". now_ns and linkBack_ns: Unix epoch, this machine.
QString linkText(const HostStatus& host, int64_t linkBack_ns, int64_t now_ns);
// "+3.1 ms", "" where it was not measured.
QString clockText(const HostStatus& host);
// "00:08:42"
QString elapsedText(int64_t duration_ns);
// "3 s", "12 min", "2 h".
QString roughDuration(int64_t duration_ns);

// "13 of 17 reports arrived; node1 failed": a run that has ended, or what there is of one.
QString runOutcome(const Run& run);

// "step 5", "steps 5-7", "whole run".
QString stepsText(const std::vector<int64_t>& steps);
// Path, size, sha256, rows, reason: all that is known of an entry, a line each.
QString ledgerEntryText(const LedgerEntry& entry);

} // namespace lockstep
