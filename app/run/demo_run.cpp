// SPDX-License-Identifier: Apache-2.0
#include "app/run/demo_run.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/private_file.h"
#include "core/base/whole_file.h"
#include "core/remote/run_record.h"

namespace lockstep {

namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 2> kHosts{"demo-a", "demo-b"};
constexpr int kRanksOfHost = 2;
constexpr auto kPatience = std::chrono::seconds(5); // time for an agent to stop

fs::path nextToThisProgram(const char* name)
{
    std::error_code error;
    return fs::read_symlink("/proc/self/exe", error).parent_path() / name;
}

fs::path agentProgram()
{
    const char* const fromEnvironment = std::getenv("LOCKSTEP_AGENT");
    return fromEnvironment != nullptr ? fs::path(fromEnvironment) : nextToThisProgram("lockstep-agent");
}

std::string randomWord()
{
    std::random_device random;
    std::string word;
    for (int i = 0; i < 32; ++i)
        word += "0123456789abcdef"[random() % 16];
    return word;
}

// Locks a file, creating it if needed. Returns its descriptor, which holds the lock until it is closed, or
// -1. Retries if the previous owner removed the file meanwhile.
int lockOf(const fs::path& file, bool waits)
{
    for (;;) {
        const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (fd < 0) return -1;
        struct stat status = {};
        const bool isLocked =
            ::flock(fd, waits ? LOCK_EX : LOCK_EX | LOCK_NB) == 0 && ::fstat(fd, &status) == 0;
        if (isLocked && status.st_nlink > 0) return fd;
        ::close(fd);
        if (!isLocked) return -1;
    }
}

void endProgram(const fs::path& program, const fs::path& runDir)
{
    auto child = ChildProcess::start({.argv = {program.string(), "stop", runDir.string(), "--grace", "0"},
                                      .output = ChildOptions::kNull,
                                      .error = ChildOptions::kNull});
    if (child) child->waitFor(kPatience);
}

// Returns the subfolders of a folder, without symbolic links.
std::vector<fs::path> foldersIn(const fs::path& folder)
{
    std::vector<fs::path> found;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        if (at->is_directory(error) && !at->is_symlink(error)) found.push_back(at->path());
    }
    return found;
}

// Cleans up after a demo that is no longer shown: kills the processes on its hosts, removes the hosts' folder
// and removes the run from the list of known runs.
void clearHostFolders(const fs::path& hostsFolder)
{
    std::error_code ignored; // errors are ignored, because the next demo tries again
    for (const fs::path& run : foldersIn(hostsFolder / "agent" / "agent-runs")) {
        for (const fs::path& host : foldersIn(run))
            endProgram(agentProgram(), host);
        const fs::path record = runsFolder() / run.filename();
        if (!run.filename().empty()) fs::remove_all(record, ignored);
    }
    fs::remove_all(hostsFolder, ignored);
}

// Removes the folder of all demos' hosts if it is empty, and releases `all`, the lock on the demo folder.
void leaveHosts(const fs::path& folder, int all)
{
    std::error_code ignored;
    if (const fs::path hosts = folder / "hosts"; foldersIn(hosts).empty()) {
        fs::remove(hosts / "lock", ignored);
        fs::remove(hosts, ignored);
    }
    ::close(all);
}

// Starts a process of this program in its own session. The new process outlives this one and detects its end
// through their shared socket. If the process cannot be started, the next demo cleans up.
DemoRun::Sweeper beginSweeper(const fs::path& folder, const fs::path& hostsFolder)
{
    std::error_code error;
    const std::string program = fs::read_symlink("/proc/self/exe", error).string();
    int ends[2] = {-1, -1};
    if (error || ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return {};
    auto child = ChildProcess::start({.argv = {program, kSweepDemo, folder.string(), hostsFolder.string()},
                                      .input = ends[0],
                                      .output = ChildOptions::kNull,
                                      .error = ChildOptions::kNull,
                                      .group = ChildGroup::session});
    ::close(ends[0]);
    if (child) return {*std::move(child), ends[1]};
    ::close(ends[1]);
    return {};
}

std::string ownerWord()
{
    const std::string text = wholeFileOrEmpty("/proc/self/stat");
    size_t at = text.rfind(')');
    for (int field = 2; field < 22 && at != std::string::npos; ++field)
        at = text.find(' ', at + 1);
    if (at == std::string::npos) return {};
    return std::to_string(::getpid()) + " " + text.substr(at + 1, text.find(' ', at + 1) - at - 1);
}

} // namespace

fs::path demoFolder()
{
    return userCacheFolder() / "demo";
}

Result<std::shared_ptr<DemoRun>> DemoRun::prepare(const fs::path& folder)
{
    std::error_code error;
    const fs::path whole = fs::absolute(folder, error);
    const fs::path hosts = whole / "hosts";
    const auto refusal = [&whole](const std::string& why) {
        return makeError(ErrorKind::io, whole.string() + ": cannot write the demo: " + why);
    };
    if (const Status made = makePrivateFolders(hosts); !made) return refusal(made.error().message);
    const int all = lockOf(hosts / "lock", true);
    if (all < 0) return refusal(std::strerror(errno));
    for (const fs::path& hostsFolder : foldersIn(hosts)) {
        const int lock = lockOf(hostsFolder / "lock", false);
        if (lock < 0) continue; // another program is showing this demo
        clearHostFolders(hostsFolder);
        ::close(lock);
    }
    const fs::path hostsFolder = hosts / randomWord().substr(0, 8);
    int lock = -1;
    if (const Status made = makePrivateFolders(hostsFolder); made) lock = lockOf(hostsFolder / "lock", false);
    const std::string why = std::strerror(errno);
    ::close(all);
    if (lock < 0) return refusal(why);
    std::shared_ptr<DemoRun> demo(new DemoRun(whole, hostsFolder, lock));
    for (const char* const host : kHosts)
        LOCKSTEP_TRY(makePrivateFolders(hostsFolder / host));
    if (const fs::path program = nextToThisProgram("lockstep-demo-rank"); !fs::exists(program, error))
        return makeError(ErrorKind::notFound,
                         program.string() + ": not installed; install the whole package");
    return demo;
}

DemoRun::DemoRun(fs::path folder, fs::path hostsFolder, int lock)
    : m_folder(std::move(folder)), m_hostsFolder(std::move(hostsFolder)), m_lock(lock),
      m_meeting("lockstep-demo-" + randomWord()), m_sweeper(beginSweeper(m_folder, m_hostsFolder))
{
}

DemoRun::~DemoRun()
{
    clearHostFolders(m_hostsFolder);
    ::close(m_lock);
    if (const int all = lockOf(m_folder / "hosts" / "lock", false); all >= 0) leaveHosts(m_folder, all);
    if (!m_sweeper.process.isRunning()) return;
    // Any byte makes the sweeper end at once.
    while (::send(m_sweeper.end, "\n", 1, MSG_NOSIGNAL) < 0 && errno == EINTR) {
    }
    ::close(m_sweeper.end);
    m_sweeper.process.wait();
}

int sweepDemo(const fs::path& folder, const fs::path& hostsFolder)
{
    std::signal(SIGHUP, SIG_IGN);
    if (::chdir("/") != 0) return 1;
    char word = 0;
    ssize_t got = 0;
    while ((got = ::read(STDIN_FILENO, &word, 1)) < 0 && errno == EINTR) {
    }
    if (got > 0) return 0; // the demo ended normally
    const int all = lockOf(folder / "hosts" / "lock", true);
    if (all < 0) return 0;
    std::error_code error;
    // Block until the lock is free, because the sockets of a killed process may be closed before its locks
    // are released.
    const int lock = fs::is_directory(hostsFolder, error) ? lockOf(hostsFolder / "lock", true) : -1;
    if (lock >= 0) {
        clearHostFolders(hostsFolder);
        ::close(lock);
    }
    leaveHosts(folder, all);
    return 0;
}

SessionConfig DemoRun::session() const
{
    SessionConfig session;
    session.name = "demo";
    session.framework = Framework::plain;
    session.launcher.kind = LauncherKind::local;
    session.launcher.agentFolder = (m_hostsFolder / "agent").string();
    for (const char* const name : kHosts) {
        Host host;
        host.name = name;
        session.hosts.push_back(host);
    }
    session.command = {nextToThisProgram("lockstep-demo-rank").string()};
    session.environment = {{"LOCKSTEP_DEMO_MEETING", m_meeting}, {"LOCKSTEP_DEMO_OWNER", ownerWord()}};
    session.totalSteps = 3;
    session.tool = Tool::capture;
    session.savePath = "reports";
    session.capture.role = "trainer";
    session.capture.ranks = std::vector<int64_t>{0, 1, 2, 3};
    return session;
}

void DemoRun::adapt(LaunchPlan& plan) const
{
    for (size_t i = 0; i < plan.hosts.size(); ++i) {
        HostPlan& host = plan.hosts[i];
        host.workingFolder = (m_hostsFolder / host.host).string();
        host.environment.emplace_back("LOCKSTEP_HOST", host.host);
        host.environment.emplace_back("LOCKSTEP_DEMO_FIRST_RANK", std::to_string(kRanksOfHost * i));
    }
}

} // namespace lockstep
