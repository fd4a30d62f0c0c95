// SPDX-License-Identifier: Apache-2.0
#include "core/readers/memory_snapshot/memory_snapshot_reader.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "core/base/inflate.h"
#include "core/base/load_watch.h"
#include "core/base/mapped_file.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/readers/cut_stream.h"
#include "core/readers/identity/file_identity.h"
#include "core/readers/memory_snapshot/memory_timeline.h"
#include "core/readers/memory_snapshot/snapshot_decoder.h"
#include "core/readers/pickle/pickle.h"
#include "core/readers/pickle/value_tree.h"
#include "core/readers/registry.h"

namespace lockstep {

namespace {

// Reads JSON text as plain data, for allocator snapshots and memory timelines that are written as JSON.
struct JsonTree {
    ValueTree values;
    ValueId root;
    // True if the text ends before its outermost bracket closes. Open containers then contain the values that
    // were complete before the cut.
    bool isCut = false;
    size_t end_bytes = 0; // position after the last stored value
};

constexpr uint64_t kLongText_bytes = uint64_t(16) << 20;
constexpr size_t kDepth = 32; // maximum depth; a snapshot needs seven levels

// Receives the events of nlohmann::json::sax_parse() and builds a tree, so that reading can be stopped at any
// time. Repeated strings, such as most keys, share one value.
class TreeFiller {
  public:
    TreeFiller(JsonTree& tree, const Progress& progress) : m_tree(tree), m_progress(progress) {}

    bool null() { return put(ValueTree::kNone); }
    bool boolean(bool value) { return put(value ? ValueTree::kTrue : ValueTree::kFalse); }
    bool number_integer(int64_t value) { return put(m_tree.values.integer(value)); }
    bool number_unsigned(uint64_t value)
    {
        return put(value <= uint64_t(std::numeric_limits<int64_t>::max())
                       ? m_tree.values.integer(static_cast<int64_t>(value))
                       : m_tree.values.unsignedInteger(value));
    }
    bool number_float(double value, const std::string&) { return put(m_tree.values.real(value)); }
    bool string(const std::string& text) { return put(textValue(text)); }
    bool key(const std::string& text) { return put(textValue(text)); }
    bool binary(const std::vector<uint8_t>&) { return false; } // called only for formats other than JSON
    bool start_object(size_t) { return open(m_tree.values.dict()); }
    bool start_array(size_t) { return open(m_tree.values.list()); }
    bool end_object() { return close(); }
    bool end_array() { return close(); }
    bool parse_error(size_t, const std::string&, const nlohmann::json::exception& error)
    {
        m_problem = error.what(); // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
        m_problem.erase(0, m_problem.find("] ") + 2);
        return false;
    }

    const std::string& problem() const { return m_problem; }

  private:
    static constexpr uint64_t kStride = 1024; // values between two progress checks

    bool put(ValueId value)
    {
        if (m_open.empty()) {
            m_tree.root = value;
        } else {
            m_tree.values.append(m_open.back(), value);
        }
        return ++m_count % kStride != 0 || !m_progress.isCanceled();
    }
    bool open(ValueId container)
    {
        if (m_open.size() == kDepth) {
            m_problem = "nesting deeper than " + std::to_string(kDepth) + " levels";
            return false;
        }
        const bool continues = put(container);
        m_open.push_back(container);
        return continues;
    }
    bool close()
    {
        m_open.pop_back();
        return true;
    }
    ValueId textValue(const std::string& text)
    {
        if (const auto known = m_texts.find(text); known != m_texts.end()) return known->second;
        const std::string& kept = m_ownedTexts->emplace_back(text);
        return m_texts[kept] = m_tree.values.text(kept);
    }

    JsonTree& m_tree;
    const Progress& m_progress;
    std::shared_ptr<std::deque<std::string>> m_ownedTexts = [this] {
        auto kept = std::make_shared<std::deque<std::string>>();
        m_tree.values.retain(kept);
        return kept;
    }();
    std::unordered_map<std::string_view, ValueId> m_texts;
    std::vector<ValueId> m_open;
    std::string m_problem;
    uint64_t m_count = 0;
};

// The parser buffers the text of one value, and briefly holds it twice; a value may be as long as the whole
// text.
uint64_t longestText_bytes(std::string_view text)
{
    size_t longest = 0;
    for (size_t begin = text.find('"'); begin != std::string_view::npos;) {
        const size_t end = std::min(text.find('"', begin + 1), text.size());
        longest = std::max(longest, end - begin);
        begin = end < text.size() ? end : std::string_view::npos;
    }
    return longest;
}

// Returns the problem with the text; empty if all of the text was read, or if reading was canceled.
std::string fillTree(std::string_view text, const Progress& progress, JsonTree& tree)
{
    tree.values = {};
    TreeFiller filler(tree, progress);
    nlohmann::json::sax_parse(text, &filler);
    return filler.problem();
}

// The last complete position in a truncated text, and the brackets that were open at that position.
struct LastComplete {
    size_t end_bytes = 0;
    std::string open;
};

// Used to repair a truncated text: it is cut after its last complete value, and the open brackets are closed.
// Returns the position after the last value that a comma or bracket completes. O(text). Returns nullopt for
// texts that are not truncated: all brackets are closed, or one is closed by the wrong kind.
std::optional<LastComplete> lastComplete(std::string_view text, const Progress& progress)
{
    LastComplete whole;
    std::string open;
    bool inText = false;
    for (size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (at % 4096 == 0 && progress.isCanceled()) return std::nullopt;
        if (inText) {
            if (c == '\\') ++at;
            inText = c != '"';
        } else if (c == '"') {
            inText = true;
        } else if (c == '{' || c == '[') {
            if (open.size() == kDepth) return std::nullopt;
            open += c;
            whole = {at + 1, open};
        } else if (c == '}' || c == ']') {
            if (open.empty() || open.back() != (c == '}' ? '{' : '[')) return std::nullopt;
            open.pop_back();
            if (open.empty()) return std::nullopt;
            whole = {at + 1, open};
        } else if (c == ',') {
            whole = {at, open};
        }
    }
    return open.empty() ? std::nullopt : std::optional(whole);
}

std::string closed(std::string_view text, const LastComplete& whole)
{
    std::string out(text.substr(0, whole.end_bytes));
    for (auto bracket = whole.open.rbegin(); bracket != whole.open.rend(); ++bracket)
        out += *bracket == '{' ? '}' : ']';
    return out;
}

// Parses JSON. Errors: corrupt with the byte position or the parser's reason, unsupported for texts of more
// than 4 GB, canceled. The tree owns its strings.
Result<JsonTree> readJsonTree(std::string_view text, const Progress& progress)
{
    JsonTree tree;
    // if the memory does not fit, the next check reports this
    if (const uint64_t longest = longestText_bytes(text); longest > kLongText_bytes)
        static_cast<void>(LoadScope::admit(3 * longest));
    LOCKSTEP_TRY(progress.check());
    std::string problem = fillTree(text, progress, tree);
    LOCKSTEP_TRY(progress.check());
    if (const auto whole = problem.empty() ? std::nullopt : lastComplete(text, progress)) {
        tree.isCut = true;
        tree.end_bytes = whole->end_bytes;
        problem = fillTree(closed(text, *whole), progress, tree);
    }
    LOCKSTEP_TRY(progress.check());
    if (!problem.empty()) return makeError(ErrorKind::corrupt, "JSON: " + problem);
    return tree;
}

// Returns true for protocols 0 and 1, which start with their first value: a dictionary or list and its memo
// entry, or a code name.
bool isOldPickle(std::string_view text)
{
    for (const std::string_view begin : {"(dp", "(lp", "}q", "]q"}) {
        if (text.starts_with(begin)) return true;
    }
    const auto isName = [](std::string_view name) {
        return !name.empty() && std::ranges::all_of(name, [](char c) { return isNameChar(c) || c == '.'; });
    };
    const size_t module = text.find('\n');
    const size_t name = module == std::string_view::npos ? module : text.find('\n', module + 1);
    return text.starts_with('c') && name != std::string_view::npos && isName(text.substr(1, module - 1)) &&
           isName(text.substr(module + 1, name - module - 1));
}

bool isPickle(std::string_view text)
{
    if (text.size() <= 2) return false;
    return (text[0] == '\x80' && static_cast<unsigned char>(text[1]) <= 8) || isOldPickle(text);
}

// Returns true for a JSON object whose first key is a key of snapshots. Chrome traces start with other keys.
bool isSnapshotJson(std::string_view text)
{
    const size_t brace = text.find_first_not_of(" \t\r\n");
    if (brace == std::string_view::npos || text[brace] != '{') return false;
    const size_t quote = text.find_first_not_of(" \t\r\n", brace + 1);
    if (quote == std::string_view::npos) return false;
    const std::string_view key = text.substr(quote);
    return key.starts_with("\"segments\"") || key.starts_with("\"device_traces\"") ||
           key.starts_with("\"allocator_settings\"") || key.starts_with("\"external_annotations\"");
}

bool isMemorySnapshotFile(const FileSniff& file)
{
    return isPickle(file.text) || isSnapshotJson(file.text) || looksLikeMemoryTimeline(file.text);
}

void noteCut(Report& report, size_t end_bytes)
{
    report.notes.add("file.truncated", NoteSeverity::dataLoss,
                     "the snapshot is cut short; the part before the cut is shown",
                     "byte " + std::to_string(end_bytes));
}

Status fillFromPickle(std::string_view bytes, ProcessId process, ReportBuilder& builder,
                      const Progress& progress)
{
    Pickle pickle;
    SnapshotDecoder decoder(pickle.values, builder, process, progress);
    LOCKSTEP_TRY(readPickleRows(bytes, PickleLimits(), progress, pickle, decoder));
    if (!SnapshotDecoder::isSnapshot(pickle.values, pickle.root)) {
        return makeError(ErrorKind::unsupported,
                         "a pickle, but not a memory snapshot: it has neither segments nor device_traces",
                         HelpTopic::memorySnapshot);
    }
    Report& report = builder.report();
    report.provenance.schema = "pickle protocol " + std::to_string(pickle.protocol);
    if (pickle.isCut) noteCut(report, pickle.end_bytes);
    return decoder.decode(pickle.root);
}

Status fillFromJson(std::string_view bytes, ProcessId process, ReportBuilder& builder,
                    const Progress& progress)
{
    const JsonTree tree = LOCKSTEP_TRY(readJsonTree(bytes, progress));
    builder.report().provenance.schema = "json";
    if (tree.isCut) noteCut(builder.report(), tree.end_bytes);
    if (SnapshotDecoder::isSnapshot(tree.values, tree.root)) {
        return SnapshotDecoder(tree.values, builder, process, progress).decode(tree.root);
    }
    builder.report().provenance.producer = "PyTorch memory timeline";
    return decodeMemoryTimeline(tree.values, tree.root, process, builder, progress);
}

// Releases pages of the file that were already read, so that they do not add to the memory of the result.
// Strings that are needed later are loaded again.
Progress releasing(const MappedFile& mapped, const Progress& progress)
{
    constexpr size_t kStep_bytes = size_t(4) << 20;
    const auto reportAndRelease = [&mapped, &progress, released = size_t(0)](uint64_t done,
                                                                             uint64_t total) mutable {
        progress.report(done, total);
        if (total != mapped.size() || done < released + kStep_bytes) return;
        mapped.release(released, static_cast<size_t>(done) - released);
        released = static_cast<size_t>(done);
    };
    return Progress(progress.stopToken(), reportAndRelease, progress.workers(), progress.place());
}

Result<std::unique_ptr<Report>> readMemorySnapshotFile(const FileSniff& file, const Progress& progress)
{
    MappedFile mapped = LOCKSTEP_TRY(MappedFile::open(file.path));
    mapped.watch(progress.place().limit());
    Provenance provenance;
    provenance.path = file.path;
    provenance.size_bytes = file.size_bytes;
    const auto readAll = [&]() -> Result<std::unique_ptr<Report>> {
        if (file.text == file.head && isPickle(file.text))
            return readMemorySnapshot(mapped.text(), provenance, releasing(mapped, progress));
        if (file.text == file.head) return readMemorySnapshot(mapped.text(), provenance, progress);
        const Inflated unpacked =
            LOCKSTEP_TRY(uncompressed(mapped.text(), unpackLimit_bytes(mapped.size()), progress));
        auto read = LOCKSTEP_TRY(readMemorySnapshot(unpacked.bytes, provenance, progress));
        if (!unpacked.isComplete) noteCutStream(read->notes, unpacked.bytes.size());
        return read;
    };
    auto report = readAll();
    if (!report) return tl::make_unexpected(withContext(report.error(), file.path.string()));
    return report;
}

// Details come from the report's tables, so the file is not needed.
Result<SliceDetails> memorySnapshotDetails(const Report& report, SliceId slice)
{
    SliceDetails out;
    const SourceRow source = report.slices.source[slice.value];
    const size_t row = source.row();
    if (source.table() == kMemoryAnnotationSource) {
        out.source = "external_annotations[" + std::to_string(row) + "]";
        return out;
    }
    if (!report.memory || row >= report.memory->entries.size()) {
        return makeError(ErrorKind::notFound, "the snapshot has no such entry");
    }
    const MemoryEntryTable& entries = report.memory->entries;
    const bool isOom = entries.action[row] == MemoryAction::outOfMemory;
    out.source = "device_traces row " + std::to_string(row);
    out.arguments.emplace_back("size", std::to_string(entries.size_bytes[row]));
    out.arguments.emplace_back(isOom ? "device_free" : "addr", std::to_string(entries.address[row]));
    out.arguments.emplace_back("stream", std::to_string(entries.stream[row]));
    for (const MemoryFrameId id : report.memory->stack(entries.stack[row])) {
        const MemoryFrame& frame = report.memory->frames[id.value];
        out.arguments.emplace_back("frame", std::string(report.strings.at(frame.function)) + " " +
                                                std::string(report.strings.at(frame.file)) + ":" +
                                                std::to_string(frame.line));
    }
    return out;
}

} // namespace

Result<std::unique_ptr<Report>> readMemorySnapshot(std::string_view bytes, const Provenance& provenance,
                                                   const Progress& progress)
{
    ReportBuilder builder;
    Report& report = builder.report();
    report.provenance = provenance;
    report.provenance.kind = "memory snapshot";
    report.provenance.producer = "PyTorch memory snapshot";
    const int64_t pid = identityFromPath(provenance.path).pid.value.value_or(0);
    const ProcessId process = builder.process(static_cast<uint64_t>(pid), pid);
    if (isPickle(bytes)) {
        LOCKSTEP_TRY(fillFromPickle(bytes, process, builder, progress));
    } else {
        LOCKSTEP_TRY(fillFromJson(bytes, process, builder, progress));
    }
    return builder.freeze(progress);
}

Reader memorySnapshotReader()
{
    return {.format = formatNamed("memory snapshot"),
            .title = "PyTorch memory snapshots",
            .memory_tenths = 20,
            .recognizes = isMemorySnapshotFile,
            .read = readMemorySnapshotFile,
            .details = memorySnapshotDetails};
}

} // namespace lockstep
