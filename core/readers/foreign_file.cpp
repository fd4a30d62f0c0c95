// SPDX-License-Identifier: Apache-2.0
#include "core/readers/foreign_file.h"

#include <algorithm>
#include <array>

#include "core/base/inflate.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/readers/registry.h"

namespace lockstep {

namespace {

constexpr size_t kShownText = 80;

bool has(std::string_view text, std::string_view part)
{
    return text.find(part) != std::string_view::npos;
}

std::string_view firstLine(std::string_view text)
{
    return trimmed(text.substr(0, text.find('\n')));
}

std::string shortened(std::string_view text)
{
    const std::string clean = repairedUtf8(text.substr(0, kShownText));
    return text.size() > kShownText ? clean + "…" : clean;
}

// Returns the value of the first `"key": "value"`, or an empty string.
std::string_view stringOf(std::string_view json, std::string_view key)
{
    const size_t at = json.find("\"" + std::string(key) + "\"");
    if (at == std::string_view::npos) return {};
    const size_t begin = json.find_first_not_of(" :\t\r\n", at + key.size() + 2);
    if (begin == std::string_view::npos || json[begin] != '"') return {};
    const size_t end = json.find('"', begin + 1);
    return end == std::string_view::npos ? std::string_view() : json.substr(begin + 1, end - begin - 1);
}

// Returns the first key of a JSON object, such as error in "{ "error": ...".
std::string_view firstKey(std::string_view json)
{
    if (!json.starts_with('{')) return {};
    const size_t begin = json.find_first_not_of(" \t\r\n", 1);
    if (begin == std::string_view::npos || json[begin] != '"') return {};
    const size_t end = json.find('"', begin + 1);
    return end == std::string_view::npos ? std::string_view() : json.substr(begin + 1, end - begin - 1);
}

using Text = std::optional<std::string>;

Text gitPointer(const FileSniff& file)
{
    if (file.text.starts_with("version https://git-lfs.github.com/spec/")) {
        const size_t at = file.text.find("\nsize ");
        const auto size = at == std::string::npos
                              ? std::nullopt
                              : parseInt(firstLine(std::string_view(file.text).substr(at + 6)));
        return "a Git LFS pointer, not the file itself" +
               (size ? " (" + groupedText(*size) + " bytes)" : std::string()) +
               "; fetch the file with git lfs pull";
    }
    const std::string_view line = firstLine(file.text);
    if (file.size_bytes < 4096 && has(line, "/annex/objects/"))
        return "a git-annex pointer, not the file itself; fetch the file with git annex get";
    return {};
}

Text webPage(const FileSniff& file)
{
    const std::string_view text = trimmed(file.text);
    const std::string begin = lowerAscii(text.substr(0, 64));
    if (begin.starts_with("<!doctype html") || begin.starts_with("<html")) {
        return "an HTML page (a login or error page was saved under this name); download the file again";
    }
    if (begin.starts_with("<?xml") || begin.starts_with("<error>")) {
        const size_t at = text.find("<Message>");
        const std::string_view message = at == std::string_view::npos
                                             ? std::string_view()
                                             : text.substr(at + 9, text.find('<', at + 9) - at - 9);
        return "an XML document" + (message.empty() ? std::string() : " (\"" + std::string(message) + "\")") +
               ", probably an error response from a storage service; download the file again";
    }
    if (firstKey(text) == "error" && file.size_bytes < FileSniff::kHead && !has(text, "traceEvents"))
        return "an error response from a web service: " + shortened(text) + "; download the file again";
    return {};
}

Text archive(const FileSniff& file)
{
    constexpr size_t kTarMagic = 257;
    if (file.head.starts_with("PK\x03\x04")) {
        const std::string_view head(file.head);
        if (rolloutDumpReader().recognizes(file)) return {};
        if (has(head.substr(0, 512), "/data.pkl"))
            return "a torch.save file (tensors or a checkpoint), not a profile";
        return "a zip archive; unpack it (unzip) and open the folder";
    }
    if (file.text.size() > kTarMagic + 5 && std::string_view(file.text).substr(kTarMagic, 5) == "ustar") {
        const bool isPacked = file.text.size() != file.head.size() || file.text != file.head;
        return std::string(isPacked ? "a compressed tar archive" : "a tar archive") +
               "; unpack it (tar xf) and open the folder";
    }
    if (file.text.starts_with("\x1F\x8B") && file.head.starts_with("\x1F\x8B"))
        return "compressed twice with gzip; unpack it once (gunzip) and open the result";
    return {};
}

Text partOfSplitFile(const FileSniff& file)
{
    const std::string ending = file.path.extension().string();
    const bool isPart = ending.starts_with(".part") && ending.size() > 5;
    const bool isPacked = isCompressed(file.head);
    // Truncated plain text can be opened up to the end of the file.
    if (!isPart || (!isPacked && readerFor(file) != nullptr)) return {};
    return "one part of a split file; join all the parts (cat NAME.part* > NAME) and open the result";
}

Text nsysText(const FileSniff& file)
{
    const std::string_view line = firstLine(file.text);
    if (line.starts_with('{') && has(line, "\"table\":") && !has(line, "\"ph\":") &&
        !has(line, "traceEvents"))
        return "an Nsight Systems JSON Lines export; export the report with nsys export -t sqlite instead";
    const bool isTyped = firstKey(line) == "Type" && has(line, "Event\":");
    const bool isStrings = firstKey(line) == "data" && !has(file.text, "traceEvents");
    if (isTyped || isStrings)
        return "an Nsight Systems JSON export; export the report with nsys export -t sqlite instead";
    return {};
}

Text flightRecorder(const FileSniff& file)
{
    const std::string_view head(file.text);
    const bool isPickle = head.starts_with('\x80') && has(head, "pg_config") && !has(head, "device_traces");
    const bool isJson = head.starts_with('{') && has(head, "\"entries\"") && !has(head, "traceEvents") &&
                        (has(head, "\"pg_config\"") || has(head, "\"collective_seq_id\""));
    if (!isPickle && !isJson) return {};
    return "a PyTorch NCCL flight recorder dump, which Lockstep cannot read yet; torchfrtrace (part of "
           "PyTorch) compares the dumps of all ranks";
}

Text graphOrServerTrace(const FileSniff& file)
{
    const std::string_view text = trimmed(file.text);
    if (text.starts_with('{') && has(text.substr(0, 4096), "\"nodes\"") &&
        has(text.substr(0, 4096), "\"schema\"") && !has(text, "traceEvents")) {
        const std::string_view schema = stringOf(text, "schema");
        return "a PyTorch execution trace (nodes, schema " + std::string(schema) +
               "): operators and inputs without a timeline; open the Kineto trace recorded with it instead";
    }
    const bool isTriton = text.starts_with('[') && has(text.substr(0, 4096), "\"timestamps\"") &&
                          !has(text.substr(0, 4096), "\"ph\"");
    if (!isTriton) return {};
    return "a Triton Inference Server trace, which Lockstep cannot read";
}

// Recognizes messages of a program in a file that has the name of the program's result.
Text plainText(const FileSniff& file)
{
    // Only files whose name belongs to a report format are examined.
    if (formatOfFile(file.path.filename().string()) == nullptr) return {};
    const std::string_view text = trimmed(file.text);
    const auto isPlain = [](char c) {
        return (c >= 0x20 && c < 0x7F) || c == '\n' || c == '\r' || c == '\t';
    };
    if (text.size() < 8 || file.size_bytes > 4096 || !std::ranges::all_of(text, isPlain)) return {};
    const bool isLetter = (text[0] >= 'A' && text[0] <= 'Z') || (text[0] >= 'a' && text[0] <= 'z');
    const bool isSentence = isLetter && has(text, " ");
    if (!isSentence) return {};
    return "plain text, not a report: \"" + shortened(firstLine(text)) + "\"";
}

constexpr std::array kKinds{gitPointer, webPage,        archive,           partOfSplitFile,
                            nsysText,   flightRecorder, graphOrServerTrace};

} // namespace

std::optional<std::string> foreignFileText(const FileSniff& file)
{
    for (const auto kind : kKinds) {
        if (Text text = kind(file)) return text;
    }
    return readerFor(file) == nullptr ? plainText(file) : std::nullopt;
}

} // namespace lockstep
