// SPDX-License-Identifier: Apache-2.0
// draw_help_pictures FOLDER: the pictures of the help pages, drawn by the window itself over the demo's
// synthetic reports, without a display. Run by the build, so that they show the program with which they are
// installed.
#include <cstdio>

#include <QApplication>
#include <QStyleFactory>
#include <QTemporaryDir>
#include <QTimer>

#include "app/run/demo_reports.h"
#include "app/window/main_window.h"
#include "app/window/page_stack.h"
#include "app/window/session_page_controller.h"
#include "app/window/settings_page_controller.h"
#include "app/window/timeline_page_controller.h"
#include "core/analysis/analysis.h"
#include "ui/analysis/analysis_list.h"
#include "ui/analysis/analysis_panel.h"
#include "ui/findings/findings_panel.h"
#include "ui/panels/alignment_panel.h"
#include "ui/session/session_page.h"
#include "ui/window/plurals.h"

// The macro wants no namespace around it.
static void keepResources()
{
    Q_INIT_RESOURCE(lockstep);
}

using namespace lockstep;

namespace {

template<class T>
T& part(const MainWindow& window)
{
    T* const found = window.findChild<T*>();
    if (found == nullptr) qFatal("the window has no %s", T::staticMetaObject.className());
    return *found;
}

void command(const MainWindow& window, const QString& text)
{
    window.findChild<QAction*>(text)->trigger();
}

struct HelpPicture {
    QString name;
    QSize size;                              // of the window
    QWidget* (*prepare)(MainWindow& window); // what is drawn
};

const std::vector<HelpPicture> kDemoPictures{
    {"window", {1180, 700}, [](MainWindow& window) -> QWidget* { return &window; }},
    {"timeline",
     {1180, 640},
     [](MainWindow& window) -> QWidget* {
         return part<PageStack>(window).at<TimelinePageController>().widget();
     }},
    {"alignment",
     {960, 960},
     [](MainWindow& window) -> QWidget* {
         command(window, "Clock alignment");
         return &part<AlignmentPanel>(window);
     }},
    {"analyses",
     {1400, 1000},
     [](MainWindow& window) -> QWidget* {
         command(window, "Analyses");
         part<AnalysisPanel>(window).list()->select(*findAnalysis("stragglers"));
         return &part<AnalysisPanel>(window);
     }},
    {"findings",
     {1100, 1000},
     [](MainWindow& window) -> QWidget* {
         command(window, "Findings");
         return &part<FindingsPanel>(window);
     }},
    {"settings",
     {1000, 620},
     [](MainWindow& window) -> QWidget* {
         command(window, QString("Settings\u2026"));
         return part<PageStack>(window).at<SettingsPageController>().widget();
     }},
    {"session",
     {1180, 700},
     [](MainWindow& window) -> QWidget* {
         auto& session = part<PageStack>(window).at<SessionPageController>();
         part<PageStack>(window).bringToFront(session);
         session.page().startFromTemplate("verl");
         return session.widget();
     }},
};

const std::vector<HelpPicture> kSamplePictures{
    {"samples",
     {1180, 960},
     [](MainWindow& window) -> QWidget* {
         command(window, "Analyses");
         part<AnalysisPanel>(window).list()->select(*findAnalysis("rollout_tail"));
         return &window;
     }},
    {"balance",
     {1400, 1000},
     [](MainWindow& window) -> QWidget* {
         command(window, "Analyses");
         part<AnalysisPanel>(window).list()->select(*findAnalysis("async_balance"));
         return &part<AnalysisPanel>(window);
     }},
};

// Draws one after another, each once the window is at rest.
class Drawing : public QObject {
  public:
    Drawing(MainWindow& window, const std::vector<HelpPicture>& pictures, QString folder)
        : m_window(window), m_pictures(pictures), m_folder(std::move(folder))
    {
        QObject::connect(&m_watch, &QTimer::timeout, this, [this] { look(); });
        m_watch.start(60);
    }

  private:
    void look()
    {
        constexpr int kCalmLooks = 5; // animations take longer than one
        m_calm = m_window.isSettled() ? m_calm + 1 : 0;
        if (m_calm < kCalmLooks) return;
        m_calm = 0;
        if (m_drawn != nullptr &&
            !m_drawn->grab().save(m_folder + '/' + m_pictures[m_next - 1].name + ".png")) {
            std::fprintf(stderr, "draw_help_pictures: %s: cannot be written\n", qPrintable(m_folder));
            return QCoreApplication::exit(1);
        }
        if (m_next == m_pictures.size()) return QCoreApplication::exit(0);
        const HelpPicture& picture = m_pictures[m_next++];
        m_window.resize(picture.size);
        m_window.arrangeDocks();
        m_drawn = picture.prepare(m_window);
    }

    MainWindow& m_window;
    const std::vector<HelpPicture>& m_pictures;
    const QString m_folder;
    QTimer m_watch;
    size_t m_next = 0;
    int m_calm = 0;
    QWidget* m_drawn = nullptr;
};

int draw(Settings& settings, const std::vector<std::filesystem::path>& reports,
         const std::vector<HelpPicture>& pictures, const QString& folder)
{
    MemoryBudget memory({});
    MainWindow window(settings, false, Workers::ofMachine(), memory);
    window.resize(pictures.front().size);
    window.show();
    window.open(reports);
    const Drawing drawing(window, pictures, folder);
    QTimer deadline;
    deadline.callOnTimeout([] {
        std::fputs("draw_help_pictures: the window does not come to rest\n", stderr);
        QCoreApplication::exit(1);
    });
    deadline.start(240'000);
    return QApplication::exec();
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 2) {
        std::fputs("usage: draw_help_pictures FOLDER\n", stderr);
        return 2;
    }
    const QTemporaryDir place; // nothing of whoever builds is in sight
    for (const char* const name :
         {"XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "LOCKSTEP_STATE_HOME"})
        qputenv(name, place.path().toLocal8Bit());
    qputenv("QT_QPA_PLATFORM", "offscreen");
    qputenv("QT_SCALE_FACTOR", "1");
    const auto demo = writeDemoReports((place.path() + "/reports").toStdString());
    const auto run = writeAsyncReports((place.path() + "/samples").toStdString(), 2'000);
    if (!demo || !run) {
        std::fprintf(stderr, "draw_help_pictures: %s\n", (demo ? run : demo).error().message.c_str());
        return 1;
    }
    std::vector<std::filesystem::path> samples; // without the traces, which would hide their lanes
    for (const auto& path : *run) {
        if (path.extension() != ".json") samples.push_back(path);
    }
    QApplication application(argc, argv);
    installPlurals();
    keepResources();
    QApplication::setStyle(QStyleFactory::create("Fusion"));
    Settings settings(place.path() + "/window.ini");
    const QString folder = QString::fromLocal8Bit(argv[1]);
    const int status = draw(settings, *demo, kDemoPictures, folder);
    return status != 0 ? status : draw(settings, samples, kSamplePictures, folder);
}
