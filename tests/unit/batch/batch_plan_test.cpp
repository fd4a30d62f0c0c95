// SPDX-License-Identifier: Apache-2.0
// Tests a batch's plan as text, and how its reports are assigned to tasks.
#include <numeric>
#include <random>

#include "app/cli/cli.h"
#include "core/batch/batch_plan.h"
#include "tests/support/places.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

constexpr const char* kMin = "inputs: [runs]\nexport: [inventory]\noutput: out\n";

} // namespace

class BatchPlanTest : public QObject {
    Q_OBJECT

  private slots:
    void everyKey()
    {
        const auto plan = batchPlanFromYaml(R"(
inputs: [runs, 'more/*.sqlite']
input_list: files.txt
export: [inventory, "cuda_gpu_kern_sum:base"]
output: tables
reports_per_task: 32
launcher: slurm
slurm: {partition: gpu, account: a b, time: 1:30, options: [--mem=4G, --qos=low]}
retries: 0
jobs: 5
memory_limit: 2G
by: rank
filter: [rank=0..3, role=actor]
time-range: 1ms..2ms
fold: true
raw: false
rows: 10
)");
        QVERIFY2(plan.has_value(), plan ? "" : plan.error().message.c_str());
        QCOMPARE(plan->inputs, (std::vector<std::string>{"runs", "more/*.sqlite"}));
        QCOMPARE(plan->inputList, std::string("files.txt"));
        QCOMPARE(plan->what, (std::vector<std::string>{"inventory", "cuda_gpu_kern_sum:base"}));
        QCOMPARE(plan->output, std::string("tables"));
        QCOMPARE(plan->tasks, int64_t(0));
        QCOMPARE(plan->reportsPerTask, int64_t(32));
        QCOMPARE(plan->launcher, BatchLauncher::slurm);
        QCOMPARE(plan->slurm.partition + "|" + plan->slurm.account + "|" + plan->slurm.time,
                 std::string("gpu|a b|1:30"));
        QCOMPARE(plan->slurm.options, (std::vector<std::string>{"--mem=4G", "--qos=low"}));
        QCOMPARE(plan->retries, int64_t(0));
        QCOMPARE(plan->jobs, int64_t(5));
        QCOMPARE(plan->memoryLimit, std::string("2G"));
        QCOMPARE(plan->options,
                 (std::vector<std::string>{"--by", "rank", "--filter", "rank=0..3", "--filter", "role=actor",
                                           "--time-range", "1ms..2ms", "--fold", "--rows", "10"}));
        QCOMPARE(batchPlanFromYaml("inputs: a\nexport: b\noutput: c\n")->inputs,
                 std::vector<std::string>{"a"});
    }

    void mistakesAreReported_data()
    {
        QTest::addColumn<QString>("lines");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* lines, const char* says) { QTest::newRow(lines) << lines << says; };
        row("retires: 1", "line 4, column 1: unknown key 'retires' in a batch plan; did you mean 'retries'?");
        row("timerange: 1..2", "did you mean 'time_range'?");
        row("xyzzyfoobarbaz: 1", "unknown key 'xyzzyfoobarbaz' in a batch plan");
        row("tasks: 0", "line 4, column 8: must be 1 to 1000000 (tasks)");
        row("tasks: many", "(tasks)");
        row("launcher: ssh", "local, slurm");
        row("tasks: 2\nreports_per_task: 3",
            "line 5, column 1: tasks and reports_per_task cannot be combined");
        row("slurm: {partition: a}", "'slurm' requires launcher: slurm");
        row("launcher: slurm\nslurm: {partitoin: a}",
            "unknown key 'partitoin' in a batch plan; did you mean 'partition'?");
        for (const char* option : {"--array=1-4", "-a1-4", "--test-only", "--wrap=true"})
            row(("launcher: slurm\nslurm: {options: [" + std::string(option) + "]}").c_str(),
                "must be free of --array, --test-only and --wrap");
        row("fold: maybe", "(fold)");
        row("by: {a: b}", "(by)");
        row("by: ''", "(by)");
        row("output: other", "output"); // duplicate
    }
    void mistakesAreReported()
    {
        QFETCH(QString, lines);
        QFETCH(QString, says);
        const auto plan = batchPlanFromYaml(kMin + lines.toStdString() + "\n");
        QVERIFY(!plan.has_value());
        QCOMPARE(plan.error().kind, ErrorKind::invalid);
        QVERIFY2(QString::fromStdString(plan.error().message).contains(says), plan.error().message.c_str());
    }

    void sbatchOptionsThatConflictWithTheArray()
    {
        const auto plan = batchPlanFromYaml(
            std::string(kMin) +
            "launcher: slurm\nslurm: {options: [--wait, --mem=4G, --parsable, -Q, --requeue]}\n");
        QVERIFY2(plan.has_value(), plan ? "" : plan.error().message.c_str());
        QCOMPARE(plan->slurm.options, std::vector<std::string>{"--mem=4G"});
        QCOMPARE(plan->slurm.notes.size(), size_t(4));
        QVERIFY(plan->slurm.notes[0].starts_with("slurm.options: --wait was ignored: "));
    }

    void missingKeysAreReported()
    {
        for (const std::string key : {"inputs", "export", "output"}) {
            std::string text;
            for (const char* other : {"inputs", "export", "output"})
                text += key == other ? "" : std::string(other) + ": [x]\n";
            const size_t output = text.find("output: [x]");
            if (output != text.npos) text.replace(output, 11, "output: x");
            const auto plan = batchPlanFromYaml(text);
            QVERIFY(!plan.has_value());
            QVERIFY2(plan.error().message.starts_with("missing key '" + key + "'"),
                     plan.error().message.c_str());
        }
        for (const char* text : {"", "- a\n", "just words\n"})
            QVERIFY(!batchPlanFromYaml(text).has_value());
    }

    // The plan that the help shows is valid, and its options are the command line's.
    void shownPlan()
    {
        const std::string page = test::contentOf(test::sourceFolder() / "resources/help/batch.md");
        const size_t begin = page.find("```\ninputs:") + 4;
        QVERIFY(begin > 4);
        const auto plan =
            batchPlanFromYaml(std::string_view(page).substr(begin, page.find("```", begin) - begin));
        QVERIFY2(plan.has_value(), plan ? "" : plan.error().message.c_str());
        std::vector<std::string> words{"--memory-limit", plan->memoryLimit, "x"};
        for (const std::string& what : plan->what)
            words.insert(words.end(), {"--export", what});
        words.insert(words.end(), plan->options.begin(), plan->options.end());
        const auto line = parseCommandLine(words);
        QVERIFY2(line.has_value(), line ? "" : line.error().message.c_str());
        QCOMPARE(line->what.size(), size_t(5));
        QCOMPARE(line->scope.by, GroupBy::rank);
    }

    // Each report is assigned once, no task is empty, the largest task is as small as possible, and the
    // result is the same each time.
    void reportsAreDistributedEvenly()
    {
        std::mt19937 random(5);
        for (int round = 0; round < 300; ++round) {
            std::vector<uint64_t> sizes(random() % 50);
            for (uint64_t& size : sizes)
                size = random() % 4 == 0 ? 0 : random() % 10'000;
            const size_t tasks = 1 + random() % 12;
            const auto dealt = distributeTasks(sizes, tasks);
            QCOMPARE(dealt.size(), std::min(tasks, sizes.size()));
            std::vector<uint32_t> all;
            uint64_t fullest = 0;
            for (const auto& task : dealt) {
                QVERIFY(!task.empty() && std::ranges::is_sorted(task));
                uint64_t load = 0;
                for (const uint32_t i : task)
                    load += sizes[i];
                fullest = std::max(fullest, load);
                all.insert(all.end(), task.begin(), task.end());
            }
            std::ranges::sort(all);
            for (uint32_t i = 0; i < all.size(); ++i)
                QCOMPARE(all[i], i);
            QCOMPARE(all.size(), sizes.size());
            if (sizes.empty()) continue;
            const uint64_t sum = std::accumulate(sizes.begin(), sizes.end(), uint64_t(0));
            QVERIFY(fullest <= sum / dealt.size() + *std::ranges::max_element(sizes));
            QVERIFY(distributeTasks(sizes, tasks) == dealt);
        }
        QCOMPARE(distributeTasks(std::vector<uint64_t>(200, 7), 8)[3].size(), size_t(25));
        QCOMPARE(distributeTasks(std::vector<uint64_t>(200, 0), 8)[3].size(), size_t(25));
    }
};

LOCKSTEP_TEST(BatchPlanTest, "batch_plan_test")
#include "batch_plan_test.moc"
