// SPDX-License-Identifier: Apache-2.0
// Tests how the Run page looks: in both themes and three sizes nothing overlaps, and no text that must be
// readable is cut off. With LOCKSTEP_PICTURES=FOLDER the pictures are saved.
#include <numeric>

#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>

#include "tests/support/scripted_run.h"
#include "tests/support/test_registry.h"
#include "ui/run/hosts_card.h"
#include "ui/run/ledger_card.h"
#include "ui/run/log_card.h"
#include "ui/run/run_head.h"
#include "ui/run/run_page.h"
#include "ui/style/style_sheet.h"

using namespace lockstep;

namespace {

constexpr int64_t kSecond_ns = 1'000'000'000;
constexpr int64_t kPictured_ns = 1'763'640'067 * kSecond_ns;

std::string output(const std::string& text)
{
    return R"("command":0,"text":")" + text + R"(\n")";
}

void tellSteps(test::ScriptedRemote& host)
{
    for (int step = 1; step <= 4; ++step) {
        const int64_t end = kPictured_ns + step * 100 * kSecond_ns;
        host.tell("stdout", end,
                  output("(TaskRunner pid=40871) step:" + std::to_string(step) +
                         " - timing_s/gen:31.0 - timing_s/reward:4.5 - timing_s/ref:11.0 - "
                         "timing_s/old_log_prob:9.5 - timing_s/update_actor:41.0 - timing_s/step:99.5"));
        host.tell("step", end + 1, "\"command\":0,\"step\":" + std::to_string(step + 1));
    }
}

void tellAll(test::ScriptedRun& scripted)
{
    for (size_t i = 0; i < 2; ++i) {
        test::ScriptedRemote& host = scripted.host(i);
        host.tell("started", kPictured_ns, R"("pid":1,"commands":1)");
        host.tell("stdout", kPictured_ns + kSecond_ns,
                  output("(WorkerDict pid=41613) rank " + std::to_string(8 * i) +
                         ": profiler tool nsys, discrete"));
        for (int s = 0; s < 300; ++s) {
            const int busy = s % 80 < 22 ? 52 + s % 7 : s % 80 > 74 ? 8 : 90 + s % 5;
            host.tell("gpu", kPictured_ns + (200 + s) * kSecond_ns,
                      test::ScriptedRun::use(busy, i == 0 ? 412'000'000'000 : 9'100'000'000, 38 + s % 3));
        }
        host.tell("capture", kPictured_ns + 430 * kSecond_ns, R"("command":0,"state":"capturing")");
        const std::string stem = "/tmp/ray/nsight/worker_process_4161" + std::to_string(i) + ".";
        for (int part = 1; part <= 5; ++part) {
            host.tell(
                "report", kPictured_ns + (300 + part) * kSecond_ns,
                test::ScriptedRun::report(stem + std::to_string(part) + ".nsys-rep", 165'675'008, part < 5));
        }
    }
    tellSteps(scripted.host(0));
    scripted.host(3).tell("started", kPictured_ns, R"("pid":1,"commands":1)");
    scripted.host(3).tell(
        "job", kPictured_ns + kSecond_ns,
        R"x("scheduler":"slurm","job":"4711","phase":"pending","state":"PENDING","nodes":[],)x"
        R"x("text":"the limit of running jobs per user is reached (QOSMaxJobsPerUserLimit)",)x"
        R"x("reason":"QOSMaxJobsPerUserLimit","expected_start_s":1763647200)x");
    scripted.host(0).tell("stdout", kPictured_ns + 440 * kSecond_ns,
                          output("\\u001b[33mWARNING\\u001b[0m NCCL took 3.1 s to come up"));
}

} // namespace

class RunPictureTest : public QObject {
    Q_OBJECT

  private slots:
    void looksRight_data()
    {
        QTest::addColumn<bool>("isDark");
        QTest::addColumn<QSize>("size");
        for (const bool isDark : {false, true}) {
            for (const QSize size : {QSize(1280, 720), QSize(1600, 1000), QSize(3840, 2160)})
                QTest::addRow("%s-%d", isDark ? "dark" : "light", size.width()) << isDark << size;
        }
    }

    void looksRight()
    {
        QFETCH(bool, isDark);
        QFETCH(QSize, size);
        const Theme& theme = isDark ? darkTheme() : lightTheme();
        test::ScriptedRun scripted(4);
        scripted.host(2).fail(
            "the host key of node2 is not the one that is known: the machine was set up anew, or it "
            "is another one. Look at it, then: ssh-keygen -R node2");
        const std::string problem = scripted.create();
        QVERIFY2(problem.empty(), problem.c_str());
        tellAll(scripted);
        QApplication::setFont(interfaceFont(1));
        QApplication::setPalette(theme.palette());
        qApp->setStyleSheet(styleSheetOf(theme, 1));
        RunPage page;
        page.setTheme(theme);
        page.resize(size);
        page.show();
        page.watch(&scripted.run());
        scripted.run().begin();
        QTRY_COMPARE(page.progress()->chart()->shown().size(), size_t(5));
        QTRY_VERIFY(scripted.run().hosts()[1].lastSeq >= 308 &&
                    scripted.run().hosts()[2].state == HostState::unreachable &&
                    scripted.run().hosts()[3].state == HostState::pending);
        QTRY_COMPARE(page.use()->chart()->rows().size(), size_t(4));
        QTRY_VERIFY(page.log()->view()->rowCount() >= 7);
        const QList<QLabel*> labels = page.findChildren<QLabel*>();
        QTRY_VERIFY(std::ranges::any_of(labels, [](const QLabel* label) {
            return label->text().startsWith("3 of 4 hosts linked"); // the unreachable host is not linked
        }));
        QTRY_VERIFY(ledgerRemark(scripted.run().ledger()).contains("8 complete"));
        QTest::qWait(250); // for the last update of the feed
        keep(page, QTest::currentDataTag());
        check(page);
        page.watch(nullptr);
        page.setKnownRuns({{scripted.run().record(), false}});
        QTest::qWait(50);
        keep(page, QString("empty-") + QTest::currentDataTag());
        qApp->setStyleSheet({});
    }

    void fits64Ranks_data()
    {
        QTest::addColumn<bool>("isDark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }

    // 64 ranks with several reports fit at the smallest supported size of the window.
    void fits64Ranks()
    {
        QFETCH(bool, isDark);
        const Theme& theme = isDark ? darkTheme() : lightTheme();
        test::ScriptedRun scripted(8);
        std::vector<int64_t> ranks(64);
        std::iota(ranks.begin(), ranks.end(), 0);
        scripted.config().role(Role::actor).ranks = ranks;
        const std::string problem = scripted.create();
        QVERIFY2(problem.empty(), problem.c_str());
        for (int i = 0; i < 8; ++i) {
            test::ScriptedRemote& host = scripted.host(static_cast<size_t>(i));
            host.tell("started", kPictured_ns, R"("pid":1,"commands":1)");
            for (int rank = 0; rank < 8; ++rank) {
                const std::string pid = std::to_string(4000 + 8 * i + rank);
                host.tell("stdout", kPictured_ns + kSecond_ns,
                          output("(WorkerDict pid=" + pid + ") [rank" + std::to_string(8 * i + rank) +
                                 "]: profiler tool nsys, discrete"));
                host.tell("report", kPictured_ns + 2 * kSecond_ns,
                          test::ScriptedRun::report("/tmp/ray/nsight/worker_process_" + pid + ".1.nsys-rep",
                                                    165'675'008, rank < 6));
            }
            host.tell("stderr", kPictured_ns + 3 * kSecond_ns,
                      R"("command":0,"text":"\rstep:  0%|     | 0/20\rstep: 25%|\u2588    | 5/20")");
        }
        QApplication::setFont(interfaceFont(1));
        QApplication::setPalette(theme.palette());
        qApp->setStyleSheet(styleSheetOf(theme, 1));
        RunPage page;
        page.setTheme(theme);
        page.resize(1280, 720);
        page.show();
        page.watch(&scripted.run());
        scripted.run().begin();
        QTRY_VERIFY(ledgerRemark(scripted.run().ledger()).contains("48 complete"));
        QTRY_VERIFY(page.log()->view()->rowCount() >= 72);
        QTest::qWait(250); // for the last update of the feed
        keep(page, QString("64-") + QTest::currentDataTag());
        LedgerView* const view = page.ledger()->view();
        QCOMPARE(view->height(), view->contentHeight());
        QCOMPARE(view->cells().detail, LedgerLayout::Detail::reports);
        for (const QComboBox* filter : page.log()->findChildren<QComboBox*>())
            QVERIFY(filter->isVisible() && filter->width() >= filter->minimumSizeHint().width());
        page.watch(nullptr);
        qApp->setStyleSheet({});
    }

  private:
    static void keep(QWidget& page, const QString& name)
    {
        const QString folder = qEnvironmentVariable("LOCKSTEP_PICTURES");
        if (!folder.isEmpty()) QVERIFY(page.grab().save(folder + "/run-" + name + ".png"));
    }

    static void check(RunPage& page)
    {
        const std::vector<QWidget*> left{page.hosts(), page.ledger(), page.log()},
            right{page.progress(), page.use(), page.end()};
        for (const auto& column : {left, right}) {
            for (size_t i = 0; i + 1 < column.size(); ++i)
                QVERIFY2(column[i]->geometry().bottom() < column[i + 1]->geometry().top(), "cards overlap");
        }
        for (const QPushButton* button : page.head()->findChildren<QPushButton*>()) {
            if (button->isVisible()) QVERIFY(button->width() >= button->sizeHint().width());
        }
        QVERIFY(page.log()->view()->viewport()->height() >= 100);
    }
};

LOCKSTEP_TEST(RunPictureTest, "run_picture_test")
#include "run_picture_test.moc"
