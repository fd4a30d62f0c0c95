// SPDX-License-Identifier: Apache-2.0
// Compares the display list of the memory lane, as text: below the kernels of its GPU, collapsed, by stack,
// by index, of a dump alone, and with a failed allocation.
#include "core/timeline/display_list.h"
#include "core/timeline/layout.h"
#include "tests/support/made_memory.h"
#include "tests/support/made_reports.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

struct Shown {
    LaneState state;
    TimeRange visible{{100}, {800}};
    std::optional<TraceTime> cursor;
    PixelSize size{340, 190};
};

std::string textOf(const std::vector<std::shared_ptr<const Report>>& reports, const Shown& shown)
{
    Workspace workspace;
    for (const auto& report : reports)
        workspace.add(report);
    const auto made = test::madeScene(workspace);
    const LaneFlow flow =
        placeLanes(*made, shown.state, std::vector<bool>(made->tree->size(), true), FrameMetrics::at(1));
    const LabelFont font = LabelFont::fixed(6);
    FrameView view;
    view.flow = &flow;
    view.font = &font;
    view.headerWidth = 200;
    view.size = shown.size;
    const TraceTime zero = made->extent().begin;
    view.visible = {zero + (shown.visible.begin - TraceTime{100}),
                    zero + (shown.visible.end - TraceTime{100})};
    view.cursor = shown.cursor;
    const DisplayList list = layOut(*made, view);
    std::string text = displayListText(list);
    for (const DisplayLane& lane : list.lanes) {
        for (const LaneText& word : lane.texts)
            text += "word " + std::to_string(word.x) + "," + std::to_string(word.y) + " " + word.text +
                    (word.isChip ? " chip" : "") + "\n";
    }
    return text;
}

void compare(const std::string& text, const std::string& expected)
{
    if (text != expected) qWarning("%s", text.c_str());
    QCOMPARE(text, expected);
}

} // namespace

class MemoryLaneTest : public QObject {
    Q_OBJECT

  private slots:
    void underItsKernels()
    {
        compare(textOf({test::madeKernels({}), test::madeMemory({})}, {}),
                R"(frame 340x190 header 200 visible [0, 700)
lane y=0 h=21 indent=12 v node0 · rank 0 (62 %)
lane y=21 h=21 indent=26 v GPU 0 busy (62 %)
  row y=21 h=20 busy
    [2, 8) compute kernel
    [12, 18) compute kernel
    [22, 28) compute kernel
    [32, 38) compute kernel
    [42, 48) compute kernel
    [52, 58) compute kernel
    [62, 68) compute kernel
    [72, 78) compute kernel
    [82, 88) compute kernel
    [92, 98) compute kernel
    [102, 108) compute kernel
    [112, 118) compute kernel
    [122, 128) compute kernel
    [132, 138) compute kernel
lane y=42 h=21 indent=40   stream 7 · compu… (62 %)
  row y=42 h=20 slices
    [2, 8) compute kernel
    [12, 18) compute kernel
    [22, 28) compute kernel
    [32, 38) compute kernel
    [42, 48) compute kernel
    [52, 58) compute kernel
    [62, 68) compute kernel
    [72, 78) compute kernel
    [82, 88) compute kernel
    [92, 98) compute kernel
    [102, 108) compute kernel
    [112, 118) compute kernel
    [122, 128) compute kernel
    [132, 138) compute kernel
lane y=63 h=128 indent=40 v memory (MiB)
  row y=63 h=127 memory
    ^ 0 moment 1 reserved 8 areas 127 127 127 127 127 127 127 127
    ^ 10 moment 2 reserved 8 areas 97 97 97 97 97 97 97 97
    ^ 20 moment 3 reserved 8 areas 97 97 97 82 82 82 82 82
    ^ 30 moment 4 reserved 8 areas 97 97 97 82 82 82 82 75
    ^ 50 moment 6 reserved 8 areas 97 97 97 97 97 97 97 90
    ^ 70 moment 8 reserved 8 areas 97 97 97 97 97 97 97 97
    ^ 80 moment 9 reserved 8 areas 97 97 97 82 82 82 82 82
    ^ 90 moment 10 reserved 8 areas 97 97 97 82 82 82 82 75
    ^ 110 moment 12 reserved 8 areas 97 97 97 97 97 97 97 90
    ^ 130 moment 14 reserved 8 areas 97 97 97 97 97 97 97 97
    ^ 131 end
    @ 70,112 weights
word 58,83 reserved
word 168,83 64.0
word 58,98 no stack
word 174,98 4.0
word 58,113 activations
word 174,113 8.0
word 58,128 weights
word 168,128 16.0
word 280,146 20.0 MiB chip
word 280,109 40.0 MiB chip
word 280,72 60.0 MiB chip
)");
    }

    void memoryRunsOut()
    {
        test::MadeMemory of;
        of.runsOut = true;
        Shown shown;
        shown.size.width = 500;
        shown.state.memoryLook = MemoryLook::stack;
        compare(textOf({test::madeMemory(of)}, shown), R"(frame 500x190 header 200 visible [0, 700)
lane y=0 h=21 indent=12 v node0 · rank 0
lane y=21 h=21 indent=26 v GPU 0
lane y=42 h=21 indent=40   memory events
  row y=42 h=20 slices
    | 171 x1 0/255 other
lane y=63 h=128 indent=40 v memory (MiB)
  row y=63 h=127 memory
    ^ 0 moment 1 reserved 8 areas 127 127 127 127 127 127 127 127
    ^ 21 moment 2 reserved 8 areas 97 97 97 97 97 97 97 97
    ^ 42 moment 3 reserved 8 areas 97 82 82 82 82 82 82 82
    ^ 64 moment 4 reserved 8 areas 97 82 82 82 82 82 82 75
    ^ 107 moment 6 reserved 8 areas 97 97 97 97 97 97 97 90
    ^ 150 moment 8 reserved 8 areas 97 97 97 97 97 97 97 97
    ^ 192 moment 10 reserved 8 areas 97 82 82 82 82 82 82 82
    ^ 214 moment 11 reserved 8 areas 97 82 82 82 82 82 82 75
    ^ 257 moment 13 reserved 8 areas 97 97 97 97 97 97 97 90
    ^ 300 end
    ! 171 alarm
    @ 160,112 train/load_weights.py:1 load_weights
flag 371,1..190 at 213 width 160 "OOM, 80.0 MiB requested"
word 58,83 reserved
word 168,83 64.0
word 58,98 other stacks
word 174,98 4.0
word 58,113 train/empty.py…
word 174,113 8.0
word 58,128 train/load_we…
word 168,128 16.0
word 440,146 20.0 MiB chip
word 440,109 40.0 MiB chip
word 440,72 60.0 MiB chip
)");
    }

    void collapsedAtTheCursor()
    {
        const auto memory = test::madeMemory({});
        Shown shown;
        shown.state.collapsed["process host=node0 rank=0 pid=77/gpu 0/memory"] = true;
        shown.cursor = TraceTime{110};
        shown.size.height = 100;
        compare(textOf({memory}, shown), R"(frame 340x100 header 200 visible [0, 700)
lane y=0 h=21 indent=12 v node0 · rank 0
lane y=21 h=21 indent=26 v GPU 0
lane y=42 h=48 indent=40 > memory (24.0 MiB)
  row y=42 h=47 memory
    ^ 0 moment 1 reserved 4 areas 47 47 47 47 47 47 47 47
    ^ 10 moment 2 reserved 4 areas 36 36 36 36 36 36 36 36
    ^ 20 moment 3 reserved 4 areas 36 36 36 31 31 31 31 31
    ^ 30 moment 4 reserved 4 areas 36 36 36 31 31 31 31 28
    ^ 50 moment 6 reserved 4 areas 36 36 36 36 36 36 36 33
    ^ 70 moment 8 reserved 4 areas 36 36 36 36 36 36 36 36
    ^ 80 moment 9 reserved 4 areas 36 36 36 31 31 31 31 31
    ^ 90 moment 10 reserved 4 areas 36 36 36 31 31 31 31 28
    ^ 110 moment 12 reserved 4 areas 36 36 36 36 36 36 36 33
    ^ 130 moment 14 reserved 4 areas 36 36 36 36 36 36 36 36
    ^ 131 end
word 54,62 reserved 64.0, at the …
word 280,42 60.0 MiB chip
)");
    }

    // Steps are marked; other annotations are not.
    void stepsAreMarked()
    {
        test::MadeMemory of;
        of.hasSteps = true;
        const std::string text = textOf({test::madeMemory(of)}, {});
        std::string marks;
        for (size_t at = text.find("    ! "); at != text.npos; at = text.find("    ! ", at + 1))
            marks += text.substr(at + 4, text.find('\n', at) - at - 3);
        compare(marks, "! 20\n! 80\n");
    }

    void byIndex()
    {
        test::MadeMemory of;
        of.hasTimes = false;
        compare(textOf({test::madeKernels({}), test::madeMemory(of)}, {}),
                R"(frame 340x190 header 200 visible [0, 700)
lane y=0 h=21 indent=12 v node0 · rank 0 (62 %)
lane y=21 h=21 indent=26 v GPU 0 busy (62 %)
  row y=21 h=20 busy
    [0, 6) compute kernel
    [10, 16) compute kernel
    [20, 26) compute kernel
    [30, 36) compute kernel
    [40, 46) compute kernel
    [50, 56) compute kernel
    [60, 66) compute kernel
    [70, 76) compute kernel
    [80, 86) compute kernel
    [90, 96) compute kernel
    [100, 106) compute kernel
    [110, 116) compute kernel
    [120, 126) compute kernel
    [130, 136) compute kernel
lane y=42 h=21 indent=40   stream 7 · compu… (62 %)
  row y=42 h=20 slices
    [0, 6) compute kernel
    [10, 16) compute kernel
    [20, 26) compute kernel
    [30, 36) compute kernel
    [40, 46) compute kernel
    [50, 56) compute kernel
    [60, 66) compute kernel
    [70, 76) compute kernel
    [80, 86) compute kernel
    [90, 96) compute kernel
    [100, 106) compute kernel
    [110, 116) compute kernel
    [120, 126) compute kernel
    [130, 136) compute kernel
lane y=63 h=128 indent=40 v memory · by index (MiB)
  row y=63 h=127 memory
    ^ 0 moment 0 reserved 127 areas 127 127 127 127 127 127 127 127
    ^ 9 moment 0 reserved 8 areas 127 127 127 127 127 127 127 127
    ^ 18 moment 2 reserved 8 areas 97 97 97 97 97 97 97 97
    ^ 27 moment 3 reserved 8 areas 97 97 97 82 82 82 82 82
    ^ 36 moment 4 reserved 8 areas 97 97 97 82 82 82 82 75
    ^ 55 moment 6 reserved 8 areas 97 97 97 97 97 97 97 90
    ^ 73 moment 8 reserved 8 areas 97 97 97 97 97 97 97 97
    ^ 81 moment 9 reserved 8 areas 97 97 97 82 82 82 82 82
    ^ 90 moment 10 reserved 8 areas 97 97 97 82 82 82 82 75
    ^ 109 moment 12 reserved 8 areas 97 97 97 97 97 97 97 90
    ^ 127 moment 14 reserved 8 areas 97 97 97 97 97 97 97 97
    ^ 137 end
    @ 77,112 weights
word 58,83 reserved
word 168,83 64.0
word 58,98 no stack
word 174,98 4.0
word 58,113 activations
word 174,113 8.0
word 58,128 weights
word 168,128 16.0
word 280,146 20.0 MiB chip
word 280,109 40.0 MiB chip
word 280,72 60.0 MiB chip
)");
    }

    void dumpWithoutHistory()
    {
        test::MadeMemory of;
        of.hasHistory = false;
        of.hasHost = true;
        Shown shown;
        shown.visible = {{100}, {1100}};
        shown.size.height = 320;
        compare(textOf({test::madeMemory(of)}, shown), R"(frame 340x320 header 200 visible [0, 1000)
lane y=0 h=21 indent=12 v node0 · rank 0
lane y=21 h=21 indent=26 v GPU 0
lane y=42 h=128 indent=40 v memory · dump (MiB)
  row y=42 h=127 memory
    ^ 0 moment 0 reserved 8 areas 97 97 97 97 97 97 97 97
    ^ 140 end
    @ 70,112 weights
lane y=170 h=128 indent=26 v host memory · dump (MiB)
  row y=170 h=127 memory
    ^ 0 moment 0 reserved 8 areas 97 97 97 97 97 97 97 97
    ^ 140 end
    @ 70,112 weights
word 58,62 reserved
word 168,62 64.0
word 58,77 weights
word 168,77 16.0
word 280,125 20.0 MiB chip
word 280,88 40.0 MiB chip
word 280,51 60.0 MiB chip
word 44,190 reserved
word 168,190 64.0
word 44,205 weights
word 168,205 16.0
word 280,253 20.0 MiB chip
word 280,216 40.0 MiB chip
word 280,179 60.0 MiB chip
)");
    }
};

LOCKSTEP_TEST(MemoryLaneTest, "memory_lane_test")
#include "memory_lane_test.moc"
