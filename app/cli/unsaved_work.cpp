// SPDX-License-Identifier: Apache-2.0
#include "app/cli/unsaved_work.h"

#include <algorithm>

#include "core/base/json_fields.h"
#include "core/trace/identity.h"

namespace lockstep {

namespace {

constexpr int kWorkVersion = 1;

Json jsonFromStated(const Identity& stated)
{
    Json parts = Json::object();
    for (const std::string_view part : editableParts()) {
        const std::string text = partText(stated, part);
        if (!text.empty()) parts[std::string(part)] = Json::array({text, partSource(stated, part)});
    }
    return parts;
}

// Parses an identity. Skips invalid parts.
Identity statedFromJson(const Json& parts)
{
    Identity stated;
    for (const auto& [part, value] : parts.items()) {
        if (!value.is_array() || value.size() != 2 || !value[0].is_string() || !value[1].is_string())
            continue;
        static_cast<void>(editPart(stated, part, value[0].get<std::string>(), value[1].get<std::string>()));
    }
    return stated;
}

} // namespace

size_t UnsavedWork::corrections() const
{
    return static_cast<size_t>(std::ranges::count_if(
        reports, [](const UnsavedReport& report) { return report.stated != Identity(); }));
}

bool UnsavedWork::isSameAs(const UnsavedWork& other) const
{
    return workspace == other.workspace && reports == other.reports && sections == other.sections &&
           sessionPath == other.sessionPath && session == other.session;
}

std::string unsavedWorkText(const UnsavedWork& work)
{
    Json all{{"version", kWorkVersion},
             {"at_ns", work.at_ns},
             {"workspace", work.workspace.string()},
             {"session_file", work.sessionPath.string()},
             {"session", work.session},
             {"sections", work.sections}};
    Json& reports = all["reports"] = Json::array();
    for (const UnsavedReport& report : work.reports) {
        reports.push_back({{"path", report.path.string()},
                           {"container", report.container.string()},
                           {"nth", report.nth},
                           {"stated", jsonFromStated(report.stated)}});
    }
    return jsonLine(all);
}

Result<UnsavedWork> parseUnsavedWork(std::string_view text)
{
    const Json all = jsonFrom(text);
    if (numberAt(all, "version").value_or(0) != kWorkVersion)
        return makeError(ErrorKind::corrupt, "corrupt, or from a different version of Lockstep");
    UnsavedWork work;
    work.at_ns = numberAt(all, "at_ns").value_or(0);
    work.workspace = textAt(all, "workspace");
    work.sessionPath = textAt(all, "session_file");
    work.session = textAt(all, "session");
    for (const auto& [name, section] : objectAt(all, "sections").items()) {
        if (section.is_string()) work.sections[name] = section.get<std::string>();
    }
    for (const Json& report : listAt(all, "reports")) {
        UnsavedReport one{textAt(report, "path"), textAt(report, "container"),
                          static_cast<size_t>(countAt(report, "nth")),
                          statedFromJson(objectAt(report, "stated"))};
        if (!one.path.empty()) work.reports.push_back(std::move(one));
    }
    if (!work.hasWorkspace() && !work.hasSession())
        return makeError(ErrorKind::corrupt, "corrupt: no content");
    return work;
}

} // namespace lockstep
