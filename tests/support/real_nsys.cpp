// SPDX-License-Identifier: Apache-2.0
#include "tests/support/real_nsys.h"

#include <fstream>

#include <QDebug>
#include <QProcess>

#include "tests/support/patience.h"
#include "tests/support/places.h"

namespace lockstep::test {

namespace {

namespace fs = std::filesystem;

constexpr int kUnavailable = 77; // exit status of the script

constexpr const char* kNvtxProgram = R"c(
#include <nvtx3/nvToolsExt.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void* fetch(void* unused)
{
    nvtxRangePushA("fetch, \"quoted\"");
    usleep(2000);
    nvtxRangePop();
    return unused;
}

static void range(nvtxDomainHandle_t domain, const char* name)
{
    nvtxEventAttributes_t attributes = {0};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = name;
    nvtxDomainRangePushEx(domain, &attributes);
    usleep(1000);
    nvtxDomainRangePop(domain);
}

int main(int argc, char** argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 1;
    nvtxDomainHandle_t model = nvtxDomainCreateA("model");
    for (int step = 1; step <= steps; ++step) {
        nvtxRangePushA("step");
        nvtxRangeId_t exchange = nvtxRangeStartA("exchange");
        pthread_t thread;
        pthread_create(&thread, 0, fetch, 0);
        range(model, "forward");
        range(model, "backward");
        close(open("/proc/self/maps", O_RDONLY));
        pthread_join(thread, 0);
        nvtxRangeEnd(exchange);
        nvtxMarkA("updated");
        nvtxRangePop();
        printf("step:%d - loss:0.5\n", step);
        fflush(stdout);
    }
    return 0;
}
)c";

NsysRun runProgram(const QString& program, const QStringList& arguments, const fs::path& folder,
                   const QProcessEnvironment& environment)
{
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.setProcessEnvironment(environment);
    process.setWorkingDirectory(QString::fromStdString(folder.string()));
    process.start(program, arguments);
    NsysRun run;
    if (process.waitForFinished(kPatience_ms) && process.exitStatus() == QProcess::NormalExit)
        run.status = process.exitCode();
    run.output = process.readAllStandardOutput();
    return run;
}

RealNsys fetched()
{
    const fs::path folder =
        fs::path(builtProgram("x").toStdString()).parent_path().parent_path() / "real-nsys";
    QProcess process;
    process.start("bash", {QString::fromStdString((sourceFolder() / "tests/support/real_nsys.sh").string()),
                           QString::fromStdString(folder.string())});
    RealNsys found;
    const bool isOver = process.waitForFinished(kPatience_ms) && process.exitStatus() == QProcess::NormalExit;
    const QByteArray said = process.readAllStandardError().trimmed();
    if (isOver && process.exitCode() == 0) {
        found.folder = process.readAllStandardOutput().trimmed().toStdString();
    } else if (isOver && process.exitCode() == kUnavailable) {
        found.problem = said.split('\n').back().toStdString();
    } else {
        qFatal("real_nsys.sh failed: %s", said.constData());
    }
    return found;
}

} // namespace

const RealNsys& realNsys()
{
    static const RealNsys found = fetched();
    return found;
}

NsysRun runNsys(const fs::path& scratch, const QStringList& arguments, const fs::path& program)
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("HOME", QString::fromStdString(scratch.string()));
    environment.insert("TMPDIR", QString::fromStdString(scratch.string()));
    return runProgram(QString::fromStdString(program.string()), arguments, scratch, environment);
}

NsysRun profile(const fs::path& scratch, const std::string& name, const QStringList& arguments,
                const fs::path& program)
{
    constexpr int kTries = 3;
    NsysRun run;
    for (int i = 0; i < kTries; ++i) {
        run =
            runNsys(scratch, QStringList{"profile", "-o", QString::fromStdString(name)} + arguments, program);
        if (fs::exists(scratch / (name + ".nsys-rep")) || fs::exists(scratch / (name + ".qdstrm"))) break;
        qWarning() << "nsys profile left nothing:" << run.status << run.output;
    }
    return run;
}

std::string buildNvtxProgram(const fs::path& program)
{
    const fs::path source = program.string() + ".c";
    std::ofstream(source) << kNvtxProgram;
    const QString include = QString::fromStdString((realNsys().folder / "nvtx/include").string());
    const NsysRun run = runProgram("cc",
                                   {"-O1", "-I" + include, QString::fromStdString(source.string()), "-o",
                                    QString::fromStdString(program.string()), "-ldl", "-pthread"},
                                   program.parent_path(), QProcessEnvironment::systemEnvironment());
    return run.status == 0 ? "" : "cc: " + run.output.toStdString();
}

fs::path record(const fs::path& scratch, const std::string& name, int steps, const QStringList& options,
                const fs::path& program)
{
    const std::string problem = buildNvtxProgram(scratch / "nvtx_program");
    if (!problem.empty()) qFatal("%s", problem.c_str());
    const NsysRun run = profile(scratch, name,
                                QStringList{"--sample=none", "--cpuctxsw=none"} + options +
                                    QStringList{"./nvtx_program", QString::number(steps)},
                                program);
    if (run.status != 0) qWarning() << "nsys profile ended with" << run.status << run.output;
    return scratch / (name + ".nsys-rep");
}

} // namespace lockstep::test
