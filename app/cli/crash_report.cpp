// SPDX-License-Identifier: Apache-2.0
#include "app/cli/crash_report.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <functional>
#include <memory>
#include <optional>

#include <execinfo.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/base/mapped_file.h"
#include "core/base/output_file.h"
#include "core/base/private_file.h"
#include "core/base/text.h"
#include "core/session/secrets.h"

namespace lockstep {

namespace {

namespace fs = std::filesystem;

constexpr std::array kFatalSignals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr size_t kMinSecret_bytes = 6; // as in withoutSecretValues()

// SignalText is a fixed-size text buffer that never allocates memory.
class SignalText {
  public:
    SignalText& operator<<(const char* text)
    {
        while (*text != '\0' && m_size + 1 < m_text.size())
            m_text[m_size++] = *text++;
        m_text[m_size] = '\0';
        return *this;
    }
    // Appends a number in the given base, padded with zeros to `digits`.
    SignalText& number(uint64_t value, unsigned base = 10, int digits = 1)
    {
        std::array<char, 24> reversed{};
        size_t count = 0;
        for (; value > 0 || digits > 0; value /= base, --digits)
            reversed[count++] = "0123456789abcdef"[value % base];
        std::array<char, 2> one{};
        while (count > 0) {
            one[0] = reversed[--count];
            *this << one.data();
        }
        return *this;
    }
    const char* text() const { return m_text.data(); }
    void write(int file) const
    {
        [[maybe_unused]] const ssize_t ignored = ::write(file, m_text.data(), m_size);
    }

  private:
    std::array<char, 4096> m_text{};
    size_t m_size = 0;
};

// Prepared holds everything that the signal handler needs.
struct Prepared {
    std::string folder; // ends with a slash
    std::string program;
    const LogRing* log = nullptr;
    std::atomic<const std::vector<std::string>*> secrets = nullptr;
    std::array<char, 1024> thrown{}; // what() of an uncaught exception
    std::array<char, 32 * 1024> logRoom{};
    std::array<void*, 96> frames{};
    std::array<char, 128 * 1024>
        stack{}; // stack of the handler, because the normal stack may have overflowed
};

Prepared& prepared()
{
    static Prepared made;
    return made;
}

const char* signalName(int signal)
{
    switch (signal) {
    case SIGSEGV:
        return "SIGSEGV";
    case SIGBUS:
        return "SIGBUS";
    case SIGFPE:
        return "SIGFPE";
    case SIGILL:
        return "SIGILL";
    default:
        return "SIGABRT";
    }
}

// Writes "2026-01-02 03:04:05 UTC". Computes the date itself, because the library functions take locks.
void addTime(SignalText& text, int64_t seconds)
{
    const int64_t day = seconds / 86'400, inDay = seconds % 86'400;
    const int64_t shifted = day + 719'468; // days since 1 March of the year 0
    const int64_t era = shifted / 146'097, ofEra = shifted % 146'097;
    const int64_t year = (ofEra - ofEra / 1'460 + ofEra / 36'524 - ofEra / 146'096) / 365;
    const int64_t ofYear = ofEra - (365 * year + year / 4 - year / 100);
    const int64_t month = (5 * ofYear + 2) / 153;
    const auto two = [&](int64_t value) { text.number(static_cast<uint64_t>(value), 10, 2); };
    text.number(static_cast<uint64_t>(year + era * 400 + (month >= 10 ? 1 : 0)), 10, 4) << "-";
    two(month < 10 ? month + 3 : month - 9);
    text << "-";
    two(ofYear - (153 * month + 2) / 5 + 1);
    text << " ";
    two(inDay / 3'600);
    text << ":";
    two(inDay / 60 % 60);
    text << ":";
    two(inDay % 60);
    text << " UTC";
}

void makeFolders(const std::string& folder)
{
    std::array<char, 4096> part{};
    for (size_t i = 0; i < folder.size() && i + 1 < part.size(); ++i) {
        if (folder[i] == '/' && i > 0) ::mkdir(part.data(), 0700); // an existing folder is left unchanged
        part[i] = folder[i];
    }
}

void hideSecrets(char* text, size_t size)
{
    const std::vector<std::string>* const secrets = prepared().secrets.load(std::memory_order_acquire);
    if (secrets == nullptr) return;
    for (const std::string& secret : *secrets) {
        char* at = text;
        while ((at = static_cast<char*>(::memmem(at, size - static_cast<size_t>(at - text), secret.data(),
                                                 secret.size()))) != nullptr) {
            std::memset(at, '*', secret.size());
            at += secret.size();
        }
    }
}

void writeThread(int file)
{
    std::array<char, 32> name{};
    ::prctl(PR_GET_NAME, name.data());
    SignalText text;
    text << "Process ";
    text.number(static_cast<uint64_t>(::getpid())) << ", thread ";
    text.number(static_cast<uint64_t>(::gettid())) << " \"" << name.data() << "\"\n\nStack:\n";
    text.write(file);
}

void writeReport(int signal, const void* address)
{
    Prepared& made = prepared();
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    makeFolders(made.folder);
    SignalText path;
    path << made.folder.c_str() << "crash-";
    path.number(static_cast<uint64_t>(now.tv_sec)) << "-";
    path.number(static_cast<uint64_t>(::getpid())) << ".txt";
    const int file = ::open(path.text(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) return;
    SignalText header;
    header << "Lockstep " LOCKSTEP_VERSION " crashed with " << signalName(signal) << ", ";
    addTime(header, now.tv_sec);
    header << "\n" << made.program.c_str();
    if (signal != SIGABRT) {
        header << "Address 0x";
        header.number(reinterpret_cast<uintptr_t>(address), 16) << "\n";
    }
    if (made.thrown[0] != '\0') header << "Uncaught exception: " << made.thrown.data() << "\n";
    header.write(file);
    writeThread(file);
    const int count = ::backtrace(made.frames.data(), static_cast<int>(made.frames.size()));
    ::backtrace_symbols_fd(made.frames.data(), count, file);
    if (made.log != nullptr) {
        (SignalText() << "\nThe last lines of the log:\n").write(file);
        const size_t size = made.log->copyTail(made.logRoom.data(), made.logRoom.size());
        hideSecrets(made.logRoom.data(), size);
        [[maybe_unused]] const ssize_t ignored = ::write(file, made.logRoom.data(), size);
    }
    ::close(file);
}

// Sanitizers handle these signals themselves and print more information.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kIsSanitized = true;
#else
constexpr bool kIsSanitized = false;
#endif

void takeSignal(int signal, siginfo_t* about, void*)
{
    static std::atomic<pid_t> writer = 0;
    pid_t nobody = 0;
    const pid_t self = ::gettid();
    if (writer.compare_exchange_strong(nobody, self)) {
        writeReport(signal, about->si_addr);
    } else if (nobody != self) {
        for (;;) // another thread is writing the report and will end the program
            ::pause();
    } // if writing failed, the partial report is kept
    ::signal(signal, SIG_DFL);
    ::raise(signal); // the signal is delivered when this handler returns
}

// Records the text of an uncaught exception, then runs the previous terminate handler, which prints it.
std::terminate_handler s_terminateBefore = nullptr;

[[noreturn]] void takeTermination()
{
    if (const std::exception_ptr thrown = std::current_exception()) {
        try {
            std::rethrow_exception(thrown);
        } catch (const std::exception& thrownException) {
            auto& room = prepared().thrown;
            std::strncpy(room.data(), thrownException.what(), room.size() - 1);
            std::replace(room.begin(), room.end(), '\n', ' ');
        } catch (...) {
            std::strncpy(prepared().thrown.data(), "exception of unknown type", 40);
        }
    }
    s_terminateBefore();
    std::abort();
}

std::string systemLine()
{
    utsname system{};
    ::uname(&system);
    return std::string(system.sysname) + " " + system.release + " " + system.machine;
}

// Returns the seconds in a name such as "crash-SECONDS-PID.txt" or "hang-SECONDS-PID.txt".
std::optional<int64_t> secondsInName(const std::string& name)
{
    const bool isOurs = name.ends_with(".txt") && (name.starts_with("crash-") || name.starts_with("hang-"));
    if (!isOurs) return std::nullopt;
    return std::strtoll(name.c_str() + name.find('-') + 1, nullptr, 10);
}

// Returns true for a hang report of a program that is still running.
bool isOfRunningProgram(const std::string& name)
{
    const auto pid = static_cast<pid_t>(std::strtol(name.c_str() + name.rfind('-') + 1, nullptr, 10));
    return name.starts_with("hang-") && pid > 0 && (::kill(pid, 0) == 0 || errno == EPERM);
}

} // namespace

Result<std::string> CrashReport::read() const
{
    const MappedFile file = LOCKSTEP_TRY(MappedFile::open(path));
    return std::string(file.text());
}

fs::path crashFolder()
{
    return userStateFolder() / "crashes";
}

std::vector<CrashReport> pendingCrashReports(const fs::path& folder)
{
    std::vector<std::pair<int64_t, fs::path>> found;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename().string();
        const auto seconds = secondsInName(name);
        if (seconds && entry.is_regular_file(error) && !isOfRunningProgram(name))
            found.emplace_back(*seconds, entry.path());
    }
    std::ranges::sort(found, std::greater());
    for (; found.size() > kMaxCrashReports; found.pop_back())
        fs::remove(found.back().second, error);
    std::vector<CrashReport> reports;
    for (const auto& [seconds, path] : found) {
        CrashReport report{path, {}, path.filename().string().starts_with("hang-")};
        const auto text = report.read();
        report.heading = text ? printable(text->substr(0, std::min(text->find('\n'), size_t(200)))) : "";
        if (report.heading.empty()) report.heading = "Lockstep crashed; its report cannot be read";
        reports.push_back(std::move(report));
    }
    return reports;
}

std::string crashReportsLine(const std::vector<CrashReport>& reports)
{
    if (reports.empty()) return {};
    const std::string path = reports.front().path.string();
    if (reports.size() == 1)
        return "an earlier run crashed: see " + path + " (delete the file to hide this message)";
    return std::to_string(reports.size()) + " earlier runs crashed: see " + path +
           " and the other reports in its folder (delete them to hide this message)";
}

void hideInCrashReports(const TextPairs& secrets)
{
    auto all = std::make_unique<std::vector<std::string>>();
    for (char** pair = environ; *pair != nullptr; ++pair) {
        const std::string_view text = *pair;
        const size_t equals = std::min(text.find('='), text.size());
        if (equals < text.size() && isSecretVariable(text.substr(0, equals)))
            all->emplace_back(text.substr(equals + 1));
    }
    for (const auto& [name, value] : secrets)
        all->push_back(value);
    std::erase_if(*all, [](const std::string& value) { return value.size() < kMinSecret_bytes; });
    std::ranges::sort(*all);
    const auto again = std::ranges::unique(*all);
    all->erase(again.begin(), again.end());
    const auto* const previous = prepared().secrets.load(std::memory_order_acquire);
    if (previous != nullptr && *previous == *all) return;
    // The previous value is never freed, because a handler may be reading it.
    prepared().secrets.store(all.release(), std::memory_order_release);
}

void installCrashHandler(const fs::path& folder, const LogRing* log)
{
    if (kIsSanitized) return;
    Prepared& made = prepared();
    made.folder = folder.string() + "/";
    made.program = systemLine() + "\n";
    made.log = log;
    hideInCrashReports({});
    ::backtrace(made.frames.data(), 1); // called in advance, because the first call loads a library
    stack_t own{};
    own.ss_sp = made.stack.data();
    own.ss_size = made.stack.size();
    ::sigaltstack(&own, nullptr);
    struct sigaction action = {};
    action.sa_sigaction = takeSignal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (const int signal : kFatalSignals)
        ::sigaction(signal, &action, nullptr);
    if (s_terminateBefore == nullptr) s_terminateBefore = std::set_terminate(takeTermination);
}

Result<fs::path> writeHangReport(const fs::path& folder, const std::string& text)
{
    LOCKSTEP_TRY(makePrivateFolders(folder));
    const fs::path path =
        folder / ("hang-" + std::to_string(::time(nullptr)) + "-" + std::to_string(::getpid()) + ".txt");
    OutputFile file = LOCKSTEP_TRY(OutputFile::create(path, 0600));
    file.write(text);
    LOCKSTEP_TRY(file.commit());
    return path;
}

} // namespace lockstep
