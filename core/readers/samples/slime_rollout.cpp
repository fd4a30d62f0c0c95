// SPDX-License-Identifier: Apache-2.0
// Reader of rollout dumps, `rollout_data/12.pt`: torch.save of {"rollout_id": 12, "samples": [{...}]}.
// Sources: slime/observability/rollout_data_utils.py, slime/utils/types.py and
// slime/observability/trace_utils.py of slime; miles/ray/rollout/debug_data.py of miles, which adds
// "metadata" and records no spans. A source row is the number of a sample, or of an event among the events of
// all samples, in file order.
#include "core/readers/registry.h"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "core/base/inflate.h"
#include "core/base/mapped_file.h"
#include "core/base/text.h"
#include "core/readers/cut_stream.h"
#include "core/readers/pickle/torch_archive.h"
#include "core/readers/samples/slime_samples.h"

namespace lockstep {

namespace {

constexpr std::string_view kDamaged =
    "the checksum of data.pkl does not match: values may be wrong. Copy the file again; torch.save can also be set to "
    "write no checksums";

bool isRolloutDump(const FileSniff& file)
{
    if (!isTorchArchive(file.text)) return false;
    const auto archive = torchArchive(file.text);
    if (!archive) // compressed, so that its keys are unknown: it is explained if the name is that of a dump
        return archive.error().kind == ErrorKind::unsupported &&
               file.path.string().find("rollout_data") != std::string::npos;
    constexpr size_t kFirstKey_bytes = 64;
    return archive->pickle.substr(0, kFirstKey_bytes).find("rollout_id") != std::string_view::npos &&
           archive->pickle.find("samples") != std::string_view::npos;
}

// The pickle of a dump, and the bytes to which its values refer.
class RolloutDump {
  public:
    // Errors: io, unsupported, corrupt, canceled.
    static Result<RolloutDump> read(const std::filesystem::path& path, const Progress& progress);

    const ValueTree& values() const { return m_pickle.values; }
    const Pickle& pickle() const { return m_pickle; }
    TorchDamage damage() const { return damageOf(m_archive, m_pickle); }
    bool isStreamComplete() const { return m_unpacked.isComplete; }
    size_t unpacked_bytes() const { return m_unpacked.bytes.size(); }
    // Returns an entry of a dictionary; an invalid id if it is missing, or if `dict` is not valid.
    ValueId entry(ValueId dict, std::string_view key) const;
    std::optional<int64_t> integer(ValueId dict, std::string_view key) const;
    std::optional<double> number(ValueId dict, std::string_view key) const;
    std::string text(ValueId dict, std::string_view key) const;
    std::vector<ValueId> items(ValueId dict, std::string_view key) const;
    std::vector<ValueId> samples() const { return items(m_pickle.root, "samples"); }
    std::vector<ValueId> eventsOf(ValueId sample) const { return items(entry(sample, "trace"), "events"); }

  private:
    explicit RolloutDump(MappedFile file) : m_file(std::move(file)) {}

    MappedFile m_file;
    Inflated m_unpacked; // of a compressed file
    TorchArchive m_archive;
    Pickle m_pickle;
};

Result<RolloutDump> RolloutDump::read(const std::filesystem::path& path, const Progress& progress)
{
    RolloutDump dump(LOCKSTEP_TRY(MappedFile::open(path)));
    dump.m_file.watch(progress.place().limit());
    const bool isPacked = isCompressed(dump.m_file.text());
    dump.m_unpacked.isComplete = true;
    if (isPacked)
        dump.m_unpacked =
            LOCKSTEP_TRY(uncompressed(dump.m_file.text(), unpackLimit_bytes(dump.m_file.size()), progress));
    dump.m_archive = LOCKSTEP_TRY(torchArchive(isPacked ? dump.m_unpacked.bytes : dump.m_file.text()));
    PickleLimits limits;
    limits.text_bytes = ~uint32_t(0); // images and responses are not copied
    dump.m_pickle = LOCKSTEP_TRY(readTorchPickle(dump.m_archive.pickle, limits, progress));
    return dump;
}

ValueId RolloutDump::entry(ValueId dict, std::string_view key) const
{
    ValueId found;
    if (!dict.isValid()) return found;
    values().forEachEntry(dict, [&](std::string_view name, ValueId value) {
        if (name == key) found = value;
    });
    return found;
}

std::optional<int64_t> RolloutDump::integer(ValueId dict, std::string_view key) const
{
    const ValueId value = entry(dict, key);
    return value.isValid() ? values().asInteger(value) : std::nullopt;
}

std::optional<double> RolloutDump::number(ValueId dict, std::string_view key) const
{
    const ValueId value = entry(dict, key);
    return value.isValid() ? values().asReal(value) : std::nullopt;
}

std::string RolloutDump::text(ValueId dict, std::string_view key) const
{
    const ValueId value = entry(dict, key);
    return value.isValid() ? repairedUtf8(values().asText(value).value_or("")) : std::string();
}

std::vector<ValueId> RolloutDump::items(ValueId dict, std::string_view key) const
{
    std::vector<ValueId> found;
    const ValueId list = entry(dict, key);
    if (list.isValid()) values().forEachItem(list, [&](ValueId item) { found.push_back(item); });
    return found;
}

std::optional<int64_t> nsFromSeconds(std::optional<double> seconds)
{
    constexpr double kLatest = 9e9; // beyond the last time of a report
    if (!seconds || !(std::abs(*seconds) < kLatest)) return std::nullopt;
    const double whole = std::floor(*seconds); // the product of all digits would be rounded
    return static_cast<int64_t>(whole) * 1'000'000'000 + std::llround((*seconds - whole) * 1e9);
}

class RolloutRows {
  public:
    RolloutRows(const RolloutDump& dump, SampleRows& rows, const std::filesystem::path& path)
        : m_dump(dump), m_samples(rows)
    {
        m_samples.setPath(path.filename().string());
        if (const auto step = dump.integer(dump.pickle().root, "rollout_id")) m_samples.setStep(*step);
    }

    Status read(const Progress& progress)
    {
        uint64_t number = 0;
        for (const ValueId sample : m_dump.samples()) {
            if (number % 256 == 0) LOCKSTEP_TRY(progress.check());
            readSample(sample, number++);
        }
        m_samples.finish();
        return {};
    }
    uint64_t eventCount() const { return m_eventCount; }

  private:
    void readSample(ValueId value, uint64_t number);
    void readVersions(ValueId value, Sample& sample);
    void readReward(ValueId value, uint64_t number, Sample& sample);
    void readUsage(ValueId value, Sample& sample) const;
    std::vector<SpanRecord> readEvents(ValueId value, Sample& sample);
    void endSpan(ValueId event, int64_t time_ns, SpanRecord& span, Sample& sample);
    ImportNotes& notes() { return m_samples.rows().builder().report().notes; }

    const RolloutDump& m_dump;
    SlimeSamples m_samples;
    uint64_t m_eventCount = 0;
};

void RolloutRows::readSample(ValueId value, uint64_t number)
{
    Sample sample;
    std::vector<SpanRecord> spans = readEvents(value, sample);
    if (m_dump.values().kind(value) != ValueKind::dict) {
        notes().add("sample.damaged", NoteSeverity::dataLoss, "samples that are not dictionaries: not shown",
                    "sample " + std::to_string(number));
        return;
    }
    if (const auto group = m_dump.integer(value, "group_index"))
        sample.group = m_samples.rows().intern(std::to_string(*group));
    if (const std::string status = m_dump.text(value, "status"); !status.empty())
        m_samples.setStatus(status, sample);
    sample.attempts =
        static_cast<int32_t>(m_dump.integer(m_dump.entry(value, "trace"), "attempt").value_or(0)) + 1;
    const auto start = m_dump.integer(m_dump.entry(value, "metadata"), "start_rollout_id");
    if (start && *start != m_samples.step()) sample.flags |= sampleFlag::kPartial;
    readVersions(value, sample);
    readReward(value, number, sample);
    readUsage(value, sample);
    std::string index = m_dump.text(value, "index");
    if (index.empty())
        index = std::to_string(m_dump.integer(value, "index").value_or(static_cast<int64_t>(number)));
    m_samples.add(index, number, sample, spans);
}

// One version for each generation, as text.
void RolloutRows::readVersions(ValueId value, Sample& sample)
{
    const std::vector<ValueId> versions = m_dump.items(value, "weight_versions");
    if (versions.empty()) return;
    const auto of = [&](ValueId version) {
        return numberOrNone(m_dump.values().asText(version).value_or(""));
    };
    sample.firstVersion = of(versions.front());
    sample.lastVersion = of(versions.back());
}

// The reward function may return several values in a dictionary. Which one is used for training is an option
// of the run, `--reward-key`, which the file does not record.
void RolloutRows::readReward(ValueId value, uint64_t number, Sample& sample)
{
    ValueId reward = m_dump.entry(value, "reward");
    if (!reward.isValid() || m_dump.values().kind(reward) == ValueKind::none) return;
    if (m_dump.values().kind(reward) == ValueKind::dict) {
        std::string_view key = "score"; // that of slime/rollout/rm_hub
        if (!m_dump.entry(reward, key).isValid()) key = "reward";
        reward = m_dump.entry(reward, key);
        if (reward.isValid())
            notes().add("sample.reward_key", NoteSeverity::info,
                        "rewards that are dictionaries: the entry \"" + std::string(key) + "\" is shown",
                        "sample " + std::to_string(number));
    }
    const auto found = reward.isValid() ? m_dump.values().asReal(reward) : std::nullopt;
    if (found) {
        sample.reward = *found;
    } else if (reward == ValueTree::kTrue || reward == ValueTree::kFalse) {
        sample.reward = reward == ValueTree::kTrue ? 1 : 0;
    } else {
        notes().add("sample.reward", NoteSeverity::info,
                    "samples whose reward is not a Python number, but other values, a tensor or a number of "
                    "NumPy: shown without a reward",
                    "sample " + std::to_string(number));
    }
}

// Fills in what the spans do not state. The sums over all generations are the counts of the sample only if
// there was one.
void RolloutRows::readUsage(ValueId value, Sample& sample) const
{
    const auto length = m_dump.integer(value, "response_length");
    if (sample.outputTokens == kUnrecorded && length) sample.outputTokens = *length;
    const ValueId cache = m_dump.entry(value, "prefix_cache_info");
    const auto prompt = m_dump.integer(cache, "total_prompt_tokens");
    const bool isSingle = m_dump.items(value, "weight_versions").size() == 1;
    if (sample.promptTokens != kUnrecorded || !isSingle || !prompt || *prompt <= 0) return;
    sample.promptTokens = *prompt;
    sample.cachedTokens = m_dump.integer(cache, "cached_tokens").value_or(kUnrecorded);
}

// Pairs the start and the end of each span; the latest one counts if there are copies.
std::vector<SpanRecord> RolloutRows::readEvents(ValueId value, Sample& sample)
{
    std::vector<SpanRecord> spans;
    std::unordered_map<std::string, size_t> byId;
    for (const ValueId event : m_dump.eventsOf(value)) {
        const uint64_t number = m_eventCount++;
        const std::string type = m_dump.text(event, "type"), name = m_dump.text(event, "name");
        const auto time = nsFromSeconds(m_dump.number(event, "ts"));
        const std::string id = m_dump.text(event, "span_id");
        const bool isSpan = type == "span_start" || type == "span_end";
        if (!time || name.empty() || (isSpan && id.empty())) {
            notes().add("slime.incomplete", NoteSeverity::dataLoss,
                        "events without a name, time or span: not shown", "event " + std::to_string(number));
            continue;
        }
        const auto known = byId.find(id);
        if (type == "span_end") {
            if (known != byId.end()) {
                endSpan(event, *time, spans[known->second], sample);
            } else {
                notes().add("slime.no_start", NoteSeverity::dataLoss,
                            "ends of spans without a start: not shown", "event " + std::to_string(number));
            }
            continue;
        }
        SpanRecord span;
        m_samples.setName(name, span);
        span.start_ns = *time;
        span.end_ns = isSpan ? kUnrecorded : *time;
        span.isInstant = !isSpan;
        span.attempt = static_cast<int32_t>(m_dump.integer(event, "attempt").value_or(0));
        span.source = SourceRow::of(kSpanSource, number);
        if (isSpan && known != byId.end()) {
            spans[known->second] = span;
        } else {
            if (isSpan) byId.emplace(id, spans.size());
            spans.push_back(span);
        }
    }
    return spans;
}

void RolloutRows::endSpan(ValueId event, int64_t time_ns, SpanRecord& span, Sample& sample)
{
    const bool isFirst = span.end_ns == kUnrecorded;
    span.end_ns = time_ns;
    const ValueId attributes = m_dump.entry(event, "attrs");
    const std::string request = m_dump.text(attributes, "sglang_request_id");
    if (!request.empty()) span.request = m_samples.rows().intern(request);
    if (!isFirst || span.kind != SpanKind::generate) return;
    SlimeSamples::add({m_dump.integer(attributes, "prompt_tokens"),
                       m_dump.integer(attributes, "completion_tokens"),
                       m_dump.integer(attributes, "cached_tokens")},
                      sample);
}

void noteDamage(const RolloutDump& dump, ImportNotes& notes)
{
    if (!dump.isStreamComplete()) return noteCutStream(notes, dump.unpacked_bytes());
    const TorchDamage damage = dump.damage();
    const std::string at = "byte " + std::to_string(dump.pickle().end_bytes) + " of data.pkl";
    if (damage == TorchDamage::cut)
        notes.add("file.truncated", NoteSeverity::dataLoss,
                  "the dump is cut short; the samples before the cut are shown", at);
    if (damage == TorchDamage::altered) notes.add("file.damaged", NoteSeverity::warning, kDamaged, at);
}

Result<std::unique_ptr<Report>> readRollout(const FileSniff& file, const Progress& progress)
{
    const auto dump = RolloutDump::read(file.path, progress);
    if (!dump) return tl::make_unexpected(withContext(dump.error(), file.path.string()));
    if (const ValueId samples = dump->entry(dump->pickle().root, "samples");
        !samples.isValid() || dump->values().kind(samples) != ValueKind::list)
        return makeError(dump->pickle().isCut ? ErrorKind::corrupt : ErrorKind::unsupported,
                         file.path.string() + ": a torch.save file without a list of samples");
    ReportBuilder builder;
    Report& report = builder.report();
    report.provenance = {file.path,       {},
                         file.size_bytes, std::string(rolloutDumpReader().format.name),
                         "slime",         "rollout dump"};
    if (dump->entry(dump->pickle().root, "metadata").isValid()) report.provenance.producer = "miles";
    report.clock = {"Unix epoch (slime)", 0, 1, {}, "ts"};
    report.sourceTables = {"sample", "event"};
    SampleRows rows(builder);
    RolloutRows parser(*dump, rows, file.path);
    LOCKSTEP_TRY(parser.read(progress));
    noteDamage(*dump, report.notes);
    report.rowCounts = {{"sample", rows.sampleCount()}, {"event", parser.eventCount()}};
    rows.finish();
    return builder.freeze(progress);
}

std::string textOf(double number)
{
    std::array<char, 32> text;
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr};
}

// Lists the fields of a value; those of nested dictionaries as "trace.attempt".
void addFields(const ValueTree& values, ValueId value, const std::string& name, int depth, SliceDetails& out)
{
    constexpr int kDepth = 4;
    const auto add = [&](std::string text) { out.arguments.emplace_back(name, std::move(text)); };
    if (!value.isValid()) return; // not recorded
    if (values.kind(value) == ValueKind::dict && depth < kDepth) {
        values.forEachEntry(value, [&](std::string_view key, ValueId of) {
            const std::string part = repairedUtf8(key);
            addFields(values, of, name.empty() ? part : name + "." + part, depth + 1, out);
        });
    } else if (const auto text = values.asText(value)) {
        add(repairedUtf8(*text));
    } else if (values.kind(value) == ValueKind::boolean) {
        add(value == ValueTree::kTrue ? "true" : "false");
    } else if (const auto whole = values.asInteger(value)) {
        add(std::to_string(*whole));
    } else if (const auto real = values.asReal(value)) {
        add(textOf(*real));
    } else if (values.kind(value) == ValueKind::none) {
        add("null");
    } else if (values.kind(value) == ValueKind::object) {
        add("a Python object");
    }
}

// Reads the whole file again.
Result<SliceDetails> rolloutDetails(const Report& report, SliceId slice)
{
    const SourceRow source = report.slices.source[slice.value];
    const RolloutDump dump = LOCKSTEP_TRY(RolloutDump::read(report.provenance.path, Progress()));
    SliceDetails out;
    uint64_t number = 0, events = 0;
    for (const ValueId sample : dump.samples()) {
        if (source.table() == kSampleSource && number++ == source.row()) {
            out.source = "sample " + std::to_string(source.row());
            addFields(dump.values(), sample, "", 0, out);
            return out;
        }
        const std::vector<ValueId> list = dump.eventsOf(sample);
        const uint64_t first = events;
        events += list.size();
        if (source.table() != kSpanSource || source.row() >= events) continue;
        const ValueId start = list[source.row() - first];
        out.source = "event " + std::to_string(source.row());
        addFields(dump.values(), start, "", 0, out);
        for (const ValueId end : list) {
            if (dump.text(end, "type") == "span_end" &&
                dump.text(end, "span_id") == dump.text(start, "span_id"))
                addFields(dump.values(), dump.entry(end, "attrs"), "end", 0, out);
        }
        return out;
    }
    return makeError(ErrorKind::notFound, "the file has no such row");
}

std::string_view toolOfRollout(const Provenance& provenance)
{
    return provenance.producer == "miles" ? "miles" : "slime";
}

} // namespace

Reader rolloutDumpReader()
{
    return {.format = formatNamed("rollout dump"),
            .title = "rollout dumps of slime and miles",
            .recognizes = isRolloutDump,
            .read = readRollout,
            .details = rolloutDetails,
            .isLive = true,
            .toolOf = toolOfRollout};
}

} // namespace lockstep
