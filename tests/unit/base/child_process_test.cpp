// SPDX-License-Identifier: Apache-2.0
// Tests how programs are started, signaled and reaped: streams, environment, folder, signals and errors.
#include "core/base/child_process.h"

#include <array>
#include <csignal>
#include <cstdlib>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace std::chrono_literals;

namespace {

// Runs a script with the options and returns what it printed.
std::string printedBy(const std::string& script, ChildOptions options)
{
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return "no pipe";
    options.argv = {"sh", "-c", script};
    options.output = pipe[1];
    auto child = ChildProcess::start(options);
    ::close(pipe[1]);
    if (!child) return child.error().message;
    std::string text;
    std::array<char, 256> buffer;
    for (ssize_t got = 0; (got = ::read(pipe[0], buffer.data(), buffer.size())) > 0;)
        text.append(buffer.data(), static_cast<size_t>(got));
    ::close(pipe[0]);
    child->wait();
    return text;
}

bool exists(pid_t pid)
{
    return ::kill(pid, 0) == 0;
}

} // namespace

class ChildProcessTest : public QObject {
    Q_OBJECT

  private slots:
    void environmentAndFolder()
    {
        const test::TempDir folder;
        ::setenv("LOCKSTEP_CHILD", "parent", 1);
        QCOMPARE(printedBy("echo $LOCKSTEP_CHILD", {}), std::string("parent\n"));
        QCOMPARE(printedBy("env | grep ^LOCKSTEP_CHILD",
                           {.environment = {"LOCKSTEP_CHILD=first", "LOCKSTEP_CHILD=last"}}),
                 std::string("LOCKSTEP_CHILD=last\n"));
        QCOMPARE(printedBy("pwd", {.workingFolder = folder.path()}), folder.path().string() + "\n");
    }

    // The program is searched in the child's PATH. A script without an interpreter line is run by sh.
    void pathOfTheChild()
    {
        const test::TempDir folder;
        const auto program = folder.write("lockstep-test-program", "exit 3\n");
        const std::string path = "PATH=/nowhere:" + folder.path().string();
        const ChildOptions options{.argv = {"lockstep-test-program"}, .environment = {path}};
        QCOMPARE(ChildProcess::start(options).error().kind, ErrorKind::invalid); // not executable
        std::filesystem::permissions(program, std::filesystem::perms::owner_all);
        QCOMPARE(exitStatusOf(ChildProcess::start(options)->wait()), 3);
        const auto absent = ChildProcess::start({.argv = {"lockstep-test-program"}});
        QCOMPARE(absent.error().kind, ErrorKind::notFound);
        QCOMPARE(absent.error().message,
                 std::string("lockstep-test-program: cannot start: not found in PATH on this host"));
    }

    void errors()
    {
        QCOMPARE(ChildProcess::start({}).error().kind, ErrorKind::invalid);
        QCOMPARE(ChildProcess::start({.argv = {"/"}}).error().message,
                 std::string("/: cannot start: Permission denied"));
        QCOMPARE(ChildProcess::start({.argv = {"sh"}, .workingFolder = "/nowhere"}).error().message,
                 std::string("/nowhere: cannot use as working folder: No such file or directory"));
        QVERIFY(::waitpid(-1, nullptr, WNOHANG) < 0); // no child that failed remains
    }

    void streams()
    {
        QCOMPARE(printedBy("cat; echo end", {.input = ChildOptions::kNull}), std::string("end\n"));
        QCOMPARE(printedBy("ls -l /proc/self/fd/2 | grep -c /dev/null", {.error = ChildOptions::kNull}),
                 std::string("1\n"));
    }

    // A standard stream of this process may become another one of the child.
    void exchangedStreams()
    {
        std::array<int, 2> out{}, err{};
        QVERIFY(::pipe2(out.data(), O_CLOEXEC) == 0 && ::pipe2(err.data(), O_CLOEXEC) == 0);
        const int savedOut = ::fcntl(1, F_DUPFD_CLOEXEC, 3), savedErr = ::fcntl(2, F_DUPFD_CLOEXEC, 3);
        ::dup2(out[1], 1);
        ::dup2(err[1], 2);
        auto child =
            ChildProcess::start({.argv = {"sh", "-c", "echo o; echo e >&2"}, .output = 2, .error = 1});
        if (child) child->wait();
        ::dup2(savedOut, 1);
        ::dup2(savedErr, 2);
        std::array<char, 8> text{};
        QCOMPARE(::read(err[0], text.data(), text.size()), ssize_t(2));
        QCOMPARE(text[0], 'o');
        QCOMPARE(::read(out[0], text.data(), text.size()), ssize_t(2));
        QCOMPARE(text[0], 'e');
        for (const int fd : {out[0], out[1], err[0], err[1], savedOut, savedErr})
            ::close(fd);
    }

    void signalsOfTheChild()
    {
        const auto before = std::signal(SIGPIPE, SIG_IGN);
        const std::string ownEnd = "kill -PIPE $$; echo ignored";
        QCOMPARE(printedBy(ownEnd, {}), std::string("ignored\n"));
        QCOMPARE(printedBy(ownEnd, {.defaultSignals = {SIGPIPE}}), std::string());
        std::signal(SIGPIPE, before);
        sigset_t blocked, old;
        ::sigemptyset(&blocked);
        ::sigaddset(&blocked, SIGUSR1);
        ::pthread_sigmask(SIG_BLOCK, &blocked, &old);
        const std::string user = "kill -USR1 $$; echo blocked";
        QCOMPARE(printedBy(user, {}), std::string("blocked\n"));
        QCOMPARE(printedBy(user, {.clearsSignalMask = true}), std::string());
        sigset_t now;
        ::pthread_sigmask(SIG_SETMASK, &old, &now);
        QVERIFY(::sigismember(&now, SIGUSR1) == 1 && ::sigismember(&now, SIGUSR2) == 0);
    }

    void groupsAndSessions()
    {
        auto own = ChildProcess::start({.argv = {"sleep", "600"}, .group = ChildGroup::own}).value();
        QCOMPARE(::getpgid(own.pid()), own.pid());
        QCOMPARE(::getsid(own.pid()), ::getsid(0));
        auto session = ChildProcess::start({.argv = {"sleep", "600"}, .group = ChildGroup::session}).value();
        QCOMPARE(::getsid(session.pid()), session.pid());
        QVERIFY(!own.poll() && own.isRunning());
        QVERIFY(!own.waitFor(10ms));
        own.signal(SIGTERM);
        QCOMPARE(exitStatusOf(own.wait()), 128 + SIGTERM);
        QVERIFY(!own.isRunning());
        // The destructor kills and reaps; a released process continues.
        const pid_t killed = session.pid();
        session = ChildProcess();
        QVERIFY(!exists(killed));
        pid_t released = 0;
        {
            auto child = ChildProcess::start({.argv = {"sleep", "600"}}).value();
            released = child.pid();
            child.release();
        }
        QVERIFY(exists(released));
        ::kill(released, SIGKILL);
        QCOMPARE(::waitpid(released, nullptr, 0), released);
    }

    // Descendants in the group are killed even after the program has ended.
    void groupOutlivesItsLeader()
    {
        std::array<int, 2> pipe{};
        QVERIFY(::pipe2(pipe.data(), O_CLOEXEC) == 0);
        auto child = ChildProcess::start(
                         {.argv = {"sh", "-c", "sleep 600 &"}, .output = pipe[1], .group = ChildGroup::own})
                         .value();
        ::close(pipe[1]);
        QCOMPARE(exitStatusOf(child.wait()), 0);
        child.signal(SIGKILL);
        char byte = 0;
        QCOMPARE(::read(pipe[0], &byte, 1), ssize_t(0)); // blocks while the descendant is alive
        ::close(pipe[0]);
    }

    void endsWithItsParent()
    {
        std::array<int, 2> pipe{};
        QVERIFY(::pipe2(pipe.data(), O_CLOEXEC) == 0);
        const pid_t middle = ::fork();
        if (middle == 0) {
            auto child =
                ChildProcess::start({.argv = {"sleep", "600"}, .output = pipe[1], .endsWithThread = true});
            ::_exit(child ? 0 : 1);
        }
        ::close(pipe[1]);
        int status = 0;
        QCOMPARE(::waitpid(middle, &status, 0), middle);
        QCOMPARE(status, 0);
        char byte = 0;
        QCOMPARE(::read(pipe[0], &byte, 1), ssize_t(0));
        ::close(pipe[0]);
    }
};

LOCKSTEP_TEST(ChildProcessTest, "child_process_test")
#include "child_process_test.moc"
