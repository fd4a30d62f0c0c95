// SPDX-License-Identifier: Apache-2.0
#include "core/readers/nsys_report/report_header.h"

#include <algorithm>

#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr std::string_view kOpening = "NVIDIA Tegra Profiler Report ";
constexpr std::string_view kStreamOpening = "U3w[END]NVIDIA Nsight Systems Stream ";
constexpr std::string_view kEndMark = "U3w[END]";
constexpr size_t kLongestToken = 64;

// Returns the token, which extends to its end character and consists of digits, letters and a few other
// characters.
std::string tokenOf(std::string_view head, char endSign)
{
    const std::string_view rest = head.substr(0, kLongestToken);
    const size_t end = rest.find(endSign);
    const std::string_view token = rest.substr(0, std::min(end, rest.size()));
    const bool isPlain = std::ranges::all_of(token, [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '@' ||
               c == '-' || c == '.';
    });
    return isPlain && end != std::string_view::npos ? std::string(token) : std::string();
}

} // namespace

std::optional<ReportHeader> readReportHeader(const FileSniff& file)
{
    ReportHeader header;
    if (file.head.starts_with(kOpening)) {
        header.versionToken = tokenOf(std::string_view(file.head).substr(kOpening.size()), '.');
    } else if (file.head.starts_with(kStreamOpening)) {
        header.form = ReportForm::rawStream;
        header.versionToken = tokenOf(std::string_view(file.head).substr(kStreamOpening.size()), '!');
    } else {
        if (lowerAscii(file.path.extension().string()) != ".qdstrm") return std::nullopt;
        header.form = ReportForm::rawStream;
    }
    header.version = findNsysVersion(header.versionToken);
    header.isComplete = file.tail.ends_with(kEndMark);
    return header;
}

} // namespace lockstep
