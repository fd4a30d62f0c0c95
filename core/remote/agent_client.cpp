// SPDX-License-Identifier: Apache-2.0
#include "core/remote/agent_client.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include <QCoreApplication>

#include "core/base/host_reference.h"
#include "core/base/mapped_file.h"
#include "core/base/peer_json.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/remote/clock_exchange.h"
#include "core/session/shell_quote.h"

namespace lockstep {

namespace fs = std::filesystem;

AgentProgramFiles findAgentProgramFiles()
{
    const fs::path folder = QCoreApplication::applicationDirPath().toStdString();
    std::vector<fs::path> places{folder / "liblockstep_capture.so", folder / "../lib/liblockstep_capture.so",
                                 folder / "../lib64/liblockstep_capture.so",
                                 folder / "../lib/x86_64-linux-gnu/liblockstep_capture.so",
                                 folder / "../lib/aarch64-linux-gnu/liblockstep_capture.so"};
    if (const char* named = std::getenv("LOCKSTEP_CAPTURE_LIBRARY")) places = {named};
    std::error_code error;
    const auto there =
        std::ranges::find_if(places, [&](const fs::path& path) { return fs::is_regular_file(path, error); });
    const char* const named = std::getenv("LOCKSTEP_AGENT");
    return {named != nullptr ? fs::path(named) : folder / "lockstep-agent",
            there != places.end() ? *there : fs::path()};
}

Result<AgentProgram> findAgentProgram()
{
    const auto [agent, library] = findAgentProgramFiles();
    std::error_code error;
    if (!fs::is_regular_file(agent, error)) {
        return makeError(
            ErrorKind::notFound,
            agent.string() +
                ": lockstep-agent not found; install it next to lockstep, or set LOCKSTEP_AGENT to its path");
    }
    const MappedFile file = LOCKSTEP_TRY(MappedFile::open(agent));
    AgentProgram program{
        QByteArray(file.text().data(), static_cast<qsizetype>(file.size())), Sha256::of(file.text()), {}, {}};
    if (library.empty()) return program; // only sessions with "tool: capture" need the library
    const MappedFile content = LOCKSTEP_TRY(MappedFile::open(library));
    program.library = QByteArray(content.text().data(), static_cast<qsizetype>(content.size()));
    program.librarySha256 = Sha256::of(content.text());
    return program;
}

namespace {

constexpr std::string_view kDigestFunction = "s() { sha256sum < \"$1\" 2>/dev/null | cut -c1-64; }; ";

constexpr size_t kLongestListed_bytes = 256 << 10; // maximum length of a line of `list`
constexpr qint64 kSmallReply_bytes = 64 << 10;
constexpr qint64 kProbeReply_bytes = 1 << 20;
constexpr qint64 kListReply_bytes = 64 << 20;
constexpr int kShort = 5; // timeout of a short call, in multiples of the patience
constexpr int kShortest_s = 30;
constexpr int kStopping_s = 60 * 60;
constexpr int kHashing_s = 12 * 60 * 60; // timeout of a call that reads every report
constexpr int kMinQuiet_s = 20;          // four times the interval of the agent's heartbeats
constexpr qint64 kSlowLink_bytesPerS = 16 << 10;

constexpr std::string_view kElsewhere =
    ", or set agent_folder in the session's host settings to another folder";

// Adds a remedy to an error from a host if the text does not suggest one.
Error explained(Error error)
{
    if (error.message.find("No space left on device") != std::string::npos) {
        error.kind = ErrorKind::io;
        error.message += "; free space on that disk" + std::string(kElsewhere);
        error.help = HelpTopic::homeFolder;
    } else if (error.message.find("Exec format error") != std::string::npos) {
        error.kind = ErrorKind::unsupported;
        error.message += "; this lockstep-agent was built for a different processor than the host has";
    } else if (error.message.find("noexec") != std::string::npos ||
               error.message.find("lockstep-agent: Permission denied") != std::string::npos) {
        error.message += "; the home folder may be mounted noexec" + std::string(kElsewhere);
        error.help = HelpTopic::homeFolder;
    } else if (error.message.find("Read-only file system") != std::string::npos) {
        error.message += "; the home folder is not writable" + std::string(kElsewhere);
        error.help = HelpTopic::homeFolder;
    }
    return error;
}

// Parses a line of `lockstep-agent list`. Returns nullopt if the line is invalid.
std::optional<ListedReport> listedReportFrom(std::string_view line)
{
    const Json object = jsonFromPeer(line, {.bytes = kLongestListed_bytes});
    if (!isTextAt(object, "path")) return std::nullopt;
    ListedReport report{textAt(object, "path"),
                        numberAt(object, "size_bytes").value_or(0),
                        numberAt(object, "modified_ns").value_or(0),
                        textAt(object, "kind"),
                        textAt(object, "sha256"),
                        boolAt(object, "complete"),
                        textAt(object, "reason"),
                        boolAt(object, "flushing"),
                        textAt(object, "node"),
                        boolAt(object, "shared"),
                        textAt(object, "other_run")};
    if (report.kind.empty()) report.kind = textAt(object, "type");
    if (const std::string hex = textAt(object, "path_hex"); !hex.empty()) report.path = bytesFromHex(hex);
    if (report.path.empty()) return std::nullopt;
    return report;
}

} // namespace

std::string quotedAgentPathOf(const AgentProgram& program, const std::string& folder)
{
    return quotedHostPath((folder.empty() ? ".cache/lockstep" : folder) + "/agent/" LOCKSTEP_VERSION "-" +
                          program.sha256.substr(0, 12) + "/lockstep-agent");
}

std::string greetingText(std::string_view greeting)
{
    constexpr size_t kShown = 60;
    const size_t begin = std::min(greeting.find_first_not_of(" \r\n\t"), greeting.size());
    const std::string_view line = greeting.substr(begin, greeting.find_first_of("\r\n", begin) - begin);
    return "the start-up files of the host's shell print text in non-interactive shells (\"" +
           repairedUtf8(line.substr(0, kShown)) + (line.size() > kShown ? " ..." : "") +
           "\"); Lockstep ignored the text, but it can break scp and other tools";
}

std::string quotedHostPath(std::string_view path)
{
    if (path.starts_with('/')) return shellQuoted(path);
    const std::vector<HostReference> found = hostReferences(path);
    // A file of the host may have a name such as $HOME.json.
    const size_t after = found.empty() ? 0 : found[0].size_bytes;
    const bool isWhole = after == path.size() || (after < path.size() && path[after] == '/');
    if (after > 0 && found[0].begin == 0 && found[0].name == "HOME" && isWhole) path.remove_prefix(after);
    if (path.starts_with('/')) path.remove_prefix(1);
    return "\"$HOME\"" + (path.empty() ? std::string() : "/" + shellQuoted(path));
}

std::vector<ListedReport> listedReportsFrom(std::string_view text, size_t* lost)
{
    std::vector<ListedReport> reports;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.empty()) continue;
        if (auto report = listedReportFrom(line)) {
            reports.push_back(std::move(*report));
        } else if (lost != nullptr) {
            ++*lost;
        }
    }
    return reports;
}

AgentClient::AgentClient(std::shared_ptr<const Remote> remote, AgentProgram program, QObject* parent,
                         std::string folder)
    : QObject(parent), m_remote(std::move(remote)), m_program(std::move(program)), m_folder(std::move(folder))
{
}

int AgentClient::shortLimit_s() const
{
    return std::max(kShortest_s, kShort * m_idleTimeout_s);
}

CallLimits AgentClient::limitsFor(std::string what, int total_s, qint64 max_bytes) const
{
    return {std::move(what), m_idleTimeout_s, total_s + m_idleTimeout_s, max_bytes};
}

void AgentClient::watch(RemoteCall* call)
{
    connect(call, &RemoteCall::waits, this, &AgentClient::waits);
}

void AgentClient::send(const std::string& shellText, const QByteArray& input, CallLimits limits,
                       Answer<QByteArray> answer)
{
    // A slow link accepts data long before the data arrives, so uploads extend the timeouts.
    const int upload_s = static_cast<int>(input.size() / kSlowLink_bytesPerS);
    limits.idleLimit_s += upload_s;
    limits.total_s += upload_s;
    RemoteCall* call = m_remote->call(shellText, this, std::move(limits));
    watch(call);
    connect(call, &RemoteCall::finished, this,
            [this, call, answer = std::move(answer)](const CallResult& result) {
                call->deleteLater();
                m_lastLink = result.link;
                if (!result.greeting.empty()) m_greeting = result.greeting;
                if (result.isOk()) {
                    answer(result.output);
                } else {
                    answer(tl::make_unexpected(explained(result.error)));
                }
            });
    if (!input.isEmpty()) call->write(input);
    call->closeInput();
}

void AgentClient::install(Answer<void> answer)
{
    afterInstall([answer = std::move(answer)](const Error* error) {
        if (error != nullptr) {
            answer(tl::make_unexpected(*error));
        } else {
            answer({});
        }
    });
}

void AgentClient::afterInstall(std::function<void(const Error*)> next)
{
    if (m_isInstalled) return next(nullptr);
    m_afterInstall.push_back(std::move(next));
    if (m_afterInstall.size() > 1) return;
    copyFile({quotedAgentPath(), "lockstep-agent", m_program.bytes, m_program.sha256},
             [this](const Result<std::string>& path) { finishInstall(path ? nullptr : &path.error()); });
}

void AgentClient::installLibrary(Answer<std::string> answer)
{
    if (m_program.library.isEmpty()) {
        return answer(makeError(ErrorKind::notFound,
                                "liblockstep_capture.so was not found next to this lockstep",
                                HelpTopic::capture));
    }
    const std::string folder = (m_folder.empty() ? ".cache/lockstep" : m_folder) +
                               "/capture/" LOCKSTEP_VERSION "-" + m_program.librarySha256.substr(0, 12);
    copyFile({quotedHostPath(folder + "/liblockstep_capture.so"), "liblockstep_capture.so", m_program.library,
              m_program.librarySha256},
             std::move(answer));
}

// Copies the file to the host unless it is already there. The answer is its path as the host's shell expands
// it.
void AgentClient::copyFile(HostFile file, Answer<std::string> answer)
{
    const std::string checkText = "a=" + file.word + "; " + std::string(kDigestFunction) +
                                  "if [ -x \"$a\" ] && [ \"$(s \"$a\")\" = " + file.sha256 +
                                  " ]; then echo have \"$a\"; else echo need \"$a\"; fi";
    const CallLimits limits = limitsFor("find " + file.name, shortLimit_s(), kSmallReply_bytes);
    send(
        checkText, {}, limits,
        [this, file = std::move(file), answer = std::move(answer)](Result<QByteArray> reply) {
            if (!reply) return answer(tl::make_unexpected(reply.error()));
            const QByteArray line = reply->trimmed();
            const std::string path = line.mid(line.lastIndexOf('\n') + 1).mid(5).toStdString();
            if (line.startsWith("have")) return answer(path);
            // The file is written to a temporary name and renamed after verification, so that two Lockstep
            // programs can do this at the same time.
            const std::string text =
                "a=" + file.word + "; p=\"$a.$$\"; " + std::string(kDigestFunction) +
                "umask 077; mkdir -p \"${a%/*}\" && cat > \"$p\" && chmod 700 \"$p\" || { rm -f \"$p\"; exit 1; }; "
                "[ \"$(s \"$p\")\" = " +
                file.sha256 + " ] || { rm -f \"$p\"; echo \"" + file.name +
                " was corrupted in transfer\" >&2; exit 1; }; mv -f \"$p\" \"$a\"";
            const CallLimits copyLimits = limitsFor("copy " + file.name, shortLimit_s(), kSmallReply_bytes);
            send(text, file.bytes, copyLimits, [path, answer](Result<QByteArray> copied) {
                if (!copied) return answer(tl::make_unexpected(copied.error()));
                answer(path);
            });
        });
}

void AgentClient::finishInstall(const Error* error)
{
    m_isInstalled = error == nullptr;
    const auto waiting = std::exchange(m_afterInstall, {});
    for (const auto& next : waiting)
        next(error);
}

void AgentClient::probe(const std::vector<std::string>& words, Answer<HostFacts> answer)
{
    afterInstall([this, line = words.empty() ? "" : " " + shellLine(words),
                  answer = std::move(answer)](const Error* error) {
        if (error != nullptr) return answer(tl::make_unexpected(*error));
        const CallLimits limits = limitsFor("probe", shortLimit_s(), kProbeReply_bytes);
        send("exec " + quotedAgentPath() + " probe" + line, {}, limits,
             [this, answer](Result<QByteArray> reply) {
                 if (!reply) return answer(tl::make_unexpected(reply.error()));
                 auto facts = hostFactsFromJson(reply->toStdString());
                 if (!facts) return answer(tl::make_unexpected(withContext(facts.error(), m_remote->name())));
                 if (facts->empty())
                     return answer(
                         makeError(ErrorKind::corrupt, m_remote->name() + ": the probe returned no data"));
                 readClocks(std::move(facts->front()), answer);
             });
    });
}

void AgentClient::readClocks(HostFacts facts, Answer<HostFacts> answer)
{
    auto* exchange = new ClockExchange(m_remote, quotedAgentPath(), m_idleTimeout_s, this);
    connect(exchange, &ClockExchange::waits, this, &AgentClient::waits);
    connect(
        exchange, &ClockExchange::finished, this,
        [exchange, facts = std::move(facts), answer = std::move(answer)](const ClockOffset& offset) mutable {
            exchange->deleteLater();
            if (offset.isKnown) {
                facts.clockOffset_ns = offset.offset_ns;
                facts.clockError_ns = offset.error_ns;
            }
            answer(std::move(facts));
        });
}

void AgentClient::setSecrets(const TextPairs& values, const std::vector<std::string>& without)
{
    Json object = Json::object();
    for (const auto& [name, value] : values)
        object[name] = QByteArray::fromStdString(value).toHex().toStdString(); // values may contain any bytes
    for (const std::string& name : without)
        object[name] = nullptr;
    m_secretsLine = object.empty() ? "" : jsonLine(object, true) + "\n";
}

void AgentClient::start(std::string planJson, std::string runDir, std::optional<int> until, bool stays,
                        Answer<void> answer)
{
    afterInstall([this, planJson = std::move(planJson), runDir = std::move(runDir), until, stays,
                  answer = std::move(answer)](const Error* error) {
        if (error != nullptr) return answer(tl::make_unexpected(*error));
        std::string text = "exec " + quotedAgentPath() + " run --plan - --run-dir " + quotedHostPath(runDir) +
                           " --detach" + (stays ? " --stay" : "") + secretsOption();
        if (until) text += " --until " + std::to_string(*until);
        send(text, QByteArray::fromStdString(m_secretsLine + planJson),
             limitsFor("run", shortLimit_s(), kSmallReply_bytes), [answer](Result<QByteArray> reply) {
                 if (!reply) return answer(tl::make_unexpected(reply.error()));
                 answer({});
             });
    });
}

void AgentClient::follow(std::string runDir, uint64_t from, OnEvent onEvent, Answer<void> answer)
{
    attach(quotedHostPath(runDir) + " --from " + std::to_string(from) + secretsOption(), std::move(onEvent),
           std::move(answer), false);
}

void AgentClient::readRecorded(std::string runDir, uint64_t from, OnEvent onEvent, Answer<void> answer)
{
    attach(quotedHostPath(runDir) + " --from " + std::to_string(from) + " --recorded", std::move(onEvent),
           std::move(answer), true);
}

void AgentClient::attach(std::string words, OnEvent onEvent, Answer<void> answer, bool isRecorded)
{
    unfollow();
    afterInstall([this, words = std::move(words), isRecorded, onEvent = std::move(onEvent),
                  answer = std::move(answer)](const Error* error) {
        if (error != nullptr) return answer(tl::make_unexpected(*error));
        m_onEvent = onEvent;
        m_onFollowEnd = answer;
        m_followed.clear();
        m_lastLine.start();
        // The agent sends a line at least every 5 s while it is running.
        m_follower = m_remote->streamCall("exec " + quotedAgentPath() + " attach " + words, this,
                                          {"attach", std::max(m_idleTimeout_s, kMinQuiet_s), 0, 0});
        watch(m_follower);
        if (!m_secretsLine.empty() && !isRecorded)
            m_follower->write(QByteArray::fromStdString(m_secretsLine));
        m_follower->closeInput();
        connect(m_follower, &RemoteCall::outputArrived, this, &AgentClient::receiveEvents);
        connect(m_follower, &RemoteCall::finished, this, [this, isRecorded](const CallResult& result) {
            std::exchange(m_follower, nullptr)->deleteLater();
            m_lastLink = result.link;
            if (result.isOk() && isRecorded) {
                endFollow({});
            } else if (result.isOk()) {
                endFollow(makeError(ErrorKind::remote,
                                    m_remote->name() + ": the agent stopped sending the events of the run"));
            } else {
                endFollow(tl::make_unexpected(explained(result.error)));
            }
        });
    });
}

void AgentClient::endFollow(Status how)
{
    unfollow();
    if (const Answer<void> answer = std::exchange(m_onFollowEnd, {})) answer(std::move(how));
}

void AgentClient::unfollow()
{
    if (m_follower == nullptr) return;
    m_follower->disconnect(this);
    std::exchange(m_follower, nullptr)->deleteLater();
}

// Handles the lines of one chunk. The receiver of an event may end the follow() call.
void AgentClient::receiveEvents(const QByteArray& bytes)
{
    const RemoteCall* const call = m_follower;
    const uint64_t tooLong = m_followed.skippedLines(), tooLong_bytes = m_followed.skippedBytes();
    m_followed.add({bytes.data(), static_cast<size_t>(bytes.size())});
    while (const auto line = m_followed.next()) {
        m_lastLine.restart();
        if (line->empty()) continue;
        const auto event = runEventFromLine(*line);
        const bool isUsed = event && m_onEvent(*event, *line);
        if (event && isUsed && event->isRunEnd && m_followed.next()) emit sentAfterEnd();
        if (m_follower != call) return;
        if (event && isUsed && event->isRunEnd) return endFollow({});
        if (isUsed) continue;
        ++(event ? m_skipped.refused : m_skipped.notEvents);
        m_skipped.bytes += line->size() + 1;
    }
    m_skipped.tooLong += m_followed.skippedLines() - tooLong;
    m_skipped.bytes += m_followed.skippedBytes() - tooLong_bytes;
    if (m_lastLine.hasExpired(int64_t{1000} * 2 * std::max(m_idleTimeout_s, kMinQuiet_s))) {
        m_lastLink = LinkFailure::lost;
        return endFollow(makeError(ErrorKind::remote,
                                   m_remote->name() + ": sends data but no events in response to `attach`"));
    }
    if (m_skipped.bytes <= kMaxUseless_bytes) return;
    m_lastLink = LinkFailure::none;
    endFollow(makeError(ErrorKind::corrupt, m_remote->name() + ": sent more than " +
                                                byteText(kMaxUseless_bytes) +
                                                " of data that is not events of the run"));
}

void AgentClient::go(std::string runDir, int order, Answer<void> answer)
{
    send("exec " + quotedAgentPath() + " go " + quotedHostPath(runDir) + " --until " + std::to_string(order) +
             secretsOption(),
         QByteArray::fromStdString(m_secretsLine), limitsFor("go", shortLimit_s(), kSmallReply_bytes),
         [answer = std::move(answer)](Result<QByteArray> reply) {
             if (!reply) return answer(tl::make_unexpected(reply.error()));
             answer({});
         });
}

void AgentClient::sendPeers(std::string runDir, std::string peersJson, Answer<void> answer)
{
    send("exec " + quotedAgentPath() + " peers " + quotedHostPath(runDir),
         QByteArray::fromStdString(peersJson), limitsFor("peers", shortLimit_s(), kSmallReply_bytes),
         [answer = std::move(answer)](Result<QByteArray> reply) {
             if (!reply) return answer(tl::make_unexpected(reply.error()));
             answer({});
         });
}

void AgentClient::stop(std::string runDir, double grace_s, Answer<void> answer)
{
    requestStop(std::move(runDir), " --grace " + std::to_string(grace_s), grace_s, std::move(answer));
}

void AgentClient::finish(std::string runDir, Answer<void> answer)
{
    requestStop(std::move(runDir), " --keep", 0, std::move(answer));
}

void AgentClient::requestStop(std::string runDir, std::string words, double grace_s, Answer<void> answer)
{
    // The agent waits at least ten minutes for a profiler that is still writing.
    const int total_s = kStopping_s + static_cast<int>(std::min(grace_s, 1e6));
    afterInstall([this, runDir = std::move(runDir), words = std::move(words), total_s,
                  answer = std::move(answer)](const Error* error) {
        if (error != nullptr) return answer(tl::make_unexpected(*error));
        send("exec " + quotedAgentPath() + " stop " + quotedHostPath(runDir) + words, {},
             limitsFor("stop", total_s, kSmallReply_bytes), [answer](Result<QByteArray> reply) {
                 if (!reply) return answer(tl::make_unexpected(reply.error()));
                 answer({});
             });
    });
}

void AgentClient::list(std::string runDir, bool isElsewhere, Answer<std::vector<ListedReport>> answer)
{
    std::string words = quotedHostPath(runDir) + (isElsewhere ? " --elsewhere" : "");
    afterInstall([this, words = std::move(words), answer = std::move(answer)](const Error* error) {
        if (error != nullptr) return answer(tl::make_unexpected(*error));
        requestList(words, answer);
    });
}

void AgentClient::requestList(const std::string& words, Answer<std::vector<ListedReport>> answer)
{
    struct Reading {
        LineSplitter lines{kLongestListed_bytes};
        std::vector<ListedReport> reports;
        size_t lost = 0, unlisted = 0;
    };
    auto reading = std::make_shared<Reading>();
    RemoteCall* call = m_remote->streamCall("exec " + quotedAgentPath() + " list --run " + words, this,
                                            limitsFor("list", kHashing_s, kListReply_bytes));
    watch(call);
    call->closeInput();
    connect(call, &RemoteCall::outputArrived, this, [reading](const QByteArray& bytes) {
        reading->lines.add({bytes.data(), static_cast<size_t>(bytes.size())});
        while (const auto line = reading->lines.next()) {
            if (line->empty()) continue; // an empty line is a heartbeat
            auto report = listedReportFrom(*line);
            if (!report) {
                ++reading->lost;
            } else if (reading->reports.size() >= kMaxListed) {
                ++reading->unlisted;
            } else {
                reading->reports.push_back(std::move(*report));
            }
        }
    });
    connect(call, &RemoteCall::finished, this,
            [this, call, reading, answer = std::move(answer)](const CallResult& result) {
                call->deleteLater();
                m_lastLink = result.link;
                m_lostLines =
                    reading->lost + reading->lines.skippedLines() + (reading->lines.rest().empty() ? 0 : 1);
                m_unlistedReports = reading->unlisted;
                if (!result.isOk()) return answer(tl::make_unexpected(explained(result.error)));
                answer(std::move(reading->reports));
            });
}

void AgentClient::remove(std::string runDir, Answer<int64_t> answer)
{
    afterInstall([this, runDir = std::move(runDir), answer = std::move(answer)](const Error* error) {
        if (error != nullptr) return answer(tl::make_unexpected(*error));
        send("exec " + quotedAgentPath() + " remove " + quotedHostPath(runDir), {},
             limitsFor("remove", kHashing_s, kSmallReply_bytes), [answer](Result<QByteArray> reply) {
                 if (!reply) return answer(tl::make_unexpected(reply.error()));
                 const Json object = jsonFromPeer({reply->data(), static_cast<size_t>(reply->size())});
                 answer(static_cast<int64_t>(countAt(object, "removed_bytes")));
             });
    });
}

void AgentClient::reduce(std::vector<std::string> paths, std::string target, Answer<ListedReport> answer)
{
    afterInstall([this, paths = std::move(paths), target = std::move(target),
                  answer = std::move(answer)](const Error* error) {
        if (error != nullptr) return answer(tl::make_unexpected(*error));
        std::string text = "o=" + quotedHostPath(target) + "; umask 077; mkdir -p \"${o%/*}\" && " +
                           quotedAgentPath() + " reduce";
        for (const std::string& path : paths)
            text += " " + quotedHostPath(path);
        // Output from reduce serves as a heartbeat.
        text += " -o \"$o\" && printf '{\"path\":\"-\",\"size_bytes\":%s,\"complete\":true,\"kind\":"
                "\"workspace\",\"sha256\":\"%s\"}\\n' \"$(wc -c < \"$o\")\" \"$(sha256sum < \"$o\" | cut "
                "-c1-64)\"";
        send(text, {}, limitsFor("reduce", kHashing_s, kProbeReply_bytes),
             [target, answer](Result<QByteArray> reply) {
                 if (!reply) return answer(tl::make_unexpected(reply.error()));
                 auto listed = listedReportsFrom(reply->toStdString());
                 if (listed.empty())
                     return answer(makeError(ErrorKind::remote, "`reduce` returned no result"));
                 listed.front().path = target;
                 answer(std::move(listed.front()));
             });
    });
}

} // namespace lockstep
