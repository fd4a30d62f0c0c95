// SPDX-License-Identifier: Apache-2.0
// Measures how long it takes to turn collectives into clock maps, by stage, relative to sorting the same
// number of stamps once. Default: 1,000 ranks with 2,000 collectives, on 125 hosts and again with a separate
// clock per rank. A third case has eight ranks with identical operations, so that every displacement is a
// candidate.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "core/align/alignment.h"
#include "core/align/collective_fit.h"
#include "core/align/straggler_metrics.h"
#include "tests/bench/bench.h"
#include "tests/support/synthetic_clocks.h"
#include "tests/support/workers.h"

namespace lockstep::align_bench {

namespace {

// Prints the processor seconds of all threads next to the wall seconds, because wall time means little on a
// busy machine.
struct Cost {
    double wall = 0;
    double processor = 0;
};

template<class Work>
Cost costOf(const Work& work)
{
    const auto begin = std::chrono::steady_clock::now();
    const std::clock_t processorBegin = std::clock();
    work();
    return {std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(),
            static_cast<double>(std::clock() - processorBegin) / CLOCKS_PER_SEC};
}

void print(const char* stage, Cost cost)
{
    std::printf("  %-12s %6.2f s, %6.2f processor seconds\n", stage, cost.wall, cost.processor);
}

Cost sortBaseline(size_t count)
{
    std::vector<int64_t> stamps(count);
    uint64_t state = 1;
    for (int64_t& stamp : stamps)
        stamp = static_cast<int64_t>((state = state * 6364136223846793005ull + 1) >> 1);
    return costOf([&] { std::ranges::sort(stamps); });
}

void measure(const char* name, int hosts, int ranksPerHost, int steps, int perStep, bool hasSequence,
             bool isAlike = false)
{
    test::SyntheticOptions options;
    options.hosts = hosts;
    options.ranksPerHost = ranksPerHost;
    options.steps = steps;
    options.collectivesPerStep = perStep;
    options.hasSequence = hasSequence;
    if (isAlike) { // one operation repeated, without step or time of day
        options.hasGroups = options.hasSteps = options.hasWallClock = false;
        options.isAlike = true;
    }
    const test::SyntheticClocks made = test::makeSyntheticClocks(options);
    const Cost baseline = sortBaseline(size_t(hosts) * size_t(ranksPerHost) * size_t(steps * perStep));

    ClockPartition partition;
    CollectiveMatches matches;
    AnchorTable table;
    ClockFit fit;
    ClockBounds bounds;
    const Cost matching = costOf([&] {
        partition = partitionClocks(made.workspace);
        matches = matchCollectives(made.workspace, partition, {}, Progress(test::machineWorkers()));
    });
    const Cost anchoring = costOf([&] { table = buildAnchors(matches, partition); });
    const std::vector<bool> isPlaced(partition.domainCount, true);
    const Cost fitting = costOf([&] { fit = fitClocks(table, isPlaced, test::machineWorkers()); });
    const Cost bounding =
        costOf([&] { bounds = boundClocks(table, fit, Progress(test::machineWorkers())).value(); });
    matches = {};
    table = {};
    Alignment alignment;
    const Cost whole = costOf(
        [&] { alignment = alignReports(made.workspace, {}, Progress(test::machineWorkers())).value(); });
    const Cost stragglers =
        costOf([&] { measureStragglers(made.workspace, alignment, test::machineWorkers()); });
    std::printf("%s: %d hosts x %d ranks x %d collectives, %u rounds; %.1f times the processor time of "
                "sorting the stamps\n",
                name, hosts, ranksPerHost, steps * perStep, fit.rounds, whole.processor / baseline.processor);
    print("match", matching);
    print("anchors", anchoring);
    print("fit", fitting);
    print("bounds", bounding);
    print("whole", whole);
    print("stragglers", stragglers);
    print("(sorting)", baseline);
}

int bench(int argc, char** argv)
{
    const bool isSmoke = argc > 1 && std::strcmp(argv[1], "--smoke") == 0;
    if (isSmoke) {
        measure("numbered, shared clocks", 4, 2, 10, 20, true);
        measure("by pattern", 4, 2, 10, 20, false);
        measure("by pattern, all alike", 4, 1, 10, 100, false, true);
        return 0;
    }
    measure("numbered, shared clocks", 125, 8, 40, 50, true);
    measure("numbered, own clocks", 1000, 1, 40, 50, true);
    measure("by pattern, shared clocks", 125, 8, 40, 50, false);
    measure("by pattern, all alike", 8, 1, 100, 100, false, true);
    return 0;
}

const test::Bench kBench("align_bench", bench);

} // namespace

} // namespace lockstep::align_bench
