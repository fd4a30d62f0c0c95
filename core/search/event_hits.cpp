// SPDX-License-Identifier: Apache-2.0
#include "core/search/event_hits.h"

#include <algorithm>
#include <atomic>
#include <mutex>

namespace lockstep {

void HitBits::finish()
{
    constexpr size_t kWords = kChunk / 64;
    m_before.assign((m_rows + kChunk - 1) / kChunk + 1, 0);
    for (size_t chunk = 0; chunk + 1 < m_before.size(); ++chunk) {
        uint32_t bits = 0;
        const size_t end = std::min(m_words.size(), (chunk + 1) * kWords);
        for (size_t i = chunk * kWords; i < end; ++i)
            bits += static_cast<uint32_t>(std::popcount(m_words[i]));
        m_before[chunk + 1] = m_before[chunk] + bits;
    }
}

size_t HitBits::firstFrom(size_t row, size_t end) const
{
    end = std::min(end, m_rows);
    while (row < end) {
        const uint64_t rest = m_words[row / 64] >> (row % 64);
        if (rest != 0) return std::min(end, row + static_cast<size_t>(std::countr_zero(rest)));
        row = (row / 64 + 1) * 64;
        if (row % kChunk != 0) continue;
        // Chunks without hits are skipped by their counts.
        const auto from =
            m_before.begin() + static_cast<ptrdiff_t>(std::min(row / kChunk, m_before.size() - 1));
        const auto after = std::upper_bound(from, m_before.end(), *from);
        if (after == m_before.end()) return end;
        row = std::max(row, static_cast<size_t>(after - m_before.begin() - 1) * kChunk);
    }
    return end;
}

namespace {

struct RowRun {
    size_t first = 0, end = 0; // range of slices in a report
};

// Returns the slices on tracks that satisfy the lane and rank conditions, ascending.
std::vector<RowRun> passingRuns(const Scene& scene, ReportKey key, const EventMatcher& matcher)
{
    const Report& report = scene.shown.report(key);
    std::vector<RowRun> runs;
    for (size_t i = 0; i < report.tracks.size(); ++i) {
        const Track& track = report.tracks[i];
        if (track.sliceCount == 0) continue;
        if (matcher.hasRankClauses() &&
            !matcher.matchesRank(scene.shown.identity(key, track.key.process).rank.value))
            continue;
        if (matcher.hasLaneClauses()) {
            const uint32_t lane = scene.tree->laneOf({key, TrackId(i)});
            if (lane == kNoLane || !matcher.matchesLane(scene.tree->pathOf(lane))) continue;
        }
        runs.push_back({track.firstSlice.value, track.firstSlice.value + size_t(track.sliceCount)});
    }
    std::ranges::sort(runs, {}, &RowRun::first);
    return runs;
}

} // namespace

// The search in one report.
struct EventHits::Job {
    ReportKey key;
    std::vector<RowRun> runs;
    std::optional<NameSet> names; // nullopt: any name
    std::vector<bool> blocks;     // blocks of the NameIndex that contain the names
    const HitBits* within = nullptr;
    HitBits* bits = nullptr;
    std::vector<uint32_t> candidates; // slices whose arguments must be read
};

namespace {

// Complete blocks of the NameIndex, so that no chunk of bits has two writers.
constexpr size_t kRowsAtOnce = 64 * NameIndex::kBlock;
constexpr size_t kRowsOfFirst = 4'000'000; // approximate number of rows examined for a first result

template<class Job>
void scanRows(const Report& report, const EventMatcher& matcher, const Job& job, size_t begin, size_t end)
{
    const Column<StringId>& names = report.slices.name;
    const Column<int64_t>& durations = report.slices.duration_ns;
    const auto isHit = [&](size_t row) {
        return (!job.names || job.names->has(names[row])) && matcher.matchesDuration(durations[row]) &&
               (job.within == nullptr || job.within->has(row));
    };
    auto run = std::ranges::upper_bound(job.runs, begin, {}, &RowRun::end);
    for (; run != job.runs.end() && run->first < end; ++run) {
        size_t row = std::max(run->first, begin);
        const size_t last = std::min(run->end, end);
        while (row < last) {
            const size_t block = row / NameIndex::kBlock;
            const size_t stop = std::min(last, (block + 1) * NameIndex::kBlock);
            const bool isPassed = job.names && (block >= job.blocks.size() || !job.blocks[block]);
            for (; !isPassed && row < stop; ++row) {
                if (isHit(row)) job.bits->set(row);
            }
            row = stop;
        }
    }
}

template<class Job>
void prepareJob(const Scene& scene, const EventMatcher& matcher, Job& job)
{
    job.runs = passingRuns(scene, job.key, matcher);
    if (!matcher.hasNameClauses() || job.runs.empty()) return;
    const StringPool& texts = scene.shown.report(job.key).strings;
    std::vector<StringId> names;
    for (size_t id = 0; id < texts.size(); ++id) {
        if (matcher.matchesName(texts.at(StringId(id)))) names.push_back(StringId(id));
    }
    job.names.emplace(std::move(names), texts.size());
    job.blocks = scene.lods[job.key]->names().blocksWith(*job.names);
    if (job.blocks.empty()) job.runs.clear();
}

// Result of reading arguments.
struct ArgumentOutcome {
    std::atomic<uint64_t> unread = 0;
    std::mutex lock;
    std::string reason;

    void fail(const std::string& message, uint64_t slices)
    {
        unread += slices;
        const std::lock_guard guard(lock);
        if (reason.empty()) reason = message;
    }
};

// Reads one report. If the file cannot be read, this is not tried again for each slice.
template<class Job>
void readReportArguments(const Report& report, const EventMatcher& matcher, const ReadArguments& read,
                         Job& job, ArgumentOutcome& outcome, const std::function<bool()>& continues)
{
    bool isUnreadable = false;
    for (const uint32_t row : job.candidates) {
        if (!continues()) return;
        if (isUnreadable) {
            job.bits->clear(row);
            outcome.unread += 1;
            continue;
        }
        const auto arguments = read(report, SliceId(row));
        if (!arguments) {
            outcome.fail(report.provenance.path.filename().string() + ": " + arguments.error().message, 1);
            isUnreadable = true;
        }
        if (!arguments || !matcher.matchesArguments(*arguments)) job.bits->clear(row);
    }
}

template<class Job>
Status readAllArguments(const Scene& scene, const EventMatcher& matcher, const ReadArguments& read,
                        std::vector<Job>& jobs, ArgumentOutcome& outcome, const Progress& progress)
{
    uint64_t total = 0;
    for (Job& job : jobs) {
        const size_t rows = job.bits->rows();
        for (size_t row = job.bits->firstFrom(0, rows); row < rows; row = job.bits->firstFrom(row + 1, rows))
            job.candidates.push_back(static_cast<uint32_t>(row));
        total += job.candidates.size();
    }
    std::atomic<uint64_t> done = 0;
    progress.workers().run(jobs.size(), [&](size_t i, size_t) {
        readReportArguments(scene.shown.report(jobs[i].key), matcher, read, jobs[i], outcome, [&] {
            progress.report(++done, total);
            return !progress.isCanceled();
        });
    });
    return progress.check();
}

} // namespace

std::vector<EventHits::Job> EventHits::jobsOf(const Scene& scene, const EventMatcher& matcher,
                                              EventHits& hits, const EventHits* within,
                                              const Progress& progress)
{
    hits.m_workspace = scene.shown;
    hits.m_bits = ByReport<std::shared_ptr<HitBits>>(scene.shown.slotCount());
    std::vector<Job> jobs(scene.shown.size());
    progress.workers().run(jobs.size(), [&](size_t i, size_t) {
        Job& job = jobs[i];
        job.key = scene.shown.keys()[i];
        auto& bits = hits.m_bits[job.key];
        bits = std::make_shared<HitBits>(scene.shown.report(job.key).slices.size());
        job.bits = bits.get();
        job.within = within != nullptr && within->isOf(job.key) ? &within->bitsOf(job.key) : nullptr;
        if (within == nullptr || job.within != nullptr) prepareJob(scene, matcher, job);
    });
    return jobs;
}

Result<std::shared_ptr<const EventHits>> EventHits::find(const Scene& scene, const EventQuery& query,
                                                         const Progress& progress, const EventHits* within,
                                                         const ReadArguments& readArguments)
{
    if (query.isEmpty() && within == nullptr) return makeError(ErrorKind::invalid, "nothing to search for");
    const EventMatcher matcher = LOCKSTEP_TRY(EventMatcher::make(query));
    if (matcher.hasArgumentClauses() && !readArguments)
        return makeError(ErrorKind::invalid, "arguments cannot be searched in this report");
    auto hits = std::make_shared<EventHits>();
    std::vector<Job> jobs = jobsOf(scene, matcher, *hits, within, progress);
    LOCKSTEP_TRY(progress.check());
    std::vector<std::pair<const Job*, size_t>> parts; // first row
    for (const Job& job : jobs) {
        for (size_t row = 0; !job.runs.empty() && row < job.bits->rows(); row += kRowsAtOnce)
            parts.emplace_back(&job, row);
    }
    progress.workers().run(parts.size(), [&](size_t i, size_t) {
        const auto& [job, begin] = parts[i];
        if (progress.isCanceled()) return;
        scanRows(scene.shown.report(job->key), matcher, *job, begin,
                 std::min(begin + kRowsAtOnce, job->bits->rows()));
    });
    LOCKSTEP_TRY(progress.check());
    for (const Job& job : jobs)
        job.bits->finish();
    if (matcher.hasArgumentClauses()) {
        ArgumentOutcome outcome;
        LOCKSTEP_TRY(readAllArguments(scene, matcher, readArguments, jobs, outcome, progress));
        hits->m_unread = outcome.unread;
        hits->m_unreadReason = outcome.reason;
    }
    for (const Job& job : jobs) {
        job.bits->finish();
        hits->m_count += job.bits->count();
    }
    return std::shared_ptr<const EventHits>(std::move(hits));
}

Result<std::shared_ptr<const EventHits>> EventHits::findFirst(const Scene& scene, const EventQuery& query,
                                                              uint64_t most, const Progress& progress)
{
    const EventMatcher matcher = LOCKSTEP_TRY(EventMatcher::make(query));
    auto hits = std::make_shared<EventHits>();
    std::vector<Job> jobs = jobsOf(scene, matcher, *hits, nullptr, progress);
    LOCKSTEP_TRY(progress.check());
    size_t runs = 1;
    for (const Job& job : jobs)
        runs += job.runs.size();
    const size_t rowsEach = std::clamp<size_t>(kRowsOfFirst / runs, 1'000, kRowsAtOnce);
    // Only hits before the first slice that was not examined are certain.
    int64_t certainUntil_ns = kAllTime.end.ns * 2;
    std::vector<std::pair<int64_t, SliceRef>> found;
    for (const Job& job : jobs) {
        const Report& report = scene.shown.report(job.key);
        const ClockMap& map = scene.alignment.map(job.key);
        const auto startOf = [&](size_t row) {
            return map.alignedFromTrace(TraceTime{report.slices.start_ns[row]}).ns;
        };
        // If the clock was set back, slices later in the table may have earlier times, so no hit is certain.
        if (!map.steps.empty() && !job.runs.empty()) certainUntil_ns = kAllTime.begin.ns * 2;
        for (const RowRun& run : job.runs) {
            const size_t end = std::min(run.end, run.first + rowsEach);
            scanRows(report, matcher, job, run.first, end);
            if (end < run.end) certainUntil_ns = std::min(certainUntil_ns, startOf(end));
        }
        job.bits->finish();
        const size_t rows = job.bits->rows();
        for (size_t row = job.bits->firstFrom(0, rows); row < rows;
             row = job.bits->firstFrom(row + 1, rows)) {
            found.emplace_back(startOf(row), SliceRef{job.key, SliceId(row)});
            job.bits->clear(row);
        }
    }
    std::erase_if(found, [certainUntil_ns](const auto& at) { return at.first >= certainUntil_ns; });
    std::ranges::sort(found);
    for (const auto& [start_ns, slice] : std::span(found).first(std::min<size_t>(found.size(), most)))
        hits->m_bits[slice.report]->set(slice.slice.value);
    for (const Job& job : jobs) {
        job.bits->finish();
        hits->m_count += job.bits->count();
    }
    return std::shared_ptr<const EventHits>(std::move(hits));
}

std::shared_ptr<const EventHits> EventHits::of(const Scene& scene,
                                               const std::function<void(ReportKey, HitBits&)>& set)
{
    auto hits = std::make_shared<EventHits>();
    hits->m_workspace = scene.shown;
    hits->m_bits = ByReport<std::shared_ptr<HitBits>>(scene.shown.slotCount());
    for (const ReportKey key : scene.shown.keys()) {
        auto& bits = hits->m_bits[key];
        bits = std::make_shared<HitBits>(scene.shown.report(key).slices.size());
        set(key, *bits);
        bits->finish();
        hits->m_count += bits->count();
    }
    return hits;
}

uint32_t EventHits::countOf(ReportKey report, const Track& track) const
{
    if (track.sliceCount == 0) return 0;
    const HitBits& bits = bitsOf(report);
    return bits.before(track.firstSlice.value + size_t(track.sliceCount)) -
           bits.before(track.firstSlice.value);
}

} // namespace lockstep
