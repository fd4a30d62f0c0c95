// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/place_link.h"

#include <algorithm>
#include <array>

#include "core/base/json_fields.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr size_t kChecksum = 4; // length in characters

std::string encoded(std::string_view bytes)
{
    std::string out;
    for (size_t at = 0; at < bytes.size(); at += 3) {
        uint32_t group = 0;
        const size_t count = std::min<size_t>(3, bytes.size() - at);
        for (size_t i = 0; i < 3; ++i)
            group = group << 8 | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0u);
        for (size_t i = 0; i <= count; ++i)
            out += kDigits[group >> (18 - 6 * i) & 63];
    }
    return out;
}

std::optional<std::string> decoded(std::string_view text)
{
    std::string out;
    uint32_t group = 0;
    int bits = 0;
    for (const char c : text) {
        const size_t digit = kDigits.find(c);
        if (digit == kDigits.npos) return std::nullopt;
        group = group << 6 | static_cast<uint32_t>(digit);
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        out += static_cast<char>(group >> bits & 255);
    }
    return out;
}

// Mail and chat programs truncate links; the checksum detects this.
std::string checksumOf(std::string_view text)
{
    uint32_t hash = 2166136261u;
    for (const char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
    std::string out;
    for (size_t i = 0; i < kChecksum; ++i)
        out += kDigits[hash >> (6 * i) & 63];
    return out;
}

// Independent of the order in which the reports were opened.
std::string digestOf(const Scene& scene)
{
    std::vector<std::string> fingerprints;
    for (const ReportKey key : scene.shown.keys())
        fingerprints.push_back(anchorOf(scene.shown.report(key), scene.shown.identity(key)).fingerprint);
    std::ranges::sort(fingerprints);
    uint64_t hash = 14695981039346656037u; // FNV-1a
    for (const std::string& fingerprint : fingerprints) {
        for (const char c : fingerprint)
            hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    }
    std::string out;
    for (int shift = 0; shift < 64; shift += 6)
        out += kDigits[hash >> shift & 63];
    return out;
}

} // namespace

PlaceLink placeLinkOf(const Scene& scene, TimeRange visible, SliceRef slice,
                      const std::optional<TimeRange>& range, std::string laneFilter)
{
    PlaceLink link;
    const bool hasSlice = scene.holds(slice);
    const ReportKey by = hasSlice                ? slice.report
                         : scene.shown.isEmpty() ? ReportKey()
                                                 : scene.shown.keys().front();
    link.visible = markOfRange(scene, visible, by, by, 0);
    if (range)
        link.selection = markOfRange(scene, *range, by, by, 0);
    else if (hasSlice)
        link.selection = markOfSlice(scene, slice, 0);
    link.laneFilter = std::move(laneFilter);
    for (const ReportKey key : scene.shown.keys()) {
        if (link.reports.size() < kMaxLinkReports)
            link.reports.push_back(anchorOf(scene.shown.report(key), scene.shown.identity(key)));
        else
            ++link.omittedReports;
    }
    link.digest = digestOf(scene);
    return link;
}

std::string shortLinkText(PlaceLink link)
{
    link.omittedReports += link.reports.size();
    link.reports.clear();
    return linkText(link);
}

std::string linkText(const PlaceLink& link)
{
    // The place is stored as a list of markers, so that a single reader handles all untrusted input.
    MarkList marks;
    Mark visible = link.visible;
    visible.number = 1;
    marks.put(std::move(visible));
    if (link.selection) {
        Mark selection = *link.selection;
        selection.number = 2;
        marks.put(std::move(selection));
    }
    // Each report is stored with a marker at the zero of the axis.
    for (const ReportAnchor& report : link.reports) {
        Mark of;
        of.number = marks.nextNumber() < 3 ? 3 : marks.nextNumber();
        of.axis = link.visible.axis;
        of.begin = of.end = {{}, std::make_shared<const ReportAnchor>(report), {}};
        marks.put(std::move(of));
    }
    Json all{{"version", 1}, {"marks", jsonFrom(marksText(marks))}};
    if (!link.laneFilter.empty()) all["lanes"] = link.laneFilter;
    if (link.omittedReports > 0) all["other_reports"] = link.omittedReports;
    if (!link.digest.empty()) all["digest"] = link.digest;
    const std::string body = encoded(jsonLine(all));
    return std::string(kLinkScheme) + checksumOf(body) + body;
}

bool isLink(std::string_view text)
{
    const size_t first = text.find_first_not_of(" \t\r\n");
    return first != text.npos && lowerAscii(text.substr(first, kLinkScheme.size())) == kLinkScheme;
}

Result<PlaceLink> parseLink(std::string_view text)
{
    if (!isLink(text)) return makeError(ErrorKind::invalid, "not a Lockstep link");
    if (text.size() > kMaxLinkText) return makeError(ErrorKind::invalid, "the link is too long");
    std::string plain; // lines that mail programs have wrapped are joined again
    for (const char c : text) {
        if (c != ' ' && c != '\n' && c != '\r' && c != '\t') plain += c;
    }
    const std::string_view body = std::string_view(plain).substr(kLinkScheme.size());
    const bool isWhole =
        body.size() > kChecksum && checksumOf(body.substr(kChecksum)) == body.substr(0, kChecksum);
    if (!isWhole) return makeError(ErrorKind::invalid, "the link is truncated or modified: copy it again");
    const auto bytes = decoded(body.substr(kChecksum));
    const Json all = bytes ? jsonFrom(*bytes) : Json();
    if (numberAt(all, "version") != 1)
        return makeError(ErrorKind::invalid, "the link was created by a different version of Lockstep");
    const ReadMarks read = LOCKSTEP_TRY(parseMarks(jsonLine(objectAt(all, "marks"))));
    const Mark* const visible = read.marks.find(1);
    if (visible == nullptr || visible->kind != MarkKind::range)
        return makeError(ErrorKind::invalid, "the link has no time range");
    PlaceLink link;
    link.visible = *visible;
    link.visible.number = 0;
    for (const Mark& mark : read.marks.all()) {
        if (mark.number == 2) {
            link.selection = mark;
            link.selection->number = 0;
        } else if (mark.number > 2 && mark.begin.report != nullptr && link.reports.size() < kMaxLinkReports) {
            link.reports.push_back(*mark.begin.report);
        }
    }
    link.laneFilter = textAt(all, "lanes");
    link.omittedReports = countAt(all, "other_reports");
    link.digest = textAt(all, "digest");
    return link;
}

Result<LinkedPlace> resolvePlaceLink(const PlaceLink& link, const Scene& scene)
{
    MarkPlacer placer(scene);
    const PlacedMark visible = placer.place(link.visible);
    if (!visible.aligned || visible.aligned->isEmpty())
        return makeError(ErrorKind::notFound, "the link does not match the open reports: " +
                                                  placer.explain(link.visible, visible));
    LinkedPlace place;
    place.visible = *visible.aligned;
    if (visible.placement != MarkPlacement::exact)
        place.missing.push_back("view: " + placer.explain(link.visible, visible));
    if (link.selection) {
        const PlacedMark selected = placer.place(*link.selection);
        if (selected.placement != MarkPlacement::exact)
            place.missing.push_back("selection: " + placer.explain(*link.selection, selected));
        place.slice = scene.holds(selected.slice) ? selected.slice : SliceRef();
        if (link.selection->kind == MarkKind::range) place.range = selected.aligned;
    }
    if (link.reports.empty() && !link.digest.empty() && link.digest != digestOf(scene))
        place.missing.push_back("the reports shown here (" +
                                groupedText(static_cast<int64_t>(scene.shown.size())) +
                                ") are not the same as those of the link (" +
                                groupedText(static_cast<int64_t>(link.omittedReports)) + ")");
    const ReportFinder finder(scene.open);
    for (const ReportAnchor& report : link.reports) {
        const auto found = finder.find(report);
        if (found.match == AnchorMatch::none) place.missing.push_back(describe(report) + " is not open");
        if (found.match == AnchorMatch::ambiguous)
            place.missing.push_back("several open reports could be " + describe(report));
    }
    return place;
}

} // namespace lockstep
