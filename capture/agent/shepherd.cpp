#include "capture/agent/shepherd.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/agent/run_folder.h"

namespace lockstep::agent {

namespace {

namespace fs = std::filesystem;

// One stream of the program on its way into a log file.
struct Drain {
    int from = -1;
    int to = -1;
    uint64_t dropped = 0;

    // False once the program closed its end.
    bool pump()
    {
        std::array<char, 65536> buffer;
        const ssize_t got = ::read(from, buffer.data(), buffer.size());
        if (got < 0) return errno == EINTR || errno == EAGAIN;
        size_t done = 0;
        while (done < static_cast<size_t>(got)) {
            const ssize_t put = ::write(to, buffer.data() + done, static_cast<size_t>(got) - done);
            if (put < 0 && errno == EINTR) continue;
            if (put <= 0) break;
            done += static_cast<size_t>(put);
        }
        dropped += static_cast<size_t>(got) - done;
        return got > 0;
    }
};

// In the child after fork: becomes the program, or tells why not through errorPipe.
[[noreturn]] void becomeProgram(const Command& command, int out, int err, int errorPipe)
{
    ::setsid();
    ::dup2(out, STDOUT_FILENO);
    ::dup2(err, STDERR_FILENO);
    const int none = ::open("/dev/null", O_RDONLY);
    ::dup2(none, STDIN_FILENO);
    for (const auto& [name, value] : command.environment) ::setenv(name.c_str(), value.c_str(), 1);
    std::string failed;
    if (!command.workingFolder.empty() && ::chdir(command.workingFolder.c_str()) != 0) {
        failed = command.workingFolder.string() + ": cannot enter: " + std::strerror(errno);
    } else {
        std::vector<char*> argv;
        for (const std::string& argument : command.argv) argv.push_back(const_cast<char*>(argument.c_str()));
        argv.push_back(nullptr);
        ::execvp(argv[0], argv.data());
        failed = command.argv[0] + ": cannot start: " + std::strerror(errno);
    }
    const ssize_t told = ::write(errorPipe, failed.data(), failed.size());
    ::_exit(told >= 0 ? 127 : 126);
}

std::string readAll(int fd)
{
    std::string text;
    std::array<char, 512> buffer;
    for (ssize_t got = ::read(fd, buffer.data(), buffer.size()); got > 0; got = ::read(fd, buffer.data(), buffer.size())) {
        text.append(buffer.data(), static_cast<size_t>(got));
    }
    return text;
}

// Pumps both streams until the program ended and its pipes are dry, or half a second after its end when descendants
// keep them open; then only waits for those to be adopted elsewhere.
int pumpUntilEnd(int child, Drain& out, Drain& err)
{
    int status = 0;
    bool ended = false;
    for (int idleRounds = 0; !ended || idleRounds < 5;) {
        std::array<pollfd, 2> polled{{{out.from, POLLIN, 0}, {err.from, POLLIN, 0}}};
        const int ready = ::poll(polled.data(), polled.size(), 100);
        bool open = false;
        for (size_t i = 0; i < polled.size() && ready > 0; ++i) {
            Drain& drain = i == 0 ? out : err;
            if (polled[i].revents == 0) continue;
            if (drain.pump()) open = true;
            else drain.from = -1; // poll ignores negative descriptors
        }
        idleRounds = open ? 0 : idleRounds + 1;
        if (!ended && ::waitpid(child, &status, WNOHANG) == child) ended = true;
        if (out.from < 0 && err.from < 0) {
            if (!ended) ::waitpid(child, &status, 0);
            break;
        }
        while (ended && ::waitpid(-1, nullptr, WNOHANG) > 0) {}
    }
    return status;
}

int openLog(const fs::path& path)
{
    return ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
}

void writeExit(const fs::path& folder, int status, const std::string& reason, uint64_t dropped)
{
    nlohmann::json exit;
    exit["code"] = WIFEXITED(status) && reason.empty() ? WEXITSTATUS(status) : -1;
    exit["signal"] = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    exit["reason"] = reason;
    exit["dropped_bytes"] = dropped;
    // A full disk must not lose how the run ended: try until it works.
    while (!writeTextFile(folder / "exit.json", exit.dump())) ::sleep(1);
}

[[noreturn]] void shepherd(const Command& command, const fs::path& folder, int startedPipe)
{
    ::setsid();
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    ::signal(SIGHUP, SIG_IGN);
    ::signal(SIGPIPE, SIG_IGN);
    std::array<int, 2> outPipe{}, errPipe{}, execPipe{};
    const bool piped = ::pipe2(outPipe.data(), O_CLOEXEC) == 0 && ::pipe2(errPipe.data(), O_CLOEXEC) == 0 &&
                       ::pipe2(execPipe.data(), O_CLOEXEC) == 0;
    const int child = piped ? ::fork() : -1;
    if (child == 0) becomeProgram(command, outPipe[1], errPipe[1], execPipe[1]);
    if (child > 0) {
        if (!RunFolder::writeMark(folder / "child.pid", child)) {} // ended already, or no room: exit.json will tell
    }
    if (!RunFolder::writeMark(folder / "shepherd.pid", ::getpid())) {}
    ::close(startedPipe);
    for (const int fd : {outPipe[1], errPipe[1], execPipe[1], STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::close(fd);
    if (child < 0) {
        writeExit(folder, 0, "cannot start a process: " + std::string(std::strerror(errno)), 0);
        ::_exit(1);
    }
    const std::string reason = readAll(execPipe[0]);
    Drain out{outPipe[0], openLog(folder / "stdout.log"), 0}, err{errPipe[0], openLog(folder / "stderr.log"), 0};
    const int status = pumpUntilEnd(child, out, err);
    writeExit(folder, status, reason, out.dropped + err.dropped);
    ::_exit(0);
}

int parentOf(int pid)
{
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    std::getline(file, text);
    const size_t nameEnd = text.rfind(')');
    if (nameEnd == std::string::npos) return 0;
    std::istringstream fields(text.substr(nameEnd + 1));
    std::string state;
    int parent = 0;
    fields >> state >> parent;
    return parent;
}

std::set<int> descendantsOf(int root)
{
    std::set<int> all{root};
    for (bool grew = true; grew;) {
        grew = false;
        std::error_code error;
        for (const auto& entry : fs::directory_iterator("/proc", error)) {
            const int pid = std::atoi(entry.path().filename().c_str());
            if (pid > 0 && !all.contains(pid) && all.contains(parentOf(pid))) grew = all.insert(pid).second || grew;
        }
    }
    all.erase(root);
    return all;
}

} // namespace

Result<bool> startShepherd(const Command& command, const fs::path& folder)
{
    if (command.argv.empty()) return makeError(ErrorKind::invalid, "command " + command.name + " has no words");
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) return makeError(ErrorKind::io, folder.string() + ": cannot create: " + error.message());
    std::array<int, 2> started{};
    if (::pipe2(started.data(), O_CLOEXEC) != 0) return makeError(ErrorKind::io, "cannot make a pipe");
    const int middle = ::fork(); // twice, so that the shepherd is nobody's child
    if (middle == 0) {
        if (::fork() == 0) shepherd(command, folder, started[1]);
        ::_exit(0);
    }
    ::close(started[1]);
    if (middle > 0) ::waitpid(middle, nullptr, 0);
    char byte = 0;
    const ssize_t got = ::read(started[0], &byte, 1); // returns 0 when the shepherd closed its end: it runs
    ::close(started[0]);
    if (middle < 0 || got < 0) return makeError(ErrorKind::io, "cannot start a process: " + std::string(std::strerror(errno)));
    return true;
}

Result<CommandExit> readExit(const fs::path& folder)
{
    const std::string text = LOCKSTEP_TRY(readTextFile(folder / "exit.json"));
    const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object()) return makeError(ErrorKind::corrupt, (folder / "exit.json").string() + ": not readable");
    return CommandExit{json.value("code", -1), json.value("signal", 0), json.value("reason", std::string()),
                       json.value("dropped_bytes", uint64_t(0))};
}

void signalCommand(const fs::path& folder, int signal)
{
    if (const auto child = RunFolder::readMark(folder / "child.pid")) ::kill(-child->pid, signal);
    if (const auto shepherdMark = RunFolder::readMark(folder / "shepherd.pid")) {
        for (const int pid : descendantsOf(shepherdMark->pid)) ::kill(pid, signal);
    }
}

} // namespace lockstep::agent
