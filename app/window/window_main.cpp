// SPDX-License-Identifier: Apache-2.0
#include "app/window/window_main.h"

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include <QApplication>
#include <QIcon>
#include <QStyleFactory>
#include <QTimer>

#include "app/cli/crash_report.h"
#include "app/cli/export_command.h"
#include "app/run/exit_watchdog.h"
#include "app/window/app_log.h"
#include "app/window/demo_controller.h"
#include "app/window/hang_watch.h"
#include "app/window/live_controller.h"
#include "app/window/main_window.h"
#include "core/base/output_file.h"
#include "core/session/shell_quote.h"
#include "ui/style/picture_bytes.h"
#include "ui/window/plurals.h"

// Prevents the linker from dropping the resources of the static library. The macro must be outside of any
// namespace.
static void keepResources()
{
    Q_INIT_RESOURCE(lockstep);
}

namespace lockstep {

namespace {

struct WindowArguments {
    std::optional<ThemeChoice> theme;
    QSize size;
    QString screenshot;
    QString goTo;
    QString watched; // id of the run to watch
};

// Returns the value of "--name value" or "--name=value". Advances i to a separate value.
std::optional<QString> valueOf(const char* name, int argc, char** argv, int& i)
{
    const QString word = QString::fromLocal8Bit(argv[i]);
    if (word == name && i + 1 < argc) return QString::fromLocal8Bit(argv[++i]);
    if (word.startsWith(QString(name) + '=')) return word.mid(word.indexOf('=') + 1);
    return std::nullopt;
}

WindowArguments readArguments(int argc, char** argv)
{
    WindowArguments arguments;
    for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i) {
        if (const auto theme = valueOf("--theme", argc, argv, i)) {
            arguments.theme = *theme == "dark" ? ThemeChoice::dark : ThemeChoice::light;
        } else if (const auto size = valueOf("--size", argc, argv, i)) {
            arguments.size = QSize(size->section('x', 0, 0).toInt(), size->section('x', 1, 1).toInt());
        } else if (const auto file = valueOf("--screenshot", argc, argv, i)) {
            arguments.screenshot = *file;
        } else if (const auto place = valueOf("--goto", argc, argv, i)) {
            arguments.goTo = *place;
        } else if (const auto run = valueOf("--attach", argc, argv, i)) {
            arguments.watched = *run;
        }
    }
    return arguments;
}

Status savePicture(const QImage& image, const std::filesystem::path& path)
{
    const std::string png = LOCKSTEP_TRY(pngBytes(image));
    OutputFile file = LOCKSTEP_TRY(OutputFile::create(path));
    file.write(png);
    return file.commit();
}

// Saves an image of the window once the window is settled, and quits.
void leaveWithPicture(MainWindow& window, const QString& file)
{
    auto* const watch = new QTimer(&window);
    watch->setInterval(100);
    QObject::connect(watch, &QTimer::timeout, &window, [&window, file, watch, calm = 0]() mutable {
        // Number of ticks to be settled, because animations take longer than one tick.
        constexpr int kCalmTicks = 4;
        calm = window.isSettled() ? calm + 1 : 0;
        if (calm < kCalmTicks) return;
        watch->stop();
        const bool isSaved = savePicture(window.grab().toImage(), file.toStdString()).has_value();
        if (!isSaved) std::fprintf(stderr, "lockstep: %s: cannot write\n", qPrintable(file));
        QCoreApplication::exit(isSaved ? 0 : 3);
    });
    watch->start();
}

// DisplayCheck handles a missing display in the constructor of QApplication. Instead of Qt's abort(), it
// prints a message with a remedy and exits with status 2.
class DisplayCheck {
  public:
    explicit DisplayCheck(const std::vector<std::filesystem::path>& inputs)
    {
        s_inputs = inputs.empty()      ? "REPORTS"
                   : inputs.size() > 1 ? shellQuoted(inputs.front().parent_path().string())
                                       : shellQuoted(inputs.front().string());
        s_before = qInstallMessageHandler(take);
    }
    ~DisplayCheck()
    {
        qInstallMessageHandler(s_before);
        for (const QString& remark : s_remarks)
            qWarning("%s", qPrintable(remark));
    }
    DisplayCheck(const DisplayCheck&) = delete;
    DisplayCheck& operator=(const DisplayCheck&) = delete;

  private:
    static void take(QtMsgType type, const QMessageLogContext&, const QString& text)
    {
        if (type != QtFatalMsg) return s_remarks.append(text.trimmed());
        const bool isNamed = qEnvironmentVariableIsSet("DISPLAY") ||
                             qEnvironmentVariableIsSet("WAYLAND_DISPLAY") ||
                             qEnvironmentVariableIsSet("QT_QPA_PLATFORM");
        const QString message = s_remarks.value(0, text.section('\n', 0, 0));
        const QString reason = isNamed ? message : "neither DISPLAY nor WAYLAND_DISPLAY is set";
        std::fprintf(stderr,
                     "lockstep: cannot open a window: %s\n"
                     "Pictures and tables need no display:\n"
                     "  lockstep --export timeline -o timeline.png %s\n"
                     "  lockstep --export inventory,alignment,cuda_gpu_kern_sum %s\n"
                     "Over SSH, use `ssh -X` to forward the display.\n",
                     qPrintable(reason), s_inputs.c_str(), s_inputs.c_str());
        std::fflush(stderr);
        std::_Exit(exitStatus::kUsage);
    }

    inline static QtMessageHandler s_before = nullptr;
    inline static QStringList s_remarks; // messages from Qt; the first one is the reason
    inline static std::string s_inputs;
};

// Adds the folders of the settings to the environment, where readers look for nsys. No other thread reads it
// yet.
void addNsysFolders(const Settings& settings)
{
    const QByteArray folders = settings.value("nsys/folders").toString().toLocal8Bit();
    const QByteArray existing = qgetenv("LOCKSTEP_NSYS_FOLDERS");
    if (folders.isEmpty()) return;
    qputenv("LOCKSTEP_NSYS_FOLDERS", existing.isEmpty() ? folders : existing + ':' + folders);
}

} // namespace

int runWindow(int argc, char** argv, const std::vector<std::filesystem::path>& inputs, const Workers& workers,
              MemoryBudget& memory, const SpillFolder::Options& disk, std::shared_ptr<DemoRun> demo)
{
    QCoreApplication::setOrganizationName("lockstep");
    QCoreApplication::setApplicationName("lockstep");
    QCoreApplication::setApplicationVersion(LOCKSTEP_VERSION);
    QGuiApplication::setHighDpiScaleFactorRoundingPolicy(Qt::HighDpiScaleFactorRoundingPolicy::PassThrough);
    const WindowArguments arguments = readArguments(argc, argv);
    std::optional<ExitWatchdog> leave; // destroyed last
    std::optional<DisplayCheck> check(std::in_place, inputs);
    QApplication application(argc, argv);
    check.reset();
    QGuiApplication::setApplicationDisplayName("Lockstep");
    QGuiApplication::setDesktopFileName("lockstep");
    keepResources();
    installPlurals();
    QGuiApplication::setWindowIcon(QIcon(":/lockstep/icons/lockstep.svg"));
    // Read the colors of the desktop before they are replaced.
    const bool systemIsDark = QGuiApplication::palette().color(QPalette::Window).lightness() < 128;
    QApplication::setStyle(QStyleFactory::create("Fusion"));

    startLogging();
    installCrashHandler(crashFolder(), &programLog());
    Settings settings;
    addNsysFolders(settings);
    if (memory.limit_bytes() == 0) memory.setLimit(memoryLimit_bytes(settings));
    memory.setDisk(std::make_shared<SpillFolder>(settings.disk(disk)));
    MainWindow window(settings, systemIsDark, workers, memory);
    if (arguments.theme) window.look().setThemeChoice(*arguments.theme);
    if (arguments.size.isValid() && !arguments.size.isEmpty()) {
        window.setWindowState(Qt::WindowNoState);
        window.resize(arguments.size);
    }
    window.show();
    if (arguments.size.isValid()) window.arrangeDocks();
    // With --screenshot, the unsaved work of earlier windows is not offered.
    if (arguments.screenshot.isEmpty()) window.enableRecovery();
    const HangWatch hangs([&window] { return window.runningJobs(); }, crashFolder());
    window.open(inputs);
    if (demo != nullptr) window.demo().begin(std::move(demo));
    if (!arguments.watched.isEmpty()) window.live().watchRun(arguments.watched);
    if (!arguments.goTo.isEmpty()) window.goToOnceOpen(arguments.goTo);
    if (!arguments.screenshot.isEmpty()) leaveWithPicture(window, arguments.screenshot);
    const int status = QApplication::exec();
    window.end();
    leave.emplace(status);
    settings.write();
    return status;
}

} // namespace lockstep
