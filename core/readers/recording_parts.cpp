// SPDX-License-Identifier: Apache-2.0
#include "core/readers/recording_parts.h"

#include <algorithm>
#include <map>

#include "core/base/words.h"

namespace lockstep {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHour = "dddddddd_dd";                 // 20260821_14
constexpr std::string_view kRotated = "-dddd-dd-ddTdd-dd-dd.ddd"; // -2026-08-21T14-03-22.123
constexpr size_t kMaxDigits = 9;

// Compares a text with a pattern in which 'd' stands for a digit.
bool hasForm(std::string_view text, std::string_view form)
{
    return std::ranges::equal(text, form, [](char c, char of) { return of == 'd' ? isDigit(c) : c == of; });
}

bool endsWithForm(std::string_view text, std::string_view form)
{
    return text.size() >= form.size() && hasForm(text.substr(text.size() - form.size()), form);
}

// traces.jsonl and then traces.1.jsonl, traces.2.jsonl, as ROLL's receiver names them, or earlier parts like
// traces-2026-08-21T14-03-22.123.jsonl, as OpenTelemetry's collector names them when it rotates files.
PartName numberedName(std::string_view stem, std::string_view extension)
{
    const auto named = [&](std::string_view base, const std::string& place) {
        return PartName{std::string(base) + std::string(extension), place, !place.empty()};
    };
    if (stem.size() > kRotated.size() && endsWithForm(stem, kRotated)) {
        const size_t length = stem.size() - kRotated.size();
        return named(stem.substr(0, length), std::string(stem.substr(length)));
    }
    const size_t dot = stem.rfind('.');
    const std::string_view number = dot != std::string_view::npos ? stem.substr(dot + 1) : std::string_view();
    if (dot > 0 && !number.empty() && number.size() <= kMaxDigits && std::ranges::all_of(number, isDigit))
        return named(stem.substr(0, dot), std::string(kMaxDigits - number.size(), '0') + std::string(number));
    return named(stem, "");
}

// The files that belong to the recording of `file` according to their names, by place.
struct NamedParts {
    const Reader* reader = nullptr;
    Division division;
    std::map<std::string, fs::path> byPlace; // empty if the recording is not divided
};

NamedParts namedParts(const FileSniff& file)
{
    NamedParts out{readerFor(file), {}, {}};
    if (out.reader != nullptr && out.reader->divisionOf != nullptr)
        out.division = out.reader->divisionOf(file);
    const auto own = partName(file.path.filename().string(), out.division.naming);
    if (!own) return out;
    std::error_code failed;
    const fs::path parent = file.path.parent_path();
    for (fs::directory_iterator entry(parent.empty() ? fs::path(".") : parent, failed), end;
         !failed && entry != end; entry.increment(failed)) {
        const fs::path name = entry->path().filename();
        const auto part = partName(name.string(), out.division.naming);
        std::error_code unknown;
        const bool isFile = part && part->recording == own->recording && entry->is_regular_file(unknown);
        if (!isFile) continue; // reading a pipe would block
        // Of a part and its compressed copy, the one with the shorter name is used.
        const fs::path path = parent / name;
        const auto [known, isNew] = out.byPlace.try_emplace(part->place, path);
        if (!isNew) known->second = std::min(known->second, path);
    }
    out.byPlace.insert_or_assign(own->place, file.path);
    return out;
}

bool isPart(const fs::path& path, const FileSniff& file, const NamedParts& parts)
{
    if (path == file.path) return true;
    const auto other = sniffFile(path);
    return other && parts.reader->recognizes(*other) && parts.reader->divisionOf(*other) == parts.division;
}

} // namespace

std::optional<PartName> partName(std::string_view fileName, PartNaming naming)
{
    for (const std::string_view suffix : kCompressionSuffixes) {
        if (fileName.ends_with(suffix)) fileName.remove_suffix(suffix.size());
    }
    const size_t dot = fileName.rfind('.');
    if (dot == std::string_view::npos || dot == 0) return std::nullopt;
    const std::string_view stem = fileName.substr(0, dot), extension = fileName.substr(dot);
    if (naming == PartNaming::numbered) return numberedName(stem, extension);
    if (naming != PartNaming::hourly || !endsWithForm(stem, kHour)) return std::nullopt;
    const size_t length = stem.size() - kHour.size();
    return PartName{std::string(stem.substr(0, length)) + std::string(extension),
                    std::string(stem.substr(length))};
}

std::vector<fs::path> filesOfRecording(const FileSniff& file)
{
    const NamedParts parts = namedParts(file);
    if (parts.byPlace.empty()) return {file.path};
    std::vector<fs::path> files;
    for (const auto& [place, path] : parts.byPlace) {
        if (isPart(path, file, parts)) files.push_back(path);
    }
    return files;
}

std::vector<fs::path> filesOfRecording(const fs::path& path)
{
    const auto file = sniffFile(path);
    return file ? filesOfRecording(*file) : std::vector{path};
}

fs::path recordingOf(const fs::path& path)
{
    const std::string name = path.filename().string();
    const auto isLater = [&](PartNaming naming) {
        const auto part = partName(name, naming);
        return part && part->isDivided;
    };
    // Nothing else can be a later part, so other files need not be read.
    if (!isLater(PartNaming::numbered) && !isLater(PartNaming::hourly)) return path;
    const auto file = sniffFile(path);
    if (!file) return path;
    const NamedParts parts = namedParts(*file);
    for (const auto& [place, first] : parts.byPlace) {
        if (isPart(first, *file, parts)) return first;
    }
    return path;
}

} // namespace lockstep
