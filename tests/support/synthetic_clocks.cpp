// SPDX-License-Identifier: Apache-2.0
#include "tests/support/synthetic_clocks.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/trace/report_builder.h"

namespace lockstep::test {

namespace {

constexpr int64_t kEpoch_ns = 1'795'176'271'000'000'000;
constexpr int64_t kFirstStamp_ns = 10'000'000'000;
constexpr std::array kNames{"allreduce", "_allgather_base", "_reduce_scatter_base"};
constexpr std::array kKernels{
    "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
    "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
    "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"};

// True times of one collective: starts and ends by rank.
struct TrueCollective {
    int step = 0;
    size_t word = 0; // index in kNames
    uint64_t elements = 0;
    std::vector<double> start_ns;
    std::vector<double> end_ns;
};

double exponential(std::mt19937_64& random, double mean)
{
    return mean <= 0 ? 0 : std::exponential_distribution<double>(1 / mean)(random);
}

double uniform(std::mt19937_64& random, double from, double to)
{
    return std::uniform_real_distribution<double>(from, to)(random);
}

std::vector<TrueCollective> trueCollectives(const SyntheticOptions& o, std::mt19937_64& random)
{
    const auto ranks = static_cast<size_t>(o.hosts * o.ranksPerHost);
    const double length = static_cast<double>(o.stepLength_ns);
    const double pace = length * 0.9 / o.collectivesPerStep;
    std::vector<TrueCollective> all;
    for (int step = 0; step < o.steps; ++step) {
        for (int i = 0; i < o.collectivesPerStep; ++i) {
            TrueCollective c;
            c.step = step;
            c.word = o.isRegular || o.isAlike ? 0 : static_cast<size_t>((i * i + i / 5) % 3);
            c.elements = o.isRegular || o.isAlike ? 1024 : uint64_t(1024) << (i % 7);
            const double begin = (step - o.steps / 2.0) * length +
                                 i * (o.isRegular ? length / o.collectivesPerStep : pace) +
                                 (o.isRegular ? 0 : uniform(random, 0, pace * 0.3));
            const int straggler =
                o.isRegular ? -1 : std::uniform_int_distribution<int>(0, o.hosts - 1)(random);
            double last = 0;
            for (size_t r = 0; r < ranks; ++r) {
                const int host = static_cast<int>(r) / o.ranksPerHost;
                double start = begin + (o.isRegular ? 0 : exponential(random, o.skew_ns));
                if (host == straggler) start += exponential(random, o.skew_ns);
                if (host == o.lateHost) start += o.lateBy_ns;
                c.start_ns.push_back(start);
                last = r == 0 ? start : std::max(last, start);
            }
            const double transfer = o.isRegular ? o.leastTransfer_ns
                                                : std::exp(uniform(random, std::log(o.leastTransfer_ns),
                                                                   std::log(o.greatestTransfer_ns)));
            for (size_t r = 0; r < ranks; ++r)
                c.end_ns.push_back(last + transfer + exponential(random, o.tail_ns));
            all.push_back(std::move(c));
        }
    }
    return all;
}

// One send: [0] is the sender's.
struct TruePair {
    int rank[2] = {};
    uint64_t elements = 0;
    double start_ns[2] = {};
    double end_ns[2] = {};
};

std::vector<TruePair> truePairs(const SyntheticOptions& o, std::mt19937_64& random)
{
    std::vector<TruePair> all;
    const double pace = static_cast<double>(o.stepLength_ns) * 0.9 / std::max(1, o.pairsPerStep);
    for (int i = 0; i < o.steps * o.pairsPerStep; ++i) {
        TruePair pair;
        const int lower = std::uniform_int_distribution<int>(0, o.hosts * o.ranksPerHost - 2)(random);
        const int isBack = o.isOneWay ? 0 : std::uniform_int_distribution<int>(0, 1)(random);
        pair.rank[isBack] = lower;
        pair.rank[1 - isBack] = lower + 1;
        pair.elements = uint64_t(4096) << (i * i % 5);
        const double begin = (i - o.steps * o.pairsPerStep / 2.0) * pace + uniform(random, 0, pace * 0.3);
        const double transfer = uniform(random, 2, 4) * o.leastTransfer_ns;
        for (double& start : pair.start_ns)
            start = begin + exponential(random, o.skew_ns);
        if (uniform(random, 0, 1) < o.eagerPairs) {
            pair.end_ns[0] = pair.start_ns[0] + transfer;
            pair.start_ns[1] += o.skew_ns; // the data is already there
            pair.end_ns[1] = std::max(pair.start_ns[1], pair.end_ns[0]) + transfer / 2;
        } else {
            const double both = std::max(pair.start_ns[0], pair.start_ns[1]) + transfer;
            for (double& end : pair.end_ns)
                end = both + exponential(random, o.pairTail_ns);
        }
        all.push_back(pair);
    }
    return all;
}

std::string ranksText(int count, bool isElided)
{
    if (isElided && count > 3) return "[0, 1, ..., " + std::to_string(count - 1) + "]";
    std::string text = "[";
    for (int r = 0; r < count; ++r)
        text += (r == 0 ? "" : ", ") + std::to_string(r);
    return text + "]";
}

class RankWriter {
  public:
    RankWriter(const SyntheticClocks& made, size_t rank, std::mt19937_64& random)
        : m_made(made), m_rank(rank), m_random(random)
    {
        Report& report = m_builder.report();
        const SyntheticOptions& o = made.options;
        const int ranks = o.hosts * o.ranksPerHost;
        report.provenance.path = o.run + "/rank" + std::to_string(rank) + ".json";
        report.identity.rank = {static_cast<int>(rank), "made", Confidence::stated};
        report.identity.worldSize = {ranks, "made", Confidence::stated};
        report.identity.run = {o.run, "made", Confidence::stated};
        report.identity.host = {o.run + "-node" + std::to_string(made.hostOf(rank)), "made",
                                o.hostConfidence};
        report.clock.name = "Unix epoch (Kineto base)";
        report.clock.utcResolution_ns = 1;
        report.clock.utcSource = "baseTimeNanoseconds";
        if (o.hasWallClock) report.clock.utcAtZero_ns = kEpoch_ns;
        const ProcessId process = m_builder.process(1, 1);
        const DeviceId device = m_builder.device(process, 0);
        m_stream = m_builder.track({TrackKind::gpuStream, process, {}, device, 20, 0});
        m_marks = m_builder.track({TrackKind::gpuAnnotation, process, {}, device, 20, 0});
        m_op.group = m_builder.intern(o.group);
        const bool isElided = uniform(random, 0, 1) < o.elidedRanks;
        m_op.groupRanks =
            m_builder.intern(o.listedRanks > 0 ? ranksText(std::min(ranks, o.listedRanks), false)
                                               : ranksText(ranks, isElided));
        m_op.dataType = m_builder.intern("BFloat16");
        m_op.groupSize = static_cast<uint32_t>(ranks);
        m_op.rankInGroup = static_cast<uint32_t>(rank);
        for (size_t i = 0; i < kNames.size(); ++i) {
            m_names[i] = m_builder.intern(kNames[i]);
            m_kernels[i] = m_builder.intern(kKernels[i]);
        }
    }

    void addCollective(const TrueCollective& c, uint64_t sequence)
    {
        const SyntheticOptions& o = m_made.options;
        SliceRow row;
        row.start_ns = m_made.stampOf(m_rank, c.start_ns[m_rank]).ns;
        row.duration_ns = m_made.stampOf(m_rank, c.end_ns[m_rank]).ns - row.start_ns;
        row.source = SourceRow::of(0, ++m_row);
        row.kind = RowKind::kernel;
        row.category = SliceCategory::communication;
        const bool isWrong = uniform(m_random, 0, 1) < o.wrongSignature;
        row.name = m_kernels[isWrong && !o.hasGroups ? (c.word + 1) % 3 : c.word];
        m_batch.add(m_stream, row);
        if (!o.hasGroups) return;
        CollectiveOp op = m_op;
        op.collective = m_names[c.word];
        op.inElements = op.outElements = c.elements + (isWrong ? 1 : 0);
        if (o.hasSequence) op.sequence = sequence;
        m_batch.addCollective(row.source, op);
    }

    // side: 0 = sends.
    void addPair(const TruePair& pair, int side, uint64_t sequence)
    {
        const SyntheticOptions& o = m_made.options;
        SliceRow row;
        row.start_ns = m_made.stampOf(m_rank, pair.start_ns[side]).ns;
        row.duration_ns = m_made.stampOf(m_rank, pair.end_ns[side]).ns - row.start_ns;
        row.source = SourceRow::of(0, ++m_row);
        row.kind = RowKind::kernel;
        row.category = SliceCategory::communication;
        row.name = m_builder.intern("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)");
        m_batch.add(m_stream, row);
        if (!o.arePairsStated) return;
        CollectiveOp op = m_op;
        op.group = m_builder.intern("pp");
        op.collective = m_builder.intern(side == 0 ? "send" : "recv");
        op.inElements = op.outElements = pair.elements;
        op.peer = static_cast<uint32_t>(pair.rank[1 - side]);
        op.isPointToPoint = true;
        if (o.hasSequence) op.sequence = sequence;
        m_batch.addCollective(row.source, op);
    }

    void addStep(int step)
    {
        const SyntheticOptions& o = m_made.options;
        const double begin = (step - o.steps / 2.0) * static_cast<double>(o.stepLength_ns);
        SliceRow row;
        row.start_ns = m_made.stampOf(m_rank, begin - 1e6).ns;
        row.duration_ns = o.stepLength_ns - 2'000'000;
        row.source = SourceRow::of(0, ++m_row);
        row.kind = RowKind::gpuAnnotation;
        row.category = SliceCategory::nvtx;
        row.name = m_builder.intern("ProfilerStep#" + std::to_string(100 + step));
        m_batch.add(m_marks, row);
    }

    std::shared_ptr<const Report> finish()
    {
        m_builder.adopt(std::move(m_batch));
        return m_builder.freeze(Progress()).value();
    }

  private:
    const SyntheticClocks& m_made;
    size_t m_rank;
    std::mt19937_64& m_random;
    ReportBuilder m_builder;
    SliceBatch m_batch;
    TrackId m_stream, m_marks;
    CollectiveOp m_op;
    std::array<StringId, 3> m_names, m_kernels;
    uint64_t m_row = 0;
};

} // namespace

TraceTime SyntheticClocks::stampOf(size_t report, double true_ns) const
{
    const auto host = static_cast<size_t>(hostOf(report));
    double stamp = true_ns + offset_ns[host] + drift[host] * true_ns;
    if (hostOf(report) == options.steppedHost && true_ns >= 0) stamp += options.step_ns;
    const int64_t shift_ns = hostOf(report) == options.shiftedHost ? options.shift_ns : 0;
    return {kFirstStamp_ns + shift_ns + static_cast<int64_t>(std::llround(stamp + halfLength_ns()))};
}

SyntheticClocks makeSyntheticClocks(const SyntheticOptions& options)
{
    std::mt19937_64 random(options.seed);
    SyntheticClocks made;
    made.options = options;
    for (int host = 0; host < options.hosts; ++host) {
        made.offset_ns.push_back(uniform(random, -options.largestOffset_ns, options.largestOffset_ns));
        made.drift.push_back(uniform(random, -options.largestDrift, options.largestDrift));
    }
    const auto collectives = trueCollectives(options, random);
    const auto ranks = static_cast<size_t>(options.hosts * options.ranksPerHost);
    const auto pairs = truePairs(options, random);
    const double mostLost = options.headLoss * static_cast<double>(collectives.size());
    for (size_t rank = 0; rank < ranks; ++rank) {
        RankWriter writer(made, rank, random);
        const auto lost = static_cast<size_t>(uniform(random, 0, mostLost + 0.999));
        made.headLoss.push_back(static_cast<int64_t>(lost));
        for (size_t i = lost; i < collectives.size(); ++i)
            writer.addCollective(collectives[i], 1000 + i);
        const auto lostPairs =
            collectives.empty() ? rank % 3
                                : pairs.size() * lost / collectives.size(); // by rank, as the network allows
        for (size_t i = lostPairs; i < pairs.size(); ++i) {
            for (int side = 0; side < 2; ++side) {
                if (pairs[i].rank[side] == static_cast<int>(rank)) writer.addPair(pairs[i], side, 1000 + i);
            }
        }
        for (int step = 0; options.hasSteps && step < options.steps; ++step)
            writer.addStep(step);
        made.workspace.add(writer.finish());
    }
    return made;
}

Workspace joined(const Workspace& first, const Workspace& second)
{
    Workspace all = first;
    for (const ReportKey key : second.keys())
        all.add(second.shared(key));
    return all;
}

} // namespace lockstep::test
