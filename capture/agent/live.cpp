// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <optional>
#include <thread>

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/agent/agent_commands.h"
#include "capture/agent/event_log.h"
#include "capture/agent/live_sender.h"
#include "capture/agent/node_plan.h"
#include "capture/agent/report_scan.h"
#include "capture/agent/run_folder.h"
#include "core/base/text.h"
#include "core/readers/capture_spool/live_stream.h"

namespace lockstep::agent {

namespace {

using namespace std::chrono_literals;

// SlowOutput supports a slow reader: at most one frame is pending here, and blocks that are not requested are
// skipped.
class SlowOutput {
  public:
    bool isEmpty() const { return m_done == m_bytes.size(); }
    void setFrame(std::string bytes)
    {
        m_bytes = std::move(bytes);
        m_done = 0;
    }
    // Writes what fits now. If nothing fits, waits for this time at most. Returns false if the reader is
    // gone.
    bool flush(std::chrono::milliseconds patience)
    {
        constexpr size_t kAtOnce_bytes = 4096; // a pipe with room accepts at least this much
        while (!isEmpty()) {
            pollfd out{STDOUT_FILENO, POLLOUT, 0};
            const int ready = ::poll(&out, 1, static_cast<int>(patience.count()));
            if (ready < 0 && errno != EINTR) return false;
            if (ready <= 0) return true;
            if ((out.revents & (POLLERR | POLLNVAL)) != 0) return false;
            const size_t size = std::min(kAtOnce_bytes, m_bytes.size() - m_done);
            const ssize_t count = ::write(STDOUT_FILENO, m_bytes.data() + m_done, size);
            if (count < 0 && errno != EINTR && errno != EAGAIN) return false;
            if (count > 0) m_done += static_cast<size_t>(count);
        }
        return true;
    }

  private:
    std::string m_bytes;
    size_t m_done = 0;
};

// LiveInput reads the lines of standard input, which the client keeps open for as long as it wants data.
class LiveInput {
  public:
    bool isOpen() const { return m_isOpen; }
    // Returns the next complete line without its end, or nullopt if there is none within this time.
    std::optional<std::string> nextLine(std::chrono::milliseconds patience)
    {
        for (;;) {
            if (const size_t end = m_text.find('\n'); end != std::string::npos) {
                std::string line = m_text.substr(0, end);
                m_text.erase(0, end + 1);
                return line;
            }
            pollfd in{STDIN_FILENO, POLLIN, 0};
            if (!m_isOpen || ::poll(&in, 1, static_cast<int>(patience.count())) <= 0) return std::nullopt;
            std::array<char, 4096> bytes;
            const ssize_t count =
                (in.revents & POLLNVAL) != 0 ? 0 : ::read(STDIN_FILENO, bytes.data(), bytes.size());
            m_isOpen = count > 0 && m_text.size() <= kMaxLine_bytes;
            if (count > 0) m_text.append(bytes.data(), static_cast<size_t>(count));
        }
    }

  private:
    static constexpr size_t kMaxLine_bytes = 1 << 20;

    std::string m_text;
    bool m_isOpen = true;
};

struct LiveArguments {
    std::string folder;
    LiveOptions options;
    bool hasHave = false;
};

// Parses "30s", "30", "1500ms".
std::optional<double> secondsFrom(std::string text)
{
    double unit = 1;
    if (text.ends_with("ms")) {
        unit = 1e-3;
        text.resize(text.size() - 2);
    } else if (text.ends_with("s")) {
        text.resize(text.size() - 1);
    }
    const auto number = parseDouble(text);
    return number ? std::optional(*number * unit) : std::nullopt;
}

Result<LiveArguments> parseLiveArguments(Arguments arguments)
{
    LiveArguments parsed;
    for (size_t i = 0; i < arguments.size(); ++i) {
        const std::string& word = arguments[i];
        const std::string value = i + 1 < arguments.size() ? arguments[i + 1] : "";
        if (word == "--last") {
            const auto last_s = secondsFrom(value);
            if (!last_s || !(*last_s >= 0) || *last_s > 86'400)
                return makeError(ErrorKind::invalid,
                                 "--last needs a number of seconds from 0 to 86400, not " + value);
            parsed.options.retention_ns = static_cast<int64_t>(*last_s * 1e9);
            ++i;
        } else if (word == "--rate") {
            const auto rate = parseDouble(value);
            if (!rate || !(*rate >= 1000) || *rate > 1e12)
                return makeError(ErrorKind::invalid,
                                 "--rate needs a number of bytes per second, at least 1000, not " + value);
            parsed.options.rate_bytesPerS = *rate;
            ++i;
        } else if (word == "--have") {
            parsed.hasHave = true;
        } else if (parsed.folder.empty() && !word.starts_with("--")) {
            parsed.folder = word;
        } else {
            return makeError(ErrorKind::invalid, "live: unknown argument " + word);
        }
    }
    if (parsed.folder.empty()) return makeError(ErrorKind::invalid, "live needs a run folder");
    return parsed;
}

// Reads the state of a reader that lost its link: {"have": {ID: first block that it lacks}}.
Status readHave(LiveInput& input, LiveOptions& options)
{
    std::optional<std::string> line;
    while (!line && input.isOpen())
        line = input.nextLine(100ms);
    const Json state = LOCKSTEP_TRY(objectFromJson(line.value_or(""), "the first line of standard input"));
    for (const auto& [id, sequence] : objectAt(state, "have").items()) {
        if (const auto number = integerOf(sequence); number && *number >= 0)
            options.have[id] = static_cast<uint64_t>(*number);
    }
    return {};
}

// Returns the start time of the run, which is the time when its plan was written.
int64_t beganAt_ns(const RunFolder& folder)
{
    constexpr int64_t kSlack_ns = 2'000'000'000; // tolerance for the clock of a file server
    struct stat status = {};
    if (::stat(folder.planFile().c_str(), &status) != 0) return INT64_MIN;
    return int64_t(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec - kSlack_ns;
}

// RunEnd checks whether the run has ended.
class RunEnd {
  public:
    explicit RunEnd(const RunFolder& folder) : m_reader(folder.eventsFile()) {}
    bool hasEnded()
    {
        for (std::string_view line = m_reader.next(); !line.empty() && !m_hasEnded; line = m_reader.next())
            m_hasEnded = isRunEnd(line);
        return m_hasEnded;
    }

  private:
    EventReader m_reader;
    bool m_hasEnded = false;
};

// Checking a thousand files uses at most a twentieth of a CPU core.
constexpr int kTimesCost = 20;
constexpr std::chrono::milliseconds kMaxPause = 1500ms;

// Carries out {"drop": NUMBER}.
void readCommands(LiveInput& input, LiveSender& sender)
{
    while (const auto line = input.nextLine(0ms)) {
        if (const auto number = numberAt(jsonFrom(*line), "drop"); number && *number > 0)
            sender.drop(static_cast<uint64_t>(*number));
    }
}

int sendLive(const RunFolder& folder, const std::vector<std::string>& roots, const LiveOptions& options,
             LiveInput& input)
{
    const ReportScanner scanner(roots);
    LiveSender sender(options);
    SlowOutput output;
    RunEnd end(folder);
    const auto findEvery = folder.pollingInterval(500ms), lookEvery = folder.pollingInterval(50ms);
    auto lastFind = LiveSender::Clock::time_point(), lastLook = lastFind;
    LiveSender::Clock::duration pause = lookEvery;
    for (readCommands(input, sender); input.isOpen(); readCommands(input, sender)) {
        const auto now = LiveSender::Clock::now();
        // Checked before the last read, so that everything written before the end is included.
        const bool isOver = end.hasEnded();
        if (isOver || now - lastFind >= findEvery) {
            sender.findFiles(scanner.folders());
            lastFind = now;
        }
        if (isOver || now - lastLook >= pause) {
            const auto begun = LiveSender::Clock::now();
            sender.poll();
            lastLook = LiveSender::Clock::now();
            pause = std::clamp<LiveSender::Clock::duration>(kTimesCost * (lastLook - begun), lookEvery,
                                                            kMaxPause);
        }
        if (output.isEmpty()) output.setFrame(sender.next(now));
        if (output.isEmpty()) {
            if (isOver && sender.isAllSent()) {
                output.setFrame(liveFrame(liveWord::kEnd, Json::object()));
                for (; !output.isEmpty() && input.isOpen(); readCommands(input, sender))
                    if (!output.flush(100ms)) return 1;
                return 0;
            }
            std::this_thread::sleep_for(std::min<std::chrono::milliseconds>(lookEvery, 20ms));
        } else if (!output.flush(100ms)) {
            return 1;
        }
    }
    return 0;
}

} // namespace

int liveCommand(Arguments arguments)
{
    auto parsed = parseLiveArguments(arguments);
    if (!parsed) return printError(parsed.error().message, 2);
    const RunFolder folder(std::filesystem::absolute(parsed->folder));
    const auto roots = reportRootsOfRun(folder);
    if (!roots) return printError(parsed->folder + ": not a run folder: " + roots.error().message, 1);
    LiveInput input;
    if (parsed->hasHave) {
        if (const auto haveStatus = readHave(input, parsed->options); !haveStatus)
            return printError(haveStatus.error().message, 2);
    }
    parsed->options.notBefore_ns = beganAt_ns(folder);
    std::signal(SIGPIPE, SIG_IGN);
    return sendLive(folder, *roots, parsed->options, input);
}

} // namespace lockstep::agent
