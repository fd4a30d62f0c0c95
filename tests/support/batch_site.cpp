// SPDX-License-Identifier: Apache-2.0
#include "tests/support/batch_site.h"

#include <algorithm>

#include <QStandardPaths>
#include <QTest>
#include <sys/stat.h>

#include "tests/support/patience.h"
#include "tests/support/processes_below.h"
#include "tests/support/sqlite_file.h"

namespace lockstep::test {

namespace fs = std::filesystem;

namespace {

// $1 of the export is not used; FOLDER is replaced by the site's.
constexpr std::string_view kNsys = R"sh(#!/bin/sh
case "$1 $2" in
"--version "*) echo "NVIDIA Nsight Systems version 2099.1.1.1-123v0" ;;
"export --help") echo "  -l, --lazy=  --include-json=  -f, --force-overwrite=" ;;
*)
    while [ $# -gt 0 ]; do [ "$1" = "-o" ] && target="$2"; shift; done
    [ -e FOLDER/kill-always ] && kill -9 $PPID
    [ -e FOLDER/kill ] && rm FOLDER/kill && kill -9 $PPID
    if [ -e FOLDER/kill-node ]; then
        if [ "$SLURMD_NODENAME" = "$(cat FOLDER/kill-node)" ]; then
            while [ ! -e FOLDER/other-node ]; do sleep 0.02; done
            kill -9 $PPID
        fi
        : > FOLDER/other-node
    fi
    if [ -e FOLDER/hold ]; then
        : > FOLDER/held
        while [ -e FOLDER/hold ]; do sleep 0.02; done
    fi
    cp FOLDER/ready.db "$target"
    ;;
esac
)sh";

std::string replaced(std::string text, std::string_view mark, const std::string& value)
{
    for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size()))
        text.replace(at, mark.size(), value);
    return text;
}

void touch(const fs::path& path, bool isThere)
{
    std::error_code ignored;
    if (isThere) {
        std::ofstream(path).put('\n');
    } else {
        fs::remove(path, ignored);
    }
}

} // namespace

BatchSite::BatchSite()
{
    const fs::path nsys =
        m_folder.write("bin/nsys", replaced(std::string(kNsys), "FOLDER", folder().string()));
    ::chmod(nsys.c_str(), 0755);
    fs::create_directories(folder() / "home");
    fs::create_directories(folder() / "reports");
    m_environment.insert("LC_ALL", "C");
    m_environment.insert("HOME", QString::fromStdString((folder() / "home").string()));
    m_environment.insert("PATH", QString::fromStdString((folder() / "bin").string()) + ":/usr/bin:/bin");
    runSql(folder() / "ready.db", R"(
        CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);
        INSERT INTO META_DATA_EXPORT VALUES('EXPORT_PRODUCT_VERSION', '2026.1.1.204');
        CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
        INSERT INTO StringIds VALUES(1, 'recorded_gemm');
        CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT, end INT, deviceId INT, contextId INT, streamId INT,
            correlationId INT, globalPid INT, demangledName INT, shortName INT);
        INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(10, 20, 0, 1, 7, 5, 281474993487872, 1, 1);)");
}

BatchSite::~BatchSite()
{
    hold(false); // a waiting nsys whose task ended would never return
}

void BatchSite::addProgram(const std::string& name, std::string script) const
{
    const std::string real = QStandardPaths::findExecutable(QString::fromStdString(name)).toStdString();
    script = replaced(replaced(std::move(script), "REAL", real), "FOLDER", folder().string());
    ::chmod(m_folder.write("bin/" + name, "#!/bin/bash\n" + script).c_str(), 0755);
}

void BatchSite::addTrace(const fs::path& name, int rank, int kernels) const
{
    std::string text = "{\"schemaVersion\": 1, \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": " +
                       std::to_string(rank) + ", \"world_size\": 8}, \"traceEvents\": [\n";
    for (int i = 0; i < kernels; ++i) {
        text +=
            "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"gemm" + std::to_string(i % 5) +
            "\", \"pid\": 0, \"tid\": 7, \"ts\": " + std::to_string(1'694'128'201'000'000 + 10 * i + rank) +
            ", \"dur\": " + std::to_string(2 + i % 3) +
            ", \"args\": {\"device\": 0, \"stream\": 7, \"correlation\": " + std::to_string(i + 1) + "}},\n";
    }
    text += "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 0, \"args\": {\"name\": \"python\"}}\n]}\n";
    m_folder.write(name, text);
}

void BatchSite::addRecording(const fs::path& name, const std::string& content) const
{
    m_folder.write(name, "NVIDIA Tegra Profiler Report 2025@6@1@190-256136895201v0.payload" + content +
                             std::string(8, '\0') + "U3w[END]");
}

void BatchSite::writePlan(const std::string& lines) const
{
    m_folder.write("plan.yaml", plan + lines);
}

void BatchSite::hold(bool isOn) const
{
    if (isOn) touch(folder() / "held", false);
    touch(folder() / "hold", isOn);
}

bool BatchSite::isHeld() const
{
    return fs::exists(folder() / "held");
}

void BatchSite::killCaller(bool isAlways) const
{
    touch(folder() / (isAlways ? "kill-always" : "kill"), true);
}

void BatchSite::killCallersOn(const std::string& node) const
{
    m_folder.write("kill-node", node);
}

void BatchSite::killNobody() const
{
    touch(folder() / "kill-node", false);
    touch(folder() / "kill-always", false);
    touch(folder() / "kill", false);
}

std::unique_ptr<QProcess> BatchSite::start(const QStringList& arguments) const
{
    auto process = std::make_unique<QProcess>();
    process->setProcessEnvironment(m_environment);
    process->setWorkingDirectory(QString::fromStdString(folder().string()));
    process->start(builtProgram("lockstep"), arguments);
    return process;
}

ProgramRun BatchSite::run(const QStringList& arguments) const
{
    const auto process = start(arguments);
    ProgramRun run;
    if (process->waitForFinished(kPatience_ms) && process->exitStatus() == QProcess::NormalExit)
        run.status = process->exitCode();
    run.output = process->readAllStandardOutput();
    run.errors = process->readAllStandardError();
    return run;
}

std::map<std::string, uint64_t> BatchSite::resultInodes() const
{
    std::map<std::string, uint64_t> out;
    std::error_code failed;
    for (fs::directory_iterator entry(results(), failed), end; !failed && entry != end;
         entry.increment(failed)) {
        struct stat found = {};
        if (entry->path().extension() == ".lockstep" && ::stat(entry->path().c_str(), &found) == 0)
            out[entry->path().filename().string()] = found.st_ino;
    }
    return out;
}

size_t BatchSite::resultCount() const
{
    return resultInodes().size();
}

std::map<std::string, std::string> BatchSite::tables(const std::string& name) const
{
    std::map<std::string, std::string> out;
    std::error_code failed;
    for (fs::directory_iterator entry(folder() / name, failed), end; !failed && entry != end;
         entry.increment(failed)) {
        const std::string file = entry->path().filename().string();
        if (file != ".batch" && file != "batch.json") out[file] = contentOf(entry->path());
    }
    return out;
}

std::map<std::string, std::string> BatchSite::exported(const QStringList& words, int status) const
{
    std::error_code ignored;
    fs::remove_all(folder() / "one", ignored);
    const ProgramRun one = run(QStringList{"-o", "one/", "--export"} + words);
    if (one.status != status) qWarning() << "--export ended with" << one.status << one.errors;
    return one.status == status ? tables("one") : std::map<std::string, std::string>();
}

size_t BatchSite::tasksRunning() const
{
    const auto processes = processesBelow(folder());
    return static_cast<size_t>(std::ranges::count_if(processes, [](pid_t pid) {
        const std::string words = procFile("/proc/" + std::to_string(pid) + "/cmdline");
        return words.find(std::string("\0--batch-task", 13)) != std::string::npos;
    }));
}

} // namespace lockstep::test
