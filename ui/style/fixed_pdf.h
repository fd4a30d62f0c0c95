// SPDX-License-Identifier: Apache-2.0
// pdfWithoutDates(): QPdfWriter stamps each file with the moment it was made; the same picture is the same
// bytes. Any thread.
#pragma once

#include <string>
#include <string_view>

#include <QByteArray>

namespace lockstep {

// pdf: as QPdfWriter wrote it. Its date of creation becomes 1970-01-01.
inline std::string pdfWithoutDates(const QByteArray& pdf)
{
    std::string text = pdf.toStdString();
    static constexpr std::string_view kBegin = "/CreationDate (D:", kNever = "19700101000000";
    const size_t at = text.rfind(kBegin);
    if (at != text.npos && at + kBegin.size() + kNever.size() < text.size())
        text.replace(at + kBegin.size(), kNever.size(), kNever);
    return text;
}

} // namespace lockstep
