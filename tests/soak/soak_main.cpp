// SPDX-License-Identifier: Apache-2.0
// lockstep_soak MINUTES [SEED]: a window without a display and a simulated user who opens, closes, hides,
// zooms, searches, exports, saves and runs commands at random, with the public profiler files and damaged
// copies of them. The window runs in its own process; however that ends, the seed and the step are printed.
// The test fails when the window dies, hangs for minutes, does not become idle, or exceeds the memory limit.
#include <array>
#include <csignal>
#include <cstdio>
#include <random>

#include <execinfo.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QApplication>
#include <QDialog>
#include <QElapsedTimer>
#include <QProcess>
#include <QStandardPaths>
#include <QTest>
#include <QTimer>

#include "app/window/app_log.h"
#include "app/window/command_actions.h"
#include "app/window/main_window.h"
#include "app/window/save_controller.h"
#include "core/analysis/analysis.h"
#include "core/base/memory_budget.h"
#include "tests/support/damage.h"
#include "tests/support/in_window.h"
#include "tests/support/places.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/plurals.h"
#include "ui/window/view_state.h"

using namespace lockstep;

namespace fs = std::filesystem;

namespace {

constexpr unsigned kStill_s = 120; // per step
constexpr int kRest_ms = 180'000;  // until the window is idle
constexpr uint64_t kCeiling_bytes = 3ull << 30;
constexpr uint64_t kGrowth_bytes = 64ull << 20; // from the early closing of all reports to the last
constexpr size_t kMaxOpen = 40;                 // then all reports are closed

// Shared memory that the parent reads after the window has died.
struct Shared {
    uint64_t step = 0;
    char action[400] = {};
    uint64_t most_bytes = 0; // peak
    // With no reports open: the first time after a while, and the last in each quarter of the duration.
    struct Emptied {
        uint64_t resident_bytes = 0;
        uint64_t heap_bytes = 0; // in use, without memory cached by the allocator
    };
    Emptied emptied[5];
    uint64_t emptiedCount = 0;
};

class Soak {
  public:
    Soak(uint64_t seed, Shared& shared)
        : m_random(seed), m_shared(shared), m_settings(test::settingsFile(m_folder)),
          m_window(test::shownWindow(m_settings))
    {
        // An open menu blocks its caller until it is closed.
        QObject::connect(&m_popups, &QTimer::timeout, &m_popups, [] {
            if (QWidget* const popup = QApplication::activePopupWidget()) popup->close();
        });
        m_popups.start(100);
        m_window->enableRecovery({m_folder.path() / "journals", m_folder.path() / "crashes"});
        for (const auto& entry : fs::recursive_directory_iterator(test::sharedData())) {
            const std::string name = entry.path().filename().string();
            if (entry.is_regular_file() && !name.ends_with(".csv") && !name.ends_with(".md"))
                m_files.push_back(entry.path());
        }
        std::ranges::sort(m_files); // the same order for the same seed
    }

    // Runs one quarter of the duration (0 to 3). Returns an empty text on success.
    std::string step(size_t quarter)
    {
        m_quarter = quarter;
        ++m_shared.step;
        ::alarm(kStill_s);
        using Act = void (Soak::*)();
        static constexpr std::pair<int, Act> kActs[] = {
            {16, &Soak::open}, {10, &Soak::openBroken}, {6, &Soak::close},         {3, &Soak::closeAll},
            {8, &Soak::hide},  {20, &Soak::zoom},       {25, &Soak::press},        {8, &Soak::search},
            {20, &Soak::run},  {5, &Soak::exportTable}, {4, &Soak::saveAndReopen}, {4, &Soak::resize}};
        int sum = 0;
        for (const auto& [weight, act] : kActs)
            sum += weight;
        int left = static_cast<int>(below(static_cast<size_t>(sum)));
        for (const auto& [weight, act] : kActs) {
            left -= weight;
            if (left >= 0) continue;
            (this->*act)();
            break;
        }
        closeDialogs();
        m_window->activateWindow();
        if (!QTest::qWaitFor([this] { return m_window->isSettled() || !m_failure.empty(); }, kRest_ms))
            return "the window did not come to rest: " + m_window->runningJobs().toStdString();
        closeDialogs();
        const uint64_t now_bytes = privateMemory_bytes();
        m_shared.most_bytes = std::max(m_shared.most_bytes, now_bytes);
        if (now_bytes > kCeiling_bytes) return "memory: " + std::to_string(now_bytes >> 20) + " MiB";
        return m_failure;
    }

    void closeAll()
    {
        say("close all");
        reports().cancelAll();
        reports().close(reports().reports().openKeys());
        std::vector<ReportKey> failed;
        for (const ReportEntry& entry : reports().reports().entries())
            failed.push_back(entry.key);
        for (const ReportKey key : failed)
            reports().dismiss(key);
        if (!QTest::qWaitFor([this] { return m_window->isSettled(); }, kRest_ms)) return;
        m_window->resize(1'280, 800); // its pixels use memory too
        if (!QTest::qWaitFor([this] { return m_window->isSettled(); }, kRest_ms)) return;
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        returnFreeMemory();
        // Caches and pools reach their size in the first rounds.
        const bool isFirst = ++m_shared.emptiedCount <= 5;
        const struct mallinfo2 heap = ::mallinfo2();
        m_shared.emptied[isFirst ? 0 : 1 + m_quarter] = {privateMemory_bytes(), heap.uordblks + heap.hblkhd};
    }

  private:
    size_t below(size_t count) { return count == 0 ? 0 : static_cast<size_t>(m_random() % count); }
    void say(const std::string& action)
    {
        std::snprintf(m_shared.action, sizeof m_shared.action, "%s", action.c_str());
    }
    WorkspaceController& reports() { return test::part<WorkspaceController>(*m_window); }
    TimelineView& timeline() { return test::part<TimelineView>(*m_window); }

    void open()
    {
        if (reports().reports().entries().size() > kMaxOpen) return closeAll();
        std::vector<fs::path> paths;
        std::string names;
        for (size_t i = 0, count = 1 + below(4); i < count; ++i) {
            paths.push_back(m_files[below(m_files.size())]);
            names += " " + paths.back().string();
        }
        say("open" + names);
        m_window->open(paths);
        if (below(4) == 0)
            QTest::qWait(static_cast<int>(below(20))); // so that the next action interrupts this one
    }

    void openBroken()
    {
        const fs::path& whole = m_files[below(m_files.size())];
        const std::string bytes = test::contentOf(whole);
        const auto kind = static_cast<test::Damage>(below(static_cast<size_t>(test::Damage::count)));
        const bool isRenamed = below(3) == 0;
        const uint64_t seed = m_random();
        const std::string name = "broken" + std::to_string(m_shared.step % 16) + "_" +
                                 (isRenamed ? m_files[below(m_files.size())] : whole).filename().string();
        say("open " + std::string(test::damageName(kind)) + " " + whole.string() + " as " + name);
        m_window->open({m_folder.write(
            name, isRenamed && below(2) == 0 ? bytes : test::damaged(bytes, kind, 1 + below(20), seed))});
    }

    std::vector<ReportKey> someOpen()
    {
        std::vector<ReportKey> some;
        for (const ReportKey key : reports().reports().openKeys()) {
            if (below(3) == 0) some.push_back(key);
        }
        return some;
    }

    void close()
    {
        say("close some");
        reports().close(someOpen());
    }

    void hide()
    {
        say("hide or show");
        reports().setShown(someOpen(), below(2) == 0);
    }

    void zoom()
    {
        const TimeRange whole = timeline().viewState().visible();
        const int64_t span = std::max<int64_t>(1, whole.end.ns - whole.begin.ns);
        const int64_t begin = whole.begin.ns + static_cast<int64_t>(m_random() % static_cast<uint64_t>(span));
        const int64_t width = 1 + static_cast<int64_t>(m_random() % static_cast<uint64_t>(span));
        say("zoom to " + std::to_string(begin) + " and " + std::to_string(width) + " ns");
        timeline().navigation().zoomTo({{begin}, {begin + width}});
    }

    void press()
    {
        static constexpr Qt::Key kKeys[] = {
            Qt::Key_W,     Qt::Key_S,       Qt::Key_A,   Qt::Key_D,      Qt::Key_F,      Qt::Key_0,
            Qt::Key_M,     Qt::Key_N,       Qt::Key_O,   Qt::Key_X,      Qt::Key_C,      Qt::Key_H,
            Qt::Key_B,     Qt::Key_I,       Qt::Key_T,   Qt::Key_Up,     Qt::Key_Down,   Qt::Key_Left,
            Qt::Key_Right, Qt::Key_Home,    Qt::Key_End, Qt::Key_Escape, Qt::Key_Return, Qt::Key_Space,
            Qt::Key_Tab,   Qt::Key_PageDown};
        static constexpr Qt::KeyboardModifier kWith[] = {Qt::NoModifier, Qt::NoModifier, Qt::ShiftModifier,
                                                         Qt::AltModifier};
        const Qt::Key key = kKeys[below(std::size(kKeys))];
        const auto with = kWith[below(std::size(kWith))];
        say("press " + std::to_string(key) + " with " + std::to_string(with));
        const QRect lanes = timeline().rect();
        const QPoint at(static_cast<int>(below(static_cast<size_t>(std::max(1, lanes.width())))),
                        static_cast<int>(below(static_cast<size_t>(std::max(1, lanes.height())))));
        QWidget* under = timeline().childAt(at);
        if (under == nullptr) under = &timeline();
        if (below(2) == 0) QTest::mouseClick(under, Qt::LeftButton, with, under->mapFrom(&timeline(), at));
        timeline().setFocus();
        QTest::keyClick(&timeline(), key, with);
    }

    void search()
    {
        static constexpr const char* kWords[] = {
            "gemm", "nccl", "/a.*b/", "dur>1us", "rank:0-3", "name:mm", "\"", "[", "lane:stream kernel", ""};
        const char* const word = kWords[below(std::size(kWords))];
        say(std::string("search ") + word);
        test::run(*m_window, "Find");
        if (QApplication::focusWidget() == nullptr) return; // the window is not in front
        QTest::keyClicks(QApplication::focusWidget(), word);
        if (QApplication::focusWidget() != nullptr)
            QTest::keyClick(QApplication::focusWidget(), below(2) == 0 ? Qt::Key_Return : Qt::Key_Escape);
    }

    // Runs any command except those that quit, launch, or work for minutes on hosts.
    void run()
    {
        using enum CommandId;
        static constexpr CommandId kNot[] = {quit,      openDemo,    runSession, attachRun, watchLive,
                                             detachRun, openResults, fullScreen, help,      helpHere};
        const CommandSpec& spec = commandSpecs()[below(commandSpecs().size())];
        if (std::ranges::find(kNot, spec.id) != std::end(kNot)) return say("nothing");
        const QString title = commandTitle(spec.id);
        say("run " + title.toStdString());
        test::run(*m_window, title);
    }

    void exportTable()
    {
        const auto all = analyses();
        const std::string what(all[below(all.size())].name);
        const fs::path& file = m_files[below(m_files.size())];
        say("lockstep --export " + what + " " + file.string());
        QProcess program;
        program.setProcessChannelMode(QProcess::MergedChannels);
        program.start(test::builtProgram("lockstep"),
                      {"--export", below(4) == 0 ? "timeline" : QString::fromStdString(what), "-o",
                       QString::fromStdString((m_folder.path() / "exported.png").string()),
                       QString::fromStdString(file.string())});
        if (!program.waitForFinished(120'000)) m_failure = "the export did not end";
        if (program.exitStatus() == QProcess::CrashExit) m_failure = "the export died";
    }

    void saveAndReopen()
    {
        const fs::path file = m_folder.path() / ("kept" + std::to_string(below(3)) + ".lockstep");
        say("save to " + file.string());
        if (!reports().reports().hasOpen()) return;
        test::part<SaveController>(*m_window).saveTo(file);
        if (!QTest::qWaitFor([this] { return m_window->isSettled(); }, kRest_ms)) return;
        if (below(2) == 0) closeAll();
        m_window->open({file});
    }

    void resize()
    {
        const QSize size(400 + static_cast<int>(below(2'400)), 300 + static_cast<int>(below(1'600)));
        say("resize to " + std::to_string(size.width()) + "x" + std::to_string(size.height()));
        m_window->resize(size);
    }

    void closeDialogs()
    {
        for (QWidget* const widget : QApplication::topLevelWidgets()) {
            if (auto* const dialog = qobject_cast<QDialog*>(widget)) dialog->reject();
        }
        while (QWidget* const popup = QApplication::activePopupWidget())
            popup->close();
    }

    std::mt19937_64 m_random;
    Shared& m_shared;
    test::TempDir m_folder;
    Settings m_settings;
    std::unique_ptr<MainWindow> m_window;
    std::vector<fs::path> m_files;
    std::string m_failure;
    QTimer m_popups;
    size_t m_quarter = 0;
};

// Prints the stack of a window that hangs.
void tellStack(int)
{
    std::array<void*, 100> frames{};
    ::backtrace_symbols_fd(frames.data(), ::backtrace(frames.data(), static_cast<int>(frames.size())), 2);
    ::signal(SIGALRM, SIG_DFL);
    ::raise(SIGALRM);
}

int runWindow(int argc, char** argv, double minutes, uint64_t seed, Shared& shared)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QStandardPaths::setTestModeEnabled(true);
    QApplication application(argc, argv);
    installPlurals();
    startLogging();
    returnLargeBlocks();
    ::signal(SIGALRM, tellStack);
    Soak soak(seed, shared);
    QElapsedTimer since;
    since.start();
    const double whole_ms = minutes * 60'000;
    while (static_cast<double>(since.elapsed()) < whole_ms) {
        const std::string failure =
            soak.step(static_cast<size_t>(4 * static_cast<double>(since.elapsed()) / whole_ms));
        if (failure.empty()) continue;
        std::fprintf(stderr, "soak: %s\n", failure.c_str());
        return 1;
    }
    ::alarm(0);
    soak.closeAll();
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    const double minutes = argc > 1 ? std::atof(argv[1]) : 30;
    const uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : std::random_device{}();
    if (!test::hasSharedData()) {
        std::puts("SKIP the folder of public profiler files is not here");
        return 0;
    }
    auto* const shared =
        new (::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))
            Shared;
    std::printf("soak: %g minutes, seed %llu\n", minutes, static_cast<unsigned long long>(seed));
    std::fflush(nullptr);
    const pid_t window = ::fork();
    if (window == 0) ::_exit(runWindow(argc, argv, minutes, seed, *shared));
    int status = 0;
    ::waitpid(window, &status, 0);
    std::printf(
        "soak: %llu steps, at most %llu MiB; with nothing open, early and at the end of each quarter:",
        static_cast<unsigned long long>(shared->step),
        static_cast<unsigned long long>(shared->most_bytes >> 20));
    for (const Shared::Emptied& emptied : shared->emptied)
        std::printf(" %llu", static_cast<unsigned long long>(emptied.resident_bytes >> 20));
    std::printf(" MiB, of which in use:");
    for (const Shared::Emptied& emptied : shared->emptied)
        std::printf(" %llu", static_cast<unsigned long long>(emptied.heap_bytes >> 20));
    std::printf("\n");
    const bool hasGrown =
        shared->emptied[4].resident_bytes > shared->emptied[0].resident_bytes + kGrowth_bytes;
    if (hasGrown) std::fprintf(stderr, "soak: with nothing open it takes more and more memory\n");
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && !hasGrown) return 0;
    if (WIFSIGNALED(status))
        std::fprintf(stderr, "soak: the window ended by signal %d%s\n", WTERMSIG(status),
                     WTERMSIG(status) == SIGALRM ? ": it stood still" : "");
    std::fprintf(stderr, "soak: FAILED at step %llu of seed %llu: %s\n",
                 static_cast<unsigned long long>(shared->step), static_cast<unsigned long long>(seed),
                 shared->action);
    return 1;
}
