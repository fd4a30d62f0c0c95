// SPDX-License-Identifier: Apache-2.0
// Tests figures of a replay against values computed by hand: rounding, trend, severity, categories,
// differences of two files, spread over ranks, the text of a failed allocation, and block annotations.
#include "core/memory/allocations.h"
#include "core/memory/allocator_state.h"
#include "core/memory/leaks.h"
#include "core/memory/memory_category.h"
#include "core/memory/memory_layout.h"
#include "core/memory/snapshot_difference.h"
#include "tests/support/made_snapshot.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using lockstep::test::kMebi;
using lockstep::test::SnapshotMaker;

namespace {

std::vector<int64_t> risingLine(int64_t begin, int64_t step, size_t count)
{
    std::vector<int64_t> out;
    for (size_t i = 0; i < count; ++i)
        out.push_back(begin + step * int64_t(i));
    return out;
}

} // namespace

class MemoryFiguresTest : public QObject {
    Q_OBJECT

  private slots:
    // roundup_power2_divisions:4 as in PyTorch's documentation: 1200 becomes 1280.
    void sizesAreRoundedAsTheSettingsSay()
    {
        MemorySnapshot none;
        const AllocatorRules plain = allocatorRules({}, none);
        QCOMPARE(plain.rounded(0), uint64_t(512));
        QCOMPARE(plain.rounded(513), uint64_t(1024));
        QCOMPARE(plain.rounded(1536), uint64_t(1536));
        std::vector<Fact> facts;
        for (int interval = 1; interval <= 32768; interval *= 2)
            facts.emplace_back("allocator.roundup_power2_divisions." + std::to_string(interval), "4");
        facts.emplace_back("allocator.max_split_size", "67108864");
        const AllocatorRules divided = allocatorRules(facts, none);
        QCOMPARE(divided.rounded(1200), uint64_t(1536)); // up to 4 * 512, the smallest block size applies
        QCOMPARE(divided.rounded(70'000), uint64_t(81'920));
        QCOMPARE(divided.rounded(3 * kMebi + 1), uint64_t(3'670'016));
        QCOMPARE(divided.rounded(4 * kMebi), uint64_t(4 * kMebi));
        QCOMPARE(divided.allocatedSize(70 * kMebi, 80 * kMebi),
                 uint64_t(80 * kMebi)); // too large to be split
        QCOMPARE(divided.allocatedSize(3 * kMebi, 4 * kMebi), uint64_t(4 * kMebi));
        QCOMPARE(divided.allocatedSize(3 * kMebi, 4 * kMebi + 512), uint64_t(3 * kMebi));
        facts = {{"allocator.max_split_size", "-1"},
                 {"allocator.roundup_power2_divisions.3", "4"},
                 {"allocator.roundup_power2_divisions.1", "x"},
                 {"allocator.roundup_power2_divisions.65536", "4"},
                 {"allocator.roundup_power2_divisions.2", "99999999999"}};
        QVERIFY(allocatorRules(facts, none) == AllocatorRules());
    }

    void trendIsTheLeastSquaresSlope()
    {
        const MemoryTrend leak = memoryTrend(risingLine(5'000'000'000, 2'000'000, 10), {});
        QVERIFY(leak.hasEnoughSamples && leak.isLeak);
        QCOMPARE(leak.slope_gbPerStep, 0.002);
        QCOMPARE(leak.slopeError_gbPerStep, 0.0);
        QVERIFY(!memoryTrend(risingLine(0, 1'000'000, 10), {}).isLeak); // not above 0.001 GB per step
        QVERIFY(!memoryTrend(risingLine(0, 100'000'000, 9), {}).hasEnoughSamples); // nine of ten samples
        QVERIFY(!memoryTrend(risingLine(0, 100'000'000, 9), {}).isLeak);
        QVERIFY(memoryTrend(risingLine(0, 100'000'000, 9), {9, 0.001}).isLeak);
        QVERIFY(!memoryTrend(risingLine(0, 100'000'000, 9), {9, 0.2}).isLeak);
        QVERIFY(!memoryTrend(risingLine(0, -100'000'000, 20), {}).isLeak);
        // 1 3 2 5 4: slope 0.8, residues -0.4 0.8 -1 1.2 -0.6, standard error sqrt(3.6 / 3 / 10).
        const MemoryTrend noisy = memoryTrend(
            std::vector<int64_t>{1'000'000'000, 3'000'000'000, 2'000'000'000, 5'000'000'000, 4'000'000'000},
            {5, 0.001});
        QVERIFY(std::abs(noisy.slope_gbPerStep - 0.8) < 1e-12);
        QVERIFY(std::abs(noisy.slopeError_gbPerStep - std::sqrt(0.12)) < 1e-12);
        QCOMPARE(memoryTrend({}, {}).samples, size_t(0));
        QVERIFY(!memoryTrend(std::vector<int64_t>{5}, {0, 0}).isLeak);
    }

    void severityHasTheDocumentedThresholds()
    {
        QVERIFY(leakSeverity(-5) == LeakSeverity::none && leakSeverity(0) == LeakSeverity::none);
        QVERIFY(leakSeverity(1) == LeakSeverity::low && leakSeverity(10'000'000) == LeakSeverity::low);
        QVERIFY(leakSeverity(10'000'001) == LeakSeverity::medium);
        QVERIFY(leakSeverity(100'000'000) == LeakSeverity::medium);
        QVERIFY(leakSeverity(100'000'001) == LeakSeverity::high);
        QCOMPARE(leakSeverityName(LeakSeverity::medium), std::string_view("medium"));
    }

    void aStackLeaksByStep()
    {
        SnapshotMaker made;
        const uint32_t leaking = made.stack({"kl_stats"}), steady = made.stack({"forward"});
        std::vector<MemoryMoment> ends;
        made.segment(0, 1024 * kMebi);
        for (uint64_t step = 0; step < 12; ++step) {
            made.alloc((2 + step) * 8 * kMebi, 4 * kMebi, leaking);
            made.alloc(kMebi, 512, steady).free(kMebi, 512);
            ends.push_back(static_cast<MemoryMoment>(made.snapshot().entries.size()));
        }
        const AllocatorReplay replay = made.replay();
        const auto growing = growingStacks(replay.devices[0], ends, 0, {}, 10);
        QCOMPARE(growing.size(), size_t(1));
        QCOMPARE(growing[0].stack.value, leaking);
        QCOMPARE(growing[0].growth_bytes, int64_t(11 * 4 * kMebi));
        QCOMPARE(growing[0].rises, uint32_t(11));
        QVERIFY(growing[0].trend.isLeak);
        QVERIFY(growingStacks(replay.devices[0], ends, 44 * kMebi, {}, 10).empty());
        const auto unfreed = unfreedStacks(replay.devices[0], {ends[0] + 1, ends[2] + 1});
        QCOMPARE(unfreed, (std::vector<UnfreedStack>{
                              {MemoryStackId(leaking), 2, 8 * kMebi, ends[0] + 1, ends[1] + 1}}));
    }

    void categoriesByTheInnermostMatchingFrame()
    {
        SnapshotMaker made;
        const auto categoryOfStack = [&](const std::vector<std::pair<std::string, std::string>>& frames) {
            SnapshotMaker one;
            const uint32_t stack = one.stack({});
            StringPool strings;
            MemorySnapshot& snapshot = one.snapshot();
            for (const auto& [function, file] : frames) {
                snapshot.stackFrames.push_back(MemoryFrameId(snapshot.frames.size()));
                snapshot.frames.push_back({strings.intern(function), strings.intern(file), 1, StringId(0u)});
            }
            snapshot.stackBegin.back() = static_cast<uint32_t>(snapshot.stackFrames.size());
            return stackCategories(snapshot, strings)[stack];
        };
        QVERIFY(categoryOfStack({{"torch.cat", ""}, {"_init_group", "torch/optim/adamw.py"}}) ==
                MemoryCategory::optimizer);
        QVERIFY(categoryOfStack(
                    {{"forward", "model.py"}, {"recompute_fn", "checkpoint.py"}, {"backward", "t.py"}}) ==
                MemoryCategory::activations);
        QVERIFY(categoryOfStack({{"_engine_run_backward", "torch/autograd/graph.py"}, {"forward", "x.py"}}) ==
                MemoryCategory::gradients);
        QVERIFY(categoryOfStack({{"_allocate_kv_cache_tensors", "gpu_model_runner.py"}}) ==
                MemoryCategory::kvCache);
        QVERIFY(categoryOfStack({{"__init__", "torch/nn/modules/linear.py"}}) == MemoryCategory::weights);
        QVERIFY(categoryOfStack({{"main", "train.py"}}) == MemoryCategory::other);
        QVERIFY(categoryOfStack({}) == MemoryCategory::other);
        QVERIFY(categoryOf({}, MemoryStackId()) == MemoryCategory::noStack);
        for (uint8_t i = 0; i < static_cast<uint8_t>(MemoryCategory::count); ++i)
            QVERIFY(!memoryCategoryName(static_cast<MemoryCategory>(i)).empty());
    }

    // Two files number their stacks and texts differently; equal stacks share one row.
    void differenceMatchesStacksByText()
    {
        SnapshotMaker before, after;
        const uint32_t weightsBefore = before.stack({"weights", "main"});
        after.stack({"unused"});
        const uint32_t cache = after.stack({"cache", "main"}),
                       weightsAfter = after.stack({"weights", "main"});
        before.segment(0, 64 * kMebi).alloc(512, 1000, weightsBefore);
        after.segment(0, 64 * kMebi)
            .alloc(512, 2000, weightsAfter)
            .alloc(8192, 5000, cache)
            .alloc(16384, 512, 99);
        const AllocatorReplay a = before.replay(), b = after.replay();
        const MemoryView from{a.devices[0], before.snapshot(), before.strings(), 1};
        const MemoryView to{b.devices[0], after.snapshot(), after.strings(), 3};
        const SnapshotDifference difference = snapshotDifference(from, to);
        QCOMPARE(difference.stacks.size(), size_t(3));
        QCOMPARE(difference.stacks[0], (StackChange{{}, MemoryStackId(cache), 0, 5120, 0, 1}));
        QCOMPARE(difference.stacks[1],
                 (StackChange{MemoryStackId(weightsBefore), MemoryStackId(weightsAfter), 1024, 2048, 1, 1}));
        QCOMPARE(difference.stacks[2], (StackChange{{}, {}, 0, 512, 0, 1}));
        after.snapshot().frames[3].line = 8; // the script was edited
        QCOMPARE(snapshotDifference(from, to).stacks.size(), size_t(4));
        QCOMPARE(snapshotDifference(from, to, false).stacks.size(), size_t(3));
    }

    void ranksAreUneven()
    {
        SnapshotMaker low, high;
        low.segment(0, 64 * kMebi).alloc(512, 1024);
        high.segment(0, 64 * kMebi).alloc(512, 3072);
        const AllocatorReplay a = low.replay(), b = high.replay();
        const std::vector<MemoryView> views{{a.devices[0], low.snapshot(), low.strings(), 0},
                                            {b.devices[0], high.snapshot(), high.strings(), 0}};
        const MemoryImbalance imbalance = memoryImbalance(views);
        QCOMPARE(imbalance.mean_bytes, int64_t(2048));
        QCOMPARE(imbalance.spread_bytes, int64_t(2048));
        QCOMPARE(imbalance.excessOverMean, 0.5);
        QCOMPARE(imbalance.ranks[0].view, size_t(1));
        QCOMPARE(imbalance.ranks[1].excessOverMean, -0.5);
        QVERIFY(memoryImbalance({}).ranks.empty());
    }

    void failedAllocationIsExplained()
    {
        SnapshotMaker made;
        const uint32_t holder = made.stack({"activations", "main"});
        made.segment(0x200000, 20 * kMebi);
        made.alloc(0x200000, 6 * kMebi, holder).alloc(0x200000 + 6 * kMebi, 4 * kMebi, holder);
        made.free(0x200000, 6 * kMebi).entry(MemoryAction::outOfMemory, 3 * kMebi, 15 * kMebi);
        const AllocatorReplay replay = made.replay();
        const auto causes = outOfMemoryCauses(replay, replay.devices[0], 0, 10);
        QCOMPARE(causes.size(), size_t(1));
        QCOMPARE(
            QString::fromStdString(outOfMemoryText(causes[0], made.snapshot(), made.strings())),
            QString(
                "15.0 MiB requested, 16.0 MiB free in the pool in 2 chunks, largest 10.0 MiB; 3.00 MiB free on the "
                "device; held by activations.py:7 activations 4.00 MiB"));
        QVERIFY(outOfMemoryCauses(replay, replay.devices[0], 5, 10).empty());
        const AllocatorState state = stateAt(replay.devices[0], 5);
        QCOMPARE(fragmentationOf(state).pinned_bytes, uint64_t(16 * kMebi));
        QCOMPARE(fragmentationOf(state).gapConcentration, (36.0 + 100.0) / 400.0);
        QCOMPARE(pinnedSegments(state), (std::vector<PinnedSegment>{{0, 16 * kMebi, 4 * kMebi}}));
    }

    void textsSetForABlock()
    {
        SnapshotMaker made;
        made.segment(0, kMebi).alloc(512, 1).entry(MemoryAction::annotate, 512, 0).free(512, 1);
        made.entry(MemoryAction::annotate, 512, 0).alloc(512, 1);
        MemoryEntryTable& entries = made.snapshot().entries;
        entries.userMetadata = {StringId(5u), StringId(6u), StringId(0u),
                                StringId(0u), StringId(7u), StringId(8u)};
        const AllocatorReplay replay = made.replay();
        const DeviceReplay& device = replay.devices[0];
        QCOMPARE(replay.metadataOf(device, BlockLifeId(0u)).value, uint32_t(6));
        QCOMPARE(replay.metadataOf(device, BlockLifeId(1u)).value, uint32_t(8));
        QCOMPARE(test::noteCount(replay, "memory.annotation_without_block"), uint64_t(1));
    }

    void theFlameGraphIsSearchedAndFiltered()
    {
        SnapshotMaker made;
        const uint32_t a = made.stack({"leaf", "middle", "main"}), b = made.stack({"other", "main"});
        made.segment(0, kMebi).alloc(512, 512, a).alloc(4096, 1024, b).alloc(8192, 512, 99);
        const AllocatorReplay replay = made.replay();
        FlameRequest request;
        request.moment = 3;
        request.isSearchedFor = framesWith(made.snapshot(), made.strings(), "MIDDLE");
        const auto nodes = flameTree(replay.devices[0], made.snapshot(), request);
        QCOMPARE(nodes[0].size_bytes, int64_t(2048));
        QCOMPARE(nodes[0].found_bytes, int64_t(512));
        QCOMPARE(nodes[0].blocks, uint64_t(3));
        request.isShown = stacksWith(made.snapshot(), request.isSearchedFor);
        const auto shown = flameTree(replay.devices[0], made.snapshot(), request);
        QCOMPARE(shown.size(), size_t(4)); // root, main, middle, leaf
        QCOMPARE(made.strings().at(made.snapshot().frames[shown[3].frame.value].function),
                 std::string_view("leaf"));
        request.isInverted = true;
        const auto inverted = flameTree(replay.devices[0], made.snapshot(), request);
        QCOMPARE(made.strings().at(made.snapshot().frames[inverted[1].frame.value].function),
                 std::string_view("leaf"));
    }
};

LOCKSTEP_TEST(MemoryFiguresTest, "memory_figures_test")
#include "memory_figures_test.moc"
