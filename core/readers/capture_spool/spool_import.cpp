// SPDX-License-Identifier: Apache-2.0
#include "core/readers/capture_spool/spool_import.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/base/secret_text.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

// Description of a reason (LockstepSpoolLoss).
struct LossReason {
    uint64_t what;
    std::string_view word; // name in SUMMARY
    std::string_view kind, text;
    bool countsRecords; // true if the fraction of all records is meaningful
};

constexpr LossReason kReasons[] = {
    {LOCKSTEP_LOST_RING_FULL, "ring_full", "capture.ring_full",
     "records lost because a thread produced them faster than they could be written; ranges open at "
     "that time are cut (LOCKSTEP_CAPTURE_MEMORY, LOCKSTEP_CAPTURE_WHEN_FULL=block)",
     true},
    {LOCKSTEP_LOST_NO_RING, "no_ring", "capture.no_ring",
     "records lost because no memory was left for their threads (LOCKSTEP_CAPTURE_MEMORY)", true},
    {LOCKSTEP_LOST_NOT_WRITTEN, "not_written", "capture.not_written",
     "records lost because disk writes failed; ranges open at that time are cut", true},
    {LOCKSTEP_LOST_GPU_BY_CUPTI, "gpu_by_cupti", "capture.gpu_dropped", "GPU records that CUPTI dropped",
     true},
    {LOCKSTEP_LOST_GPU_BUFFERS, "gpu_buffers", "capture.gpu_buffers",
     "CUPTI buffer requests beyond the memory limit; their records are lost (LOCKSTEP_CAPTURE_MEMORY)",
     false},
    {LOCKSTEP_LOST_TEXTS, "texts", "capture.texts",
     "registered names beyond the memory limit; their ranges have no name", false},
    {LOCKSTEP_LOST_CUT_TEXTS, "cut_texts", "capture.cut_names", "names longer than 1 MiB: truncated", false},
    {LOCKSTEP_LOST_PAYLOADS, "payloads", "capture.payloads",
     "payloads omitted: larger than 64 KiB, or more than 16 for one range or mark", false},
    {LOCKSTEP_LOST_REPORTS, "reports", "capture.reports",
     "capture ranges without a report: the ranges followed faster than reports could be written, or the "
     "file could not be created",
     false},
    {LOCKSTEP_LOST_IN_HANDLER, "in_handler", "capture.in_handler",
     "records lost because a signal handler produced them while its thread was recording another record",
     true},
    {LOCKSTEP_LOST_RING_DAMAGED, "ring_damaged", "capture.ring_damaged",
     "sections of a thread's records lost because the program overwrote the capture library's memory",
     false}};

// Returns the time from `begin` to `at`, computed as floating point because a corrupt file may contain any
// timestamp.
std::string secondsTo(int64_t at_ns, TraceTime begin)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.3f s", (double(at_ns) - double(begin.ns)) / 1e9);
    return text;
}

std::string shareText(uint64_t lost, uint64_t read)
{
    char text[64];
    const double share = 100.0 * double(lost) / (double(lost) + double(read));
    std::snprintf(text, sizeof text, share < 0.1 ? "under 0.1 %% of the records" : "%.1f %% of the records",
                  share);
    return text;
}

} // namespace

void SpoolLosses::Loss::extend(int64_t from_ns, int64_t to_ns)
{
    if (from_ns == 0) return;
    first_ns = first_ns == 0 ? from_ns : std::min(first_ns, from_ns);
    last_ns = std::max({last_ns, from_ns, to_ns});
}

void SpoolLosses::take(const SpoolRecord& lost)
{
    Loss& loss = m_losses[std::min<uint64_t>(lost.fields[1], LOCKSTEP_KIND_LIMIT)];
    loss.placed += lost.fields[2];
    const auto from_ns = static_cast<int64_t>(lost.fields[0]);
    int64_t to_ns = from_ns;
    if (__builtin_add_overflow(from_ns, static_cast<int64_t>(lost.fields[3]), &to_ns)) to_ns = from_ns;
    loss.extend(from_ns, to_ns);
}

void SpoolLosses::readSummary(const Json& summary)
{
    const Json& counts = objectAt(summary, "lost");
    for (const LossReason& reason : kReasons) {
        const char* const word = reason.word.data(); // null-terminated, because it is a literal
        const uint64_t count = countAt(counts, word);
        if (count == 0) continue;
        Loss& loss = m_losses[reason.what];
        loss.total = std::max(loss.total, count);
        loss.extend(numberAt(objectAt(summary, "lost_from_ns"), word).value_or(0),
                    numberAt(objectAt(summary, "lost_to_ns"), word).value_or(0));
    }
}

void SpoolLosses::addTo(std::map<uint64_t, uint64_t>& counts) const
{
    for (const auto& [what, loss] : m_losses)
        counts[what] += loss.placed;
}

void SpoolLosses::note(ImportNotes& notes, TraceTime begin, uint64_t read) const
{
    for (const auto& [what, loss] : m_losses) {
        const auto before = m_earlier.find(what);
        const uint64_t earlier = before != m_earlier.end() ? before->second : 0;
        const uint64_t summed = loss.total > earlier ? loss.total - earlier : 0;
        const uint64_t count = std::max(loss.placed, summed);
        if (count == 0) continue;
        const auto reason = std::ranges::find(kReasons, what, &LossReason::what);
        const bool isKnown = reason != std::end(kReasons);
        std::string text(isKnown ? reason->text : "records lost for a reason unknown to this version");
        if (isKnown && reason->countsRecords) text += ": " + shareText(count, read);
        std::string example;
        if (loss.first_ns >= begin.ns && loss.last_ns > loss.first_ns)
            example = "from " + secondsTo(loss.first_ns, begin) + " to " + secondsTo(loss.last_ns, begin) +
                      " into the report";
        else if (loss.first_ns >= begin.ns && loss.first_ns != 0)
            example = "at " + secondsTo(loss.first_ns, begin) + " into the report";
        notes.add(isKnown ? reason->kind : "capture.lost", NoteSeverity::dataLoss, text, example, count);
    }
}

namespace {

constexpr int64_t kClockStep_ns = 5'000'000; // more than a free-running oscillator drifts in a few seconds

void learnNumber(Sourced<int>& part, const Json& meta, const char* key)
{
    const auto number = numberAt(meta, key);
    if (number && *number >= 0 && *number <= INT32_MAX)
        part.learn(static_cast<int>(*number), std::string("capture metadata ") + key, Confidence::stated);
}

void learnText(Sourced<std::string>& part, const Json& meta, const char* key)
{
    if (const std::string text = textAt(meta, key); !text.empty())
        part.learn(text, std::string("capture metadata ") + key, Confidence::stated);
}

std::string hexOf(const uint8_t (&bytes)[16])
{
    std::string text;
    for (const uint8_t byte : bytes) {
        text += "0123456789abcdef"[byte >> 4];
        text += "0123456789abcdef"[byte & 15];
    }
    return text;
}

// Returns the greatest training step that the blocks name.
std::optional<int64_t> latestStep(const std::vector<SpoolBlock>& blocks)
{
    uint32_t next = 0; // 1 + the step
    for (const SpoolBlock& block : blocks)
        next = std::max(next, block.head.step);
    return next == 0 ? std::nullopt : std::optional<int64_t>(int64_t(next) - 1);
}

} // namespace

SpoolImport::SpoolImport(Provenance provenance) : m_reading(m_builder), m_ranges(m_reading), m_gpu(m_reading)
{
    Report& report = m_builder.report();
    report.provenance = std::move(provenance);
    report.provenance.producer = "Lockstep capture";
    report.sourceTables = {""};
}

void SpoolImport::readMeta(const Json& meta)
{
    Report& report = m_builder.report();
    Identity& identity = report.identity;
    learnText(identity.run, meta, "run");
    learnText(identity.host, meta, "host");
    identity.role = {}; // the last META record is used, because a program may report its role late
    learnText(identity.role, meta, "role");
    learnText(identity.stage, meta, "stage");
    learnNumber(identity.rank, meta, "rank");
    learnNumber(identity.localRank, meta, "local_rank");
    learnNumber(identity.worldSize, meta, "world_size");
    learnNumber(identity.step, meta, "step");
    learnNumber(identity.captureIndex, meta, "range");
    if (const auto pid = numberAt(meta, "pid")) {
        identity.pid.learn(*pid, "capture metadata pid", Confidence::stated);
        m_reading.process = m_builder.process(static_cast<uint64_t>(*pid), *pid);
        report.processes[m_reading.process.value].name = m_builder.intern(textAt(meta, "process_name"));
    }
    m_cuda = textAt(meta, "cuda_text");
    if (!report.facts.empty()) return; // META is written again if the state of CUDA changes
    report.provenance.producer = "Lockstep capture " + textAt(meta, "version");
    std::vector<std::string> arguments;
    for (const Json& argument : listAt(meta, "command_line"))
        arguments.push_back(argument.is_string() ? argument.get<std::string>() : "");
    std::string command;
    // Captures from earlier versions mask fewer secrets.
    for (const std::string& argument : maskSecretArguments(arguments))
        command += (command.empty() ? "" : " ") + argument;
    const auto addFact = [&](const char* name, const std::string& value) {
        if (!value.empty()) report.facts.emplace_back(name, value);
    };
    addFact("Command", command);
    addFact("Host", textAt(meta, "host"));
    if (const std::string machine = textAt(meta, "machine"); !machine.empty()) {
        addFact("Machine", machine);
        m_reading.note("spool.host_by_setting", NoteSeverity::info,
                       "the host name was set with LOCKSTEP_HOST; the machine's own name is " + machine, 1);
    }
    addFact("Boot id", textAt(meta, "boot_id"));
    addFact("Kernel", textAt(meta, "kernel"));
    addFact("glibc", textAt(meta, "glibc"));
    addFact("Session", textAt(meta, "session"));
    if (boolAt(meta, "is_forked_child"))
        addFact("Forked child of", std::to_string(countAt(meta, "parent_pid")));
    if (const uint64_t cost = countAt(meta, "pair_cost_ns"); cost > 0)
        addFact("Push/pop overhead, measured at start", std::to_string(cost) + " ns");
    for (const auto& [name, value] : objectAt(meta, "environment").items())
        addFact(("Environment " + name).c_str(),
                maskSecrets(value.is_string() ? value.get<std::string>() : value.dump()));
    applySettings(meta);
    if (const std::string problems = textAt(meta, "setting_problems"); !problems.empty())
        m_reading.note("capture.settings", NoteSeverity::warning,
                       "capture settings that were not used: " + problems);
}

void SpoolImport::applySettings(const Json& meta)
{
    const Json& settings = objectAt(meta, "settings");
    m_blockAge_ns = static_cast<int64_t>(countAt(settings, "block_age_ns"));
    std::string text = textAt(settings, "range");
    if (const std::string name = textAt(settings, "range_name"); !name.empty()) text += ":" + name;
    if (const Json& steps = listAt(settings, "steps"); !steps.empty()) text += ", steps " + steps.dump();
    if (boolAt(settings, "discrete")) text += ", discrete";
    if (boolAt(settings, "continuous")) text += ", continuous";
    m_builder.report().facts.emplace_back("Capture range", text);
}

void SpoolImport::readSummary(const Json& summary)
{
    if (const std::string cuda = textAt(summary, "cuda_text"); !cuda.empty()) m_cuda = cuda;
    m_writerWork_ns = static_cast<int64_t>(countAt(summary, "writer_work_ns"));
    m_exitStatus = numberAt(summary, "exit_status").value_or(0);
    m_losses.readSummary(summary);
}

// LOST records mark where records are missing, in the sequence of one thread or of all threads.
void SpoolImport::addLoss(const SpoolRecord& record)
{
    m_losses.take(record);
    const auto from_ns = static_cast<int64_t>(record.fields[0]);
    if (record.fields[1] == LOCKSTEP_LOST_RING_FULL || record.fields[1] == LOCKSTEP_LOST_RING_DAMAGED) {
        m_ranges.cutThread(from_ns);
        m_hasLostInThread = true;
    } else if (record.fields[1] == LOCKSTEP_LOST_NOT_WRITTEN) {
        m_ranges.cutAll(from_ns);
    }
}

void SpoolImport::noteLosses(const LockstepSpoolHeader& header)
{
    Report& report = m_builder.report();
    m_losses.note(report.notes, report.session.begin, m_records);
    if (m_hasLostInThread && header.major == 1 && header.minor == 0)
        report.notes.add(
            "spool.unplaced_loss", NoteSeverity::warning,
            "an earlier version of the capture library did not record where in a thread records were "
            "lost; ranges around a loss may have wrong durations",
            "format 1.0");
}

void SpoolImport::readRecords(const SpoolBlock& block, std::string_view payload)
{
    SpoolRecords records(payload);
    m_reading.records = &records;
    m_reading.block = block.head.sequence;
    m_reading.names.clear();
    m_ranges.beginBlock();
    m_records += block.head.records;
    uint64_t unknown = 0;
    for (SpoolRecord record; records.next(record);) {
        if (hasTimestamp(record.kind) && record.kind != LOCKSTEP_KIND_LOST && record.fields[0] != 0)
            m_reading.last_ns = std::max(m_reading.last_ns, static_cast<int64_t>(record.fields[0]));
        if (m_ranges.take(record) || m_gpu.take(record)) continue;
        if (record.kind == LOCKSTEP_KIND_CLOCKS) {
            m_clocks.push_back({static_cast<int64_t>(record.fields[0]), signedField(record.fields[1]),
                                signedField(record.fields[3])});
        } else if (record.kind == LOCKSTEP_KIND_LOST) {
            addLoss(record);
        } else if (record.kind == LOCKSTEP_KIND_OWN_WORK) {
            SliceRow row;
            row.start_ns = static_cast<int64_t>(record.fields[0]);
            row.duration_ns = static_cast<int64_t>(record.fields[1]);
            row.source = m_reading.source(record);
            row.name = m_reading.name(record.fields[2]);
            row.kind = RowKind::overhead;
            row.category = SliceCategory::overhead;
            const TrackId track = m_builder.track({TrackKind::overhead, m_reading.process, {}, {}, 0, 0});
            m_builder.setTrackName(track, m_builder.intern("Lockstep capture"));
            m_reading.add(track, row);
        } else {
            ++unknown;
        }
    }
    if (unknown > 0)
        m_reading.note("spool.unknown_kind", NoteSeverity::dataLoss,
                       "records of kinds that only a newer version of Lockstep knows: not shown", unknown);
    if (records.isBroken())
        m_reading.note("spool.broken_block", NoteSeverity::dataLoss,
                       "blocks whose records do not match the block's own table: only the records before the "
                       "mismatch are shown");
    m_reading.records = nullptr;
}

// CLOCK_MONOTONIC_RAW is never stepped or slewed. Its relation to UTC is determined at the middle of the
// capture, where the drift between the two has the least effect.
void SpoolImport::setClock(const SpoolBlocks& spool)
{
    Report& report = m_builder.report();
    if (m_clocks.empty()) m_clocks.push_back({spool.header.monotonicRaw_ns, spool.header.realtime_ns, 0});
    std::ranges::sort(m_clocks, {}, &ClockPair::raw_ns);
    const ClockPair& middle = m_clocks[m_clocks.size() / 2];
    report.clock.name = "CLOCK_MONOTONIC_RAW";
    report.clock.utcAtZero_ns = middle.realtime_ns - middle.raw_ns;
    report.clock.utcResolution_ns = 1;
    report.clock.systemAtZero_ns = 0;
    report.clock.utcSource = "clock pairs recorded by the capture";
    for (size_t i = 1; i < m_clocks.size(); ++i) {
        const int64_t byRaw = m_clocks[i].raw_ns - m_clocks[i - 1].raw_ns;
        const int64_t byUtc = m_clocks[i].realtime_ns - m_clocks[i - 1].realtime_ns;
        if (std::abs(byUtc - byRaw) > kClockStep_ns + byRaw / 1000)
            report.notes.add("clock.stepped", NoteSeverity::warning,
                             "the host's wall clock was stepped during the recording; times are shown on "
                             "CLOCK_MONOTONIC_RAW, which was not affected",
                             "clock pair " + std::to_string(i));
    }
    int64_t begin_ns = spool.header.monotonicRaw_ns; // the file was created just after the range had begun
    for (const SpoolBlock& block : spool.blocks) {
        if (block.head.type == LOCKSTEP_BLOCK_RECORDS && block.head.first_ns != 0)
            begin_ns = std::min(begin_ns, block.head.first_ns);
    }
    report.session = {{begin_ns}, {std::max(begin_ns + 1, m_reading.last_ns)}};
}

void SpoolImport::noteDamage(const SpoolBlocks& spool)
{
    ImportNotes& notes = m_builder.report().notes;
    if (spool.damaged > 0)
        notes.add("spool.damaged", NoteSeverity::dataLoss,
                  "corrupt regions in the file: the blocks there are not shown",
                  "byte " + std::to_string(spool.firstDamage), spool.damaged);
    if (spool.missing > 0)
        notes.add("spool.missing_blocks", NoteSeverity::dataLoss, "blocks missing between intact blocks",
                  "byte " + std::to_string(spool.firstDamage), spool.missing);
    if (!spool.isEnded) {
        const uint64_t end = spool.blocks.empty() ? sizeof(LockstepSpoolHeader)
                                                  : spool.blocks.back().offset + sizeof(LockstepSpoolBlock) +
                                                        spool.blocks.back().head.stored_bytes;
        notes.add("spool.not_ended", NoteSeverity::dataLoss,
                  "the process ended before the capture could finish the file: the last " +
                      std::to_string(m_blockAge_ns / 1'000'000 + 50) +
                      " ms of records may be missing, or more if disk writes failed",
                  "byte " + std::to_string(end));
    }
}

// The capture library writes the summary while the process exits, so the last record is close to its end.
void SpoolImport::noteFailure(std::optional<int64_t> step)
{
    if (m_exitStatus == 0) return;
    Report& report = m_builder.report();
    const std::string status = "exit status " + std::to_string(m_exitStatus);
    std::string text = "the process ended";
    if (step) text += " in step " + std::to_string(*step);
    if (const auto utc_ns = report.clock.utcAtZero_ns; utc_ns && m_reading.last_ns != INT64_MIN)
        text += " at " + utcTimeText(*utc_ns + m_reading.last_ns).substr(0, 8) + " UTC";
    report.notes.add("process.failed", NoteSeverity::warning, text + ", " + status, status);
}

void SpoolImport::writeCounts()
{
    auto& counts = m_builder.report().rowCounts;
    for (const auto& [kind, count] : m_reading.counts)
        counts.emplace_back(rowKindName(kind), count);
}

// Reads META before all rows, because the rows belong to its process. META may be repeated once more is known
// about CUDA.
bool SpoolImport::readMetaBlocks(const SpoolBlocks& spool)
{
    bool hasMeta = false;
    for (const SpoolBlock& block : spool.blocks) {
        if (block.head.type != LOCKSTEP_BLOCK_META) continue;
        const Json meta = jsonFrom(unpackedPayload(block).value_or(""));
        if (meta.is_object()) readMeta(meta), hasMeta = true;
    }
    if (!m_reading.process.isValid()) m_reading.process = m_builder.process(0, 0);
    return hasMeta;
}

// Adds the rows of a block; returns false if it cannot be decompressed.
bool SpoolImport::takeBlock(const SpoolBlock& block)
{
    const auto payload = unpackedPayload(block);
    m_reading.block = block.head.sequence;
    if (!payload) {
        m_reading.note("spool.broken_block", NoteSeverity::dataLoss,
                       "blocks that cannot be decompressed: not shown");
        return false;
    }
    if (block.head.type == LOCKSTEP_BLOCK_SUMMARY) readSummary(jsonFrom(*payload));
    if (block.head.type == LOCKSTEP_BLOCK_RECORDS) readRecords(block, *payload);
    return true;
}

Result<std::unique_ptr<Report>> SpoolImport::run(const SpoolBlocks& spool, const Progress& progress)
{
    m_reading.batch = SliceBatch(progress.place().temporary());
    m_builder.report().provenance.schema =
        std::to_string(spool.header.major) + "." + std::to_string(spool.header.minor);
    const bool hasMeta = readMetaBlocks(spool);
    uint64_t next = 0; // expected sequence number of the next block
    for (size_t i = 0; i < spool.blocks.size(); ++i) {
        LOCKSTEP_TRY(progress.check());
        progress.report(i, spool.blocks.size());
        const SpoolBlock& block = spool.blocks[i];
        if (block.head.sequence > next) m_ranges.cutAll(m_reading.last_ns);
        next = std::max(next, block.head.sequence + 1);
        if (!takeBlock(block)) m_ranges.cutAll(m_reading.last_ns);
    }
    Report& report = m_builder.report();
    if (!hasMeta)
        report.notes.add("spool.no_meta", NoteSeverity::dataLoss,
                         "the file does not record its process, rank or host",
                         "session " + hexOf(spool.header.session));
    if (m_reading.last_ns == INT64_MIN) m_reading.last_ns = spool.header.monotonicRaw_ns;
    m_ranges.finish(m_reading.last_ns);
    m_gpu.finish();
    if (!m_cuda.empty()) report.facts.emplace_back("CUDA", m_cuda);
    if (m_writerWork_ns > 0)
        report.facts.emplace_back("Capture overhead",
                                  std::to_string(m_writerWork_ns / 1000) + " us in the capture thread");
    setClock(spool);
    noteLosses(spool.header);
    noteDamage(spool);
    noteFailure(latestStep(spool.blocks));
    writeCounts();
    m_builder.adopt(std::move(m_reading.batch));
    return m_builder.freeze(progress);
}

void SpoolImport::begin(const SpoolCarry& carry)
{
    for (const std::string& meta : carry.metas) {
        const Json object = jsonFrom(meta);
        if (object.is_object()) readMeta(object);
    }
    if (!m_reading.process.isValid()) m_reading.process = m_builder.process(0, 0);
    m_reading.last_ns = carry.last_ns;
    m_losses.begin(carry.lost);
    m_ranges.begin(carry);
    m_gpu.begin(carry);
}

// Uses the clock pair in the header for all parts. With different pairs, the parts would be offset from each
// other.
void SpoolImport::setClockFromHeader(const LockstepSpoolHeader& header)
{
    ClockDomain& clock = m_builder.report().clock;
    clock.name = "CLOCK_MONOTONIC_RAW";
    clock.utcAtZero_ns = header.realtime_ns - header.monotonicRaw_ns;
    clock.utcResolution_ns = 1;
    clock.systemAtZero_ns = 0;
    clock.utcSource = "the clock pair recorded at the start of the capture";
    m_builder.report().session = {{header.monotonicRaw_ns},
                                  {std::max(header.monotonicRaw_ns + 1, m_reading.last_ns)}};
    m_builder.report().provenance.schema = std::to_string(header.major) + "." + std::to_string(header.minor);
}

// After missing blocks, pops may belong to unknown ranges, so they must not close other ranges.
void SpoolImport::visitBlock(const SpoolBlock& block, const LockstepSpoolHeader& header, SpoolCarry& carry)
{
    if (block.head.sequence > carry.sequence) {
        carry.missing += block.head.sequence - carry.sequence;
        m_ranges.cutAll(m_reading.last_ns);
        if (!carry.gapFrom_ns)
            carry.gapFrom_ns = m_reading.last_ns == INT64_MIN ? header.monotonicRaw_ns : m_reading.last_ns;
    }
    carry.sequence = std::max(carry.sequence, block.head.sequence + 1);
    if (carry.gapFrom_ns && block.head.first_ns != 0) {
        carry.addGap({{*carry.gapFrom_ns}, {block.head.first_ns}});
        carry.gapFrom_ns.reset();
    }
}

Result<std::unique_ptr<Report>> SpoolImport::runPart(const SpoolBlocks& part, SpoolCarry& carry,
                                                     const Progress& progress)
{
    for (const SpoolBlock& block : part.blocks) {
        if (block.head.type != LOCKSTEP_BLOCK_META) continue;
        if (carry.metas.size() > 1) carry.metas.pop_back();
        carry.metas.push_back(unpackedPayload(block).value_or(""));
    }
    m_reading.batch = SliceBatch(progress.place().temporary());
    m_builder.report().chunk = carry.sequence;
    begin(carry);
    for (const SpoolBlock& block : part.blocks) {
        LOCKSTEP_TRY(progress.check());
        visitBlock(block, part.header, carry);
        if (!takeBlock(block)) m_ranges.cutAll(m_reading.last_ns);
    }
    m_ranges.finishPart(carry);
    m_gpu.carry(carry);
    m_gpu.finish();
    carry.last_ns = m_reading.last_ns;
    setClockFromHeader(part.header);
    noteLosses(part.header);
    m_losses.addTo(carry.lost);
    if (const auto step = latestStep(part.blocks)) carry.step = step;
    noteFailure(carry.step);
    writeCounts();
    m_builder.adopt(std::move(m_reading.batch));
    return m_builder.freeze(progress);
}

Result<std::unique_ptr<Report>> SpoolImport::runOpen(const LockstepSpoolHeader& header,
                                                     const SpoolCarry& carry, int64_t now_ns,
                                                     const Progress& progress)
{
    SpoolCarry open; // all other state of earlier parts is in the reports of these parts
    open.metas = carry.metas;
    open.open = carry.open;
    open.domains = carry.domains;
    open.threads = carry.threads;
    open.last_ns = carry.last_ns;
    Report& report = m_builder.report();
    report.chunk = UINT64_MAX;
    report.gaps = carry.gaps;
    if (carry.missing > 0)
        report.notes.add(
            "live.not_sent", NoteSeverity::warning,
            "capture blocks that were not sent during live viewing: hatched until the report is collected",
            "", carry.missing);
    begin(open);
    m_ranges.finish(std::max(now_ns, carry.last_ns));
    setClockFromHeader(header);
    writeCounts();
    m_builder.adopt(std::move(m_reading.batch));
    return m_builder.freeze(progress);
}

} // namespace lockstep
