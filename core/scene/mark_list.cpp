// SPDX-License-Identifier: Apache-2.0
#include "core/scene/mark_list.h"

#include <algorithm>
#include <limits>

#include "core/base/json_fields.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr int kMarksVersion = 1;
constexpr size_t kMaxLanes = 10'000; // maximum number of lanes per area
constexpr size_t kMaxName = 4096;    // maximum length of any other string, in bytes
constexpr int64_t kMaxNumber = int64_t(1) << 52;

// Stores each value that many markers share only once.
template<class T>
class Shared {
  public:
    size_t add(const std::shared_ptr<const T>& value)
    {
        const auto known = m_byPlace.find(value.get());
        if (known != m_byPlace.end()) return known->second;
        const auto [at, isNew] = m_places.try_emplace(*value, m_places.size());
        if (isNew) m_all.push_back(value.get());
        m_byPlace[value.get()] = at->second;
        return at->second;
    }
    const std::vector<const T*>& all() const { return m_all; }

  private:
    std::map<const T*, size_t> m_byPlace;
    std::map<T, size_t> m_places;
    std::vector<const T*> m_all;
};

Json jsonFromReport(const ReportAnchor& report)
{
    Json out{{"print", report.fingerprint}, {"name", report.name}};
    if (!report.host.empty()) out["host"] = report.host;
    if (report.rank) out["rank"] = *report.rank;
    if (report.pid) out["pid"] = *report.pid;
    return out;
}

std::string shortTextAt(const Json& object, const char* key)
{
    std::string text = repairedUtf8(textAt(object, key));
    if (text.size() > kMaxName) text.resize(kMaxName);
    return repairedUtf8(text);
}

ReportAnchor reportFromJson(const Json& object)
{
    return {shortTextAt(object, "print"), shortTextAt(object, "name"), shortTextAt(object, "host"),
            numberAt(object, "rank"), numberAt(object, "pid")};
}

Json jsonFromMoment(const MomentAnchor& moment, Shared<ReportAnchor>& reports)
{
    Json out{{"aligned_ns", moment.aligned.ns}};
    if (moment.report == nullptr) return out;
    out["report"] = reports.add(moment.report);
    out["at_ns"] = moment.at.ns;
    return out;
}

bool isTimestamp(std::optional<int64_t> value_ns)
{
    return value_ns && *value_ns >= kAllTime.begin.ns && *value_ns < kAllTime.end.ns;
}

// Reads one list and counts the dropped entries.
class MarksReader {
  public:
    explicit MarksReader(const Json& all)
    {
        for (const Json& report : listAt(all, "reports"))
            m_reports.push_back(std::make_shared<const ReportAnchor>(reportFromJson(report)));
        for (const Json& axis : listAt(all, "axes")) {
            auto utc = numberAt(axis, "utc_at_zero_ns");
            if (!isTimestamp(utc)) utc.reset();
            m_axes.push_back(std::make_shared<const AxisAnchor>(AxisAnchor{utc, shortTextAt(axis, "basis")}));
        }
    }

    ReadMarks read(const Json& all)
    {
        ReadMarks out;
        size_t dropped = 0, tooMany = 0, twice = 0;
        const int64_t next = std::clamp<int64_t>(numberAt(all, "next").value_or(1), 1, kMaxNumber);
        std::vector<Mark> marks;
        for (const Json& entry : listAt(all, "marks")) {
            auto mark = markFrom(entry);
            if (!mark) {
                ++dropped;
            } else if (marks.size() >= kMaxMarks) {
                ++tooMany;
            } else {
                marks.push_back(*std::move(mark));
            }
        }
        std::ranges::stable_sort(marks, {}, &Mark::number);
        for (Mark& mark : marks) {
            const bool isTaken = mark.number < out.marks.nextNumber();
            twice += isTaken ? 1 : 0;
            if (!isTaken) out.marks.put(std::move(mark));
        }
        out.marks.startAt(next);
        const auto addNote = [&out](size_t count, const std::string& what) {
            if (count > 0) out.notes.push_back(groupedText(static_cast<int64_t>(count)) + " " + what);
        };
        addNote(dropped, "unreadable markers dropped");
        addNote(twice, "markers with duplicate numbers dropped");
        addNote(tooMany, "markers dropped: the limit of a workspace is " + groupedText(kMaxMarks));
        addNote(m_cut, "notes truncated or repaired: a note is UTF-8 text of at most 64 KiB");
        return out;
    }

  private:
    std::optional<MomentAnchor> momentFrom(const Json& object) const
    {
        const auto aligned = numberAt(object, "aligned_ns");
        if (!isTimestamp(aligned)) return std::nullopt;
        MomentAnchor moment{{*aligned}, nullptr, {}};
        if (!object.contains("report")) return moment;
        const auto report = numberAt(object, "report"), at = numberAt(object, "at_ns");
        if (!isTimestamp(at) || !report || *report < 0 || static_cast<size_t>(*report) >= m_reports.size())
            return std::nullopt;
        moment.report = m_reports[static_cast<size_t>(*report)];
        moment.at = {*at};
        return moment;
    }

    std::optional<Mark> markFrom(const Json& entry)
    {
        const auto kind = markKindFromName(textAt(entry, "kind"));
        const auto number = numberAt(entry, "number"), axis = numberAt(entry, "axis");
        const auto begin = momentFrom(objectAt(entry, "begin"));
        const auto end = entry.contains("end") ? momentFrom(objectAt(entry, "end")) : begin;
        const bool hasAxis = axis && *axis >= 0 && static_cast<size_t>(*axis) < m_axes.size();
        if (!kind || !number || *number < 1 || *number > kMaxNumber || !begin || !end || !hasAxis)
            return std::nullopt;
        if (*kind == MarkKind::slice && begin->report == nullptr) return std::nullopt;
        Mark mark;
        mark.number = *number;
        mark.kind = *kind;
        bool isCut = false;
        mark.text = markText(textAt(entry, "text"), &isCut);
        m_cut += isCut ? 1 : 0;
        mark.createdAt_utc_ns = numberAt(entry, "made_utc_ns").value_or(0);
        if (!isTimestamp(mark.createdAt_utc_ns)) mark.createdAt_utc_ns = 0;
        mark.begin = *begin;
        mark.end = *end;
        mark.axis = m_axes[static_cast<size_t>(*axis)];
        mark.track = shortTextAt(entry, "track");
        // not truncated, because the name is compared with the name in the report
        mark.name = repairedUtf8(textAt(entry, "name"));
        mark.lane = shortTextAt(entry, "lane");
        for (const Json& lane : listAt(entry, "lanes")) {
            if (lane.is_string() && mark.lanes.size() < kMaxLanes)
                mark.lanes.push_back(repairedUtf8(lane.get<std::string>()));
        }
        return mark;
    }

    std::vector<std::shared_ptr<const ReportAnchor>> m_reports;
    std::vector<std::shared_ptr<const AxisAnchor>> m_axes;
    size_t m_cut = 0;
};

} // namespace

std::string markText(std::string_view text, bool* cut)
{
    bool isRepaired = false;
    std::string out = repairedUtf8(text, &isRepaired);
    const bool isLong = out.size() > kMaxMarkText;
    if (isLong) {
        size_t end = kMaxMarkText; // a multi-byte character is never split
        while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xC0) == 0x80)
            --end;
        out.resize(end);
    }
    if (cut != nullptr) *cut = isRepaired || isLong;
    return out;
}

const Mark* MarkList::find(int64_t number) const
{
    const auto at = std::ranges::lower_bound(*m_marks, number, {}, &Mark::number);
    return at != m_marks->end() && at->number == number ? &*at : nullptr;
}

Result<int64_t> MarkList::add(Mark mark)
{
    if (size() >= kMaxMarks)
        return makeError(ErrorKind::invalid, "the limit is " + groupedText(kMaxMarks) +
                                                 " markers per workspace: remove some first");
    if (mark.text.size() > kMaxMarkText) return makeError(ErrorKind::invalid, "a note is limited to 64 KiB");
    mark.number = m_next;
    put(std::move(mark));
    return m_next - 1;
}

void MarkList::put(Mark mark)
{
    m_next = std::max(m_next, mark.number + 1);
    std::vector<Mark>& marks = m_marks.edit();
    const auto at = std::ranges::lower_bound(marks, mark.number, {}, &Mark::number);
    if (at != marks.end() && at->number == mark.number) {
        *at = std::move(mark);
    } else {
        marks.insert(at, std::move(mark));
    }
}

bool MarkList::remove(int64_t number)
{
    if (find(number) == nullptr) return false;
    std::erase_if(m_marks.edit(), [number](const Mark& mark) { return mark.number == number; });
    return true;
}

size_t MarkList::append(const MarkList& other)
{
    size_t without = 0;
    for (const Mark& mark : other.all())
        without += add(mark) ? 0 : 1;
    return without;
}

std::string marksText(const MarkList& marks)
{
    Shared<ReportAnchor> reports;
    Shared<AxisAnchor> axes;
    Json list = Json::array();
    for (const Mark& mark : marks.all()) {
        Json entry{{"number", mark.number},
                   {"kind", markKindName(mark.kind)},
                   {"made_utc_ns", mark.createdAt_utc_ns},
                   {"axis", axes.add(mark.axis)}};
        entry["begin"] = jsonFromMoment(mark.begin, reports);
        if (mark.kind != MarkKind::time) entry["end"] = jsonFromMoment(mark.end, reports);
        if (!mark.text.empty()) entry["text"] = mark.text;
        if (!mark.track.empty()) entry["track"] = mark.track;
        if (!mark.name.empty()) entry["name"] = mark.name;
        if (!mark.lane.empty()) entry["lane"] = mark.lane;
        if (!mark.lanes.empty()) entry["lanes"] = mark.lanes;
        list.push_back(std::move(entry));
    }
    Json all{{"version", kMarksVersion}, {"next", marks.nextNumber()}};
    Json& reportList = all["reports"] = Json::array();
    for (const ReportAnchor* const report : reports.all())
        reportList.push_back(jsonFromReport(*report));
    Json& axisList = all["axes"] = Json::array();
    for (const AxisAnchor* const axis : axes.all()) {
        Json entry{{"basis", axis->basis}};
        if (axis->utcAtZero_ns) entry["utc_at_zero_ns"] = *axis->utcAtZero_ns;
        axisList.push_back(std::move(entry));
    }
    all["marks"] = std::move(list);
    return jsonLine(all);
}

Result<ReadMarks> parseMarks(std::string_view text)
{
    const Json all = jsonFrom(text);
    const int64_t version = numberAt(all, "version").value_or(0);
    if (version != kMarksVersion)
        return makeError(ErrorKind::unsupported,
                         "the markers in the workspace have format version " + std::to_string(version) +
                             "; this Lockstep supports version " + std::to_string(kMarksVersion));
    return MarksReader(all).read(all);
}

} // namespace lockstep
