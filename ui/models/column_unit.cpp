// SPDX-License-Identifier: Apache-2.0
#include "ui/models/column_unit.h"

#include <array>
#include <cmath>

#include "core/base/text.h"

namespace lockstep {

ColumnUnit timeColumnUnit(double longest_ns)
{
    if (longest_ns >= 1e12) return {"s", 9, 3};
    if (longest_ns >= 1e7) return {"ms", 6, 3};
    if (longest_ns >= 1e4) return {"\u00B5s", 3, 3};
    return {"ns", 0, 0};
}

ColumnUnit byteColumnUnit(double largest_bytes)
{
    static constexpr std::array<const char*, 4> kNames{"KiB", "MiB", "GiB", "TiB"};
    ColumnUnit unit{"B"};
    for (const char* const name : kNames) {
        if (largest_bytes < std::ldexp(10.0, unit.binaryShift + 10)) break;
        unit = {name, 0, 3, unit.binaryShift + 10};
    }
    return unit;
}

QString headerInUnit(const QString& title, const ColumnUnit& unit)
{
    return title + " (" + QString::fromUtf8(unit.name) + ")";
}

QString byteCellText(int64_t size_bytes, const ColumnUnit& unit)
{
    const double scale = std::pow(10.0, unit.decimals);
    const auto scaled = std::llround(std::ldexp(static_cast<double>(size_bytes) * scale, -unit.binaryShift));
    if (scaled != 0 || size_bytes == 0) return groupedFixedPoint(scaled, unit.decimals, unit.decimals);
    return (size_bytes < 0 ? QString(">\u2212") : QString("<")) +
           groupedFixedPoint(1, unit.decimals, unit.decimals);
}

QString groupedFixedPoint(int64_t number, int decimals, int shownDecimals)
{
    uint64_t magnitude = number < 0 ? 0 - static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
    for (; decimals > shownDecimals; --decimals) {
        const bool isLast = decimals == shownDecimals + 1;
        magnitude = magnitude / 10 + (isLast && magnitude % 10 >= 5 ? 1 : 0);
    }
    uint64_t scale = 1;
    for (int i = 0; i < decimals; ++i)
        scale *= 10;
    std::string text = groupedText(static_cast<int64_t>(magnitude / scale));
    if (decimals > 0) {
        std::string fraction = std::to_string(magnitude % scale);
        fraction.insert(0, static_cast<size_t>(decimals) - fraction.size(), '0');
        for (size_t at = (fraction.size() - 1) / 3 * 3; at > 0; at -= 3)
            fraction.insert(at, "\u2009");
        text += "." + fraction;
    }
    return QString::fromStdString((number < 0 && magnitude > 0 ? "\u2212" : "") + text);
}

} // namespace lockstep
