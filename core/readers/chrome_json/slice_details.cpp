// SPDX-License-Identifier: Apache-2.0
#include "core/readers/chrome_json/slice_details.h"

#include <algorithm>

#include <simdjson.h>

#include "core/base/text.h"
#include "core/readers/chrome_json/event_borders.h"
#include "core/readers/chrome_json/event_repair.h"
#include "core/readers/chrome_json/event_starts.h"
#include "core/readers/chrome_json/json_scalars.h"
#include "core/readers/chrome_json/window_cutter.h"
#include "core/readers/text_source.h"

namespace lockstep {

namespace {

namespace od = simdjson::ondemand;

using Arguments = std::vector<std::pair<std::string, std::string>>;

// Adds all entries of the object; entries of args go to `inner`. Returns false on broken JSON.
bool addEntries(od::object& object, Arguments& out, Arguments* inner)
{
    for (auto field : object) {
        std::string_view key;
        if (field.unescaped_key().get(key) != simdjson::SUCCESS) return false;
        std::string name(key);
        od::value value;
        if (field.value().get(value) != simdjson::SUCCESS) return false;
        const std::string_view token = value.raw_json_token();
        if (token.empty()) return false;
        od::object nested;
        if (inner != nullptr && name == "args" && token[0] == '{') {
            if (value.get_object().get(nested) != simdjson::SUCCESS || !addEntries(nested, *inner, nullptr))
                return false;
            continue;
        }
        std::string_view text;
        if (token[0] == '"') {
            if (value.get_string().get(text) != simdjson::SUCCESS) text = scalarText(token);
        } else if (token[0] == '{' || token[0] == '[') {
            if (simdjson::to_json_string(value).get(text) != simdjson::SUCCESS) return false;
        } else {
            text = scalarText(token);
        }
        out.emplace_back(std::move(name), text);
    }
    return true;
}

std::optional<SliceDetails> parsed(std::string text)
{
    const size_t size = text.size();
    text.append(simdjson::SIMDJSON_PADDING, ' ');
    od::parser parser;
    od::document document;
    od::object object;
    SliceDetails details;
    Arguments inner;
    if (parser.iterate(text.data(), size, text.size()).get(document) != simdjson::SUCCESS)
        return std::nullopt;
    if (document.get_object().get(object) != simdjson::SUCCESS) return std::nullopt;
    if (!addEntries(object, details.arguments, &inner)) return std::nullopt;
    std::ranges::move(inner, std::back_inserter(details.arguments));
    return details;
}

// Returns the object at `offset` of the uncompressed text; empty if no object starts there.
Result<std::string> readObject(const std::filesystem::path& path, uint64_t offset, const PackedIndex* index)
{
    const auto source = LOCKSTEP_TRY(TextSource::openAt(path, offset, index));
    std::string text;
    for (size_t step = 16 * 1024; text.size() < WindowCutter::kLargestEvent; step *= 2) {
        const size_t before = text.size();
        text.resize(before + step);
        const size_t got = LOCKSTEP_TRY(source->read(text.data() + before, step));
        text.resize(before + got);
        if (text.empty() || text[0] != '{') return std::string();
        const size_t next = nextEventStart(text, 1);
        const std::string_view object = std::string_view(text).substr(0, next);
        if (const auto end = tolerantObjectEnd(object)) return text.substr(0, *end);
        // An object without a closing bracket extends to the next event start, or to the end of the events.
        if (next != std::string_view::npos || got < step) return std::string(upToLastBracket(object));
    }
    return std::string();
}

} // namespace

std::optional<SliceDetails> detailsOfObject(std::string_view object)
{
    if (auto details = parsed(std::string(object))) return details;
    if (auto details = parsed(repairedEvent(object))) return details;
    return parsed(repairedEvent(upToLastBracket(object)));
}

Result<SliceDetails> objectDetails(const std::filesystem::path& path, uint64_t offset_bytes,
                                   const PackedIndex* index)
{
    const std::string object = LOCKSTEP_TRY(readObject(path, offset_bytes, index));
    auto details = detailsOfObject(object);
    if (object.empty() || !details)
        return makeError(ErrorKind::corrupt, path.string() + ": changed since it was read; open it again",
                         HelpTopic::changedFile);
    details->source = "byte " + std::to_string(offset_bytes);
    return *std::move(details);
}

Result<SliceDetails> chromeSliceDetails(const Report& report, SliceId slice)
{
    const std::filesystem::path& path = report.provenance.path;
    std::error_code error;
    const uint64_t size = std::filesystem::file_size(path, error);
    if (error) return makeError(ErrorKind::notFound, path.string() + ": no longer exists");
    if (size != report.provenance.size_bytes)
        return makeError(ErrorKind::corrupt, path.string() + ": changed since it was read; open it again",
                         HelpTopic::changedFile);
    return objectDetails(path, report.slices.source[slice.value].row(), report.packedIndex.get());
}

} // namespace lockstep
