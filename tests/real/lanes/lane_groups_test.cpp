// SPDX-License-Identifier: Apache-2.0
// Tests LaneGroups on files of real tools: GPUs are distinguished by the file's data about them,
// communicators by their names, and each process is in one group.
#include "core/lanes/lane_groups.h"

#include "core/readers/reader.h"
#include "core/scene/scene.h"
#include "tests/support/made_reports.h"
#include "tests/support/places.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

std::vector<std::string> groupsOf(const std::vector<std::filesystem::path>& files, LaneGrouping grouping)
{
    Workspace workspace;
    for (const auto& file : files)
        workspace.add(readReport(file, Progress(test::workers())).value());
    std::vector<std::string> labels;
    const ScenePtr scene = madeScene(workspace, {grouping});
    for (const Lane& lane : scene->tree->lanes()) {
        if (lane.subject == LaneSubject::group) labels.push_back(lane.label);
    }
    return labels;
}

// One collective of the group "3" on each of two ranks of one host, with the values of its trace.
std::string rankText(int rank)
{
    const std::string number = std::to_string(rank);
    return R"({"distributedInfo": {"backend": "nccl", "rank": )" + number +
           R"(, "world_size": 2}, "traceEvents": [
{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "pid": 0, "tid": 20, "ts": 1763640000000000,
 "dur": 900, "args": {"device": 0, "stream": 20, "Collective name": "allreduce", "Process Group Name": "3", "Group size": 2}},
{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 1763640000001000, "dur": 900,
 "args": {"device": 0, "stream": 7}}]})";
}

} // namespace

class LaneGroupsTest : public QObject {
    Q_OBJECT

  private slots:
    // CUDA_VISIBLE_DEVICES: GPU 0 of a process may be another GPU of the machine, so it is not shown as the
    // machine's.
    void processLocalGpuNumbersAreLabeled()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        const auto file = sharedData("nsys") / "h100_2gpu_nccl_2026.2.sqlite";
        QCOMPARE(groupsOf({file}, LaneGrouping::gpu),
                 (std::vector<std::string>{"node-0 \u00B7 GPU 0 (process-local number)",
                                           "node-0 \u00B7 GPU 1 (process-local number)"}));
        QCOMPARE(groupsOf({file}, LaneGrouping::communicator), std::vector<std::string>{"no communicator"});
    }

    void communicatorsAndStepsAreNamed()
    {
        const TempDir folder;
        std::vector<std::filesystem::path> files;
        for (const int step : {1, 2}) {
            for (const int rank : {0, 1}) {
                files.push_back(folder.write("actor_step" + std::to_string(step) + "_rank" +
                                                 std::to_string(rank) + "-of-2_pid" +
                                                 std::to_string(100 + rank) + "_20251120120431000.json",
                                             rankText(rank)));
            }
        }
        QCOMPARE(groupsOf(files, LaneGrouping::communicator), std::vector<std::string>{"communicator 3"});
        QCOMPARE(groupsOf(files, LaneGrouping::step), (std::vector<std::string>{"step 1", "step 2"}));
        QCOMPARE(groupsOf(files, LaneGrouping::rank), (std::vector<std::string>{"rank 0", "rank 1"}));
        files.resize(2);
        files.push_back(folder.write("alone.json", rankText(0)));
        QCOMPARE(groupsOf(files, LaneGrouping::step), (std::vector<std::string>{"step 1", "no step"}));
    }
};

LOCKSTEP_TEST(LaneGroupsTest, "lane_groups_test")
#include "lane_groups_test.moc"
