// SPDX-License-Identifier: Apache-2.0
// TimeColumn formats the times of one table column in one unit, so that the digits of its rows can be
// compared. The header names the unit. UI thread.
#pragma once

#include <cstdint>

#include <QString>

#include "ui/models/column_unit.h"

namespace lockstep {

class TimeColumn {
  public:
    // If `longest_ns`, the largest magnitude in the column, is an hour or more, each row is written as
    // durationText() does ("2 d 5 h") and the header has no unit.
    explicit TimeColumn(int64_t longest_ns = 0);
    // The same in seconds with nanosecond digits, for positions on the axis.
    static TimeColumn positions(int64_t last_ns);

    QString header(const QString& title) const; // "Offset (ms)"
    QString text(int64_t ns) const;
    QString signedText(int64_t ns) const; // "+1.250", "−3.000"; "0" for 0
    QString errorText(int64_t ns) const;  // rounded up: never less than the error

    bool operator==(const TimeColumn& other) const;

  private:
    bool m_hasUnit = true;
    ColumnUnit m_unit;
};

} // namespace lockstep
