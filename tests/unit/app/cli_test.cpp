// SPDX-License-Identifier: Apache-2.0
// Tests the parsed command line, and one clear line for each kind of mistake.
#include "app/cli/cli.h"

#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

Result<CommandLine> parsed(const QString& text)
{
    std::vector<std::string> arguments;
    for (const QString& word : text.split(' ', Qt::SkipEmptyParts))
        arguments.push_back(word.toStdString());
    return parseCommandLine(arguments);
}

} // namespace

class CliTest : public QObject {
    Q_OBJECT

  private slots:
    void windowByDefault()
    {
        const CommandLine line = *parsed("a.sqlite b --screenshot out.png");
        QCOMPARE(line.task, Task::window);
        QCOMPARE(line.inputs, (std::vector<std::string>{"a.sqlite", "b"}));
        QCOMPARE(line.screenshot, std::string("out.png"));
        QCOMPARE(parsed("")->task, Task::window);
    }

    void everyOption()
    {
        const CommandLine line = *parsed(
            "--export inventory,cuda_gpu_kern_sum:base --export=inventory --format json -o out/ --by rank "
            "--filter rank=0..3 --filter name=a=b --clip exclude --baseline old --baseline older --time-range 1.5s..2s --align zero --timeunit ms --rows 5 "
            "--size 800x600 --theme dark --lanes gpu --fold --identity who.csv --provenance --jobs 3 --memory-limit "
            "2G --cache /big --cache-limit 1T --cache-check content -q -v "
            "--fail-on kernel_total>1ms --fail-on kernel_total>+2.5% -- -odd - x");
        QCOMPARE(line.task, Task::exportFiles);
        QCOMPARE(line.what, (std::vector<std::string>{"inventory", "cuda_gpu_kern_sum:base"}));
        QCOMPARE(line.tableFormat, std::optional(TableFormat::json));
        QCOMPARE(line.output, std::string("out/"));
        QCOMPARE(line.scope.by, GroupBy::rank);
        QCOMPARE(line.scope.ranks, (std::vector<NumberRange>{{0, 3}}));
        QCOMPARE(line.scope.name->expression(), std::string("a=b"));
        QCOMPARE(*line.scope.time, (TimeRange{{1'500'000'000}, {2'000'000'000}}));
        QCOMPARE(line.align.mode, AlignMode::zero);
        QCOMPARE(line.scope.clip, Clip::exclude);
        QCOMPARE(line.baseline, (std::vector<std::string>{"old", "older"}));
        QCOMPARE(line.timeUnit, TimeUnit::ms);
        QCOMPARE(line.rows, size_t(5));
        QCOMPARE(line.width, 800);
        QCOMPARE(line.height, 600);
        QVERIFY(line.isDark && line.withProvenance && line.isQuiet && line.isVerbose);
        QCOMPARE(line.lanes, std::string("gpu"));
        QVERIFY(line.isFolded);
        QCOMPARE(line.identityFile, std::string("who.csv"));
        QCOMPARE(line.jobs, size_t(3));
        QCOMPARE(line.memoryLimit_bytes, uint64_t(2) << 30);
        QCOMPARE(line.disk.folder, std::filesystem::path("/big"));
        QCOMPARE(*line.disk.max_bytes, uint64_t(1) << 40);
        QVERIFY(line.disk.comparesContent);
        QCOMPARE(line.failOn.at(0).limit, int64_t(1'000'000));
        QCOMPARE(line.inputs, (std::vector<std::string>{"-odd", "-", "x"}));
    }

    void helpOverridesFollowingOptions()
    {
        QCOMPARE(parsed("--help --nonsense")->task, Task::help);
        QCOMPARE(parsed("-h")->task, Task::help);
        QCOMPARE(parsed("--version")->task, Task::version);
    }

    void mistakes_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* text, const char* expected) {
            QTest::newRow(text) << text << expected;
        };
        row("--nonsense", "unknown option '--nonsense'");
        row("-x", "unknown option '-x'");
        row("--export", "--export needs a value");
        row("--export , a", "--export needs the name of at least one");
        row("--export inventory", "--export needs reports or folders");
        row("--export bogus a", "'bogus' is not a table");
        row("--export osrt_sum:base a", "unknown argument ':base'");
        row("--export osrt_sum --format xml a", "unknown format");
        row("--export osrt_sum --format html a", "--format html requires --export report");
        row("--export osrt_sum --format png a", "apply only to pictures");
        row("--export timeline --format csv a", "applies only to tables");
        row("--export timeline,osrt_sum a", "a picture cannot share standard output");
        row("--by node", "--by 'node'");
        row("--filter rank", "use KEY=VALUE");
        row("--filter rank=x", "not a number or a range");
        row("--time-range 5s", "--time-range '5s'");
        row("--time-range 2s..1s", "A before B");
        row("--align step:x", "the step is not a number");
        row("--align marker", "marker needs text");
        row("--align manual", "manual:FILE");
        row("--align sideways", "use auto, collectives");
        row("--timeunit min", "use ns, us, ms or s");
        row("--rows -1", "--rows '-1'");
        row("--size 10x10", "--size '10x10'");
        row("--size 1920", "--size '1920'");
        row("--size 299x300", "300x100 to 16384x16384");
        row("--size 16385x300", "300x100 to 16384x16384");
        row("--export osrt_sum,nvtx_sum -o t.csv a", "names one file, but 2 documents");
        row("--export osrt_sum,timeline -o t.SVG a", "names one file, but 2 documents");
        row("--theme blue", "light or dark");
        row("--lanes (", "regular expression '('");
        row("--jobs 0", "--jobs '0'");
        row("--memory-limit lots", "--memory-limit 'lots'");
        row("--memory-limit 99999999T", "--memory-limit '99999999T'");
        row("--cache-limit some", "--cache-limit 'some'");
        row("--cache-check never", "--cache-check 'never'");
        row("--fail-on kernel_total", "no comparison");
        row("--fail-on speed>1", "unknown name 'speed'");
        row("--export inventory a --fail-on kernel_total>5%", "a change in percent requires --baseline");
        row("--fail-on kernel_total>x%", "not a change in percent");
        row("--fail-on cuda_gpu_kern_sum.Avg>fast", "'fast' is not a valid number");
        row("--fail-on kernel_count>1.5", "'1.5' is not a valid number");
        row("--fail-on kernel_total=1", "unknown comparison");
        row("--output=", "--output needs");
        row("--provenance=yes", "takes no value");
        row("--baseline a", "--baseline requires --export");
        row("--baseline - --export inventory a", "--baseline needs a report");
        row("--clip exclude --export inventory a", "--clip requires --time-range");
        row("--baseline a --export memory b", "none of them was requested");
        for (const char* const text : {"--by rank a", "--filter rank=0 a", "--time-range 1s..2s a"})
            row(text, "--by, --filter and --time-range require --export");
        row("--clip all", "--clip 'all': use include or exclude");
        row("--host-facts f.json", "--host-facts requires --plan");
        row("--plan", "--plan needs a value");
        row("--plan a.yaml --export inventory b.sqlite", "--plan and --export cannot be combined");
        row("--plan a.yaml b.yaml", "--plan takes one session file and no further inputs");
        row("--run a.yaml b.yaml", "--run takes one session file and no further inputs");
        row("--run a.yaml --export inventory", "--run and --export cannot be combined");
        row("--run a.yaml --attach r", "--run, --attach and --stop cannot be combined");
        row("--attach r x.sqlite", "--attach takes one run and no further inputs");
        row("--attach=", "--attach needs a run");
        row("--batch plan.yaml x.sqlite", "--batch takes one plan and no further inputs");
        row("--batch plan.yaml --by rank", "--batch reads its outputs and options from the plan");
        row("--batch plan.yaml -o out", "--batch reads its outputs and options from the plan");
        row("--batch-task 3", "--batch-task takes one batch folder");
        row("--batch-task x out/.batch", "--batch-task 'x': not a task number");
        row("--run a.yaml --patience soon", "--patience 'soon'");
        row("--plan a.yaml --patience 5", "--patience and --reduced require --run, --attach or --stop");
        row("--attach r --stop r", "--run, --attach and --stop cannot be combined");
        row("--stop=", "--stop needs a run");
        row("--stop r x.sqlite", "--stop takes one run and no further inputs");
        row("--stop r --grace soon", "--grace 'soon'");
        row("--stop r --grace -1", "--grace '-1'");
        row("--attach r --grace 3", "--grace requires --stop");
        row("--attach r --force", "--force requires --run");
        row("--run a.yaml --live", "--live requires --attach");
        row("--attach r --live -o x.lockstep", "--live opens the window");
        row("--attach r --live --reduced", "--live opens the window");
        row("--remove-runs x", "--remove-runs cannot be combined with other commands");
        row("--remove-runs --older-than soon", "--older-than 'soon'");
        row("--attach r --older-than 3", "--older-than requires --remove-runs");
        row("--demo a b", "at most one folder");
    }
    void mistakes()
    {
        QFETCH(QString, text);
        QFETCH(QString, expected);
        const auto line = parsed(text);
        QVERIFY(!line);
        QCOMPARE(line.error().kind, ErrorKind::invalid);
        const QString message = QString::fromStdString(line.error().message);
        QVERIFY2(message.contains(expected), qPrintable(message));
        QVERIFY(!message.contains('\n'));
    }
};

LOCKSTEP_TEST(CliTest, "cli_test")
#include "cli_test.moc"
