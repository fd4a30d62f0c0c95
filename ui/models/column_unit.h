// SPDX-License-Identifier: Apache-2.0
// ColumnUnit is the unit in which all numbers of a table column are shown, so that their digits can be
// compared. The column header usually names it.
#pragma once

#include <cstdint>

#include <QString>

namespace lockstep {

// A shown number is number * 10^-shift * 2^-binaryShift, rounded to `decimals`.
struct ColumnUnit {
    const char* name = ""; // UTF-8
    int shift = 0;
    int decimals = 0;
    int binaryShift = 0;

    bool operator==(const ColumnUnit& other) const
    {
        return shift == other.shift && decimals == other.decimals && binaryShift == other.binaryShift;
    }
};

// Returns the unit for a column of nanoseconds: s if the longest time is at least 1,000 s, ms if it is at
// least 10 ms, µs if it is at least 10 µs, otherwise ns.
ColumnUnit timeColumnUnit(double longest_ns);

// Returns the unit for a column of bytes: the largest unit up to TiB of which the largest value has at least
// 10, otherwise B.
ColumnUnit byteColumnUnit(double largest_bytes);

// Returns the header of a column, such as "Size (GiB)".
QString headerInUnit(const QString& title, const ColumnUnit& unit);

// Returns a count of bytes in the unit, without the unit's name. A number other than 0 is never shown as 0:
// 512 bytes in GiB are "<0.001".
QString byteCellText(int64_t size_bytes, const ColumnUnit& unit);

// Returns number * 10^-decimals, rounded half away from zero to shownDecimals, with digits in groups of
// three: commas in the integer part, thin spaces (U+2009) in the fraction. (11993000, 6, 3) returns "11.993".
QString groupedFixedPoint(int64_t number, int decimals, int shownDecimals);

} // namespace lockstep
