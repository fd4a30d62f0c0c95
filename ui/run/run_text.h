// SPDX-License-Identifier: Apache-2.0
// Strings and colors for the states of a run, shared by the hosts table, the collection status, the log and
// the header of the Run page. Pure.
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

// Returns the name of a state, e.g. "verified", "pending", "recording".
QString ledgerStateText(LedgerState state);
QColor ledgerStateColor(LedgerState state, const Theme& theme);
// Like ledgerStateText() and ledgerStateColor(), but an entry whose process failed is shown as failed, even
// if its report is complete.
QString ledgerEntryState(const LedgerEntry& entry);
QColor ledgerEntryColor(const LedgerEntry& entry, const Theme& theme);
// Draws a symbol for the state (a check mark, an arrow, a disc, ...) that is recognizable without color.
void drawLedgerSign(QPainter& painter, const QRectF& rect, LedgerState state, const QColor& color);
// Draws the symbol of a failed process, an exclamation mark.
void drawFailureSign(QPainter& painter, const QRectF& rect, const QColor& color);

// Returns e.g. "recording" or "writing report"; empty for a host that records nothing.
QString captureText(const HostStatus& host);
// Returns e.g. "0.4 ms", "reconnected 3 s ago", "lost for
// 12 s". now_ns and linkBack_ns: Unix epoch, this machine.
QString linkText(const HostStatus& host, int64_t linkBack_ns, int64_t now_ns);
// Returns the clock offset, e.g. "+3.1 ms", or "" if it was not measured.
QString clockText(const HostStatus& host);
// Returns hours, minutes and seconds: "00:08:42".
QString elapsedText(int64_t duration_ns);
// Returns a rounded duration: "3 s", "12 min", "2 h".
QString roughDuration(int64_t duration_ns);

// Returns a summary of a run, e.g. "reports collected: 13 of 17; node1 failed".
QString runOutcome(const Run& run);

// Returns e.g. "step 5", "steps 5–7" or, without steps, "whole run".
QString stepsText(const std::vector<int64_t>& steps);
// Returns the details of an entry (path, size, sha256, rows, reason), one per line.
QString ledgerEntryText(const LedgerEntry& entry);

} // namespace lockstep
