// SPDX-License-Identifier: Apache-2.0
#include "capture/inject/report_facts.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <gnu/libc-version.h>

#include "capture/format/spool_format.h"
#include "capture/inject/cuda_activity.h"
#include "capture/inject/descriptors.h"
#include "capture/inject/json_text.h"
#include "capture/inject/name_registry.h"
#include "capture/inject/recorder.h"
#include "capture/inject/timestamp.h"
#include "core/base/secret_text.h"

namespace lockstep::capture {

namespace {

constexpr size_t kLongestCommand_bytes = 16 * 1024;
constexpr size_t kSmallFile_bytes = 4096;

std::string withoutLineEnd(std::string text)
{
    while (!text.empty() && (text.back() == '\n' || text.back() == '\0'))
        text.pop_back();
    return text;
}

// Read once, because thousands of reports may contain it. Used on the writer thread of this process and of a
// forked child.
const std::string& bootId()
{
    // Not protected by a lock, which a fork could leave locked.
    static constinit std::atomic<const std::string*> known{nullptr};
    if (known.load() == nullptr)
        known.store(
            new std::string(withoutLineEnd(readFile("/proc/sys/kernel/random/boot_id", kSmallFile_bytes))));
    return *known.load();
}

std::string machineName()
{
    std::array<char, 256> name = {};
    gethostname(name.data(), name.size() - 1);
    return name.data();
}

std::string hostName(const CaptureSettings& settings)
{
    return settings.host.empty() ? machineName() : settings.host;
}

// '_' separates the parts of a name, so no part may contain it; otherwise names follow verl. A leading dot is
// removed because it would hide the file, and a leading dash because tools would take the name for an option.
std::string namePart(std::string_view text)
{
    std::string part;
    for (const char c : text) {
        const bool isPlain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                             c == '.' || c == '=' || c == '+' || c == '-';
        if (isPlain)
            part += c;
        else if (!part.empty() && part.back() != '-')
            part += '-';
    }
    part.erase(0, std::min(part.find_first_not_of(".-"), part.size()));
    part.resize(std::min<size_t>(part.size(), 80));
    while (part.ends_with('-'))
        part.pop_back();
    return part;
}

// Returns the command line without secrets.
std::vector<std::string> commandLine()
{
    std::vector<std::string> words;
    const std::string text = readFile("/proc/thread-self/cmdline", kLongestCommand_bytes);
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find('\0', at), text.size());
        words.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return maskSecretArguments(std::move(words));
}

std::string hex(const uint8_t* bytes, size_t size)
{
    std::string text;
    for (size_t i = 0; i < size; ++i) {
        text += "0123456789abcdef"[bytes[i] >> 4];
        text += "0123456789abcdef"[bytes[i] & 15];
    }
    return text;
}

const char* rangeName(RangeKind range)
{
    switch (range) {
    case RangeKind::profilerApi:
        return "cudaProfilerApi";
    case RangeKind::nvtx:
        return "nvtx";
    case RangeKind::all:
        break;
    }
    return "all";
}

JsonText environmentOf(const CaptureSettings& settings)
{
    JsonText stored;
    for (const std::string& name : settings.environment) {
        const char* const value = std::getenv(name.c_str());
        if (value != nullptr)
            stored.text(name, isSecretVariable(name) ? std::string(kSecretMask) : maskSecrets(value));
    }
    return stored;
}

JsonText settingsOf(const Recorder& recorder)
{
    const CaptureSettings& settings = recorder.settings();
    JsonText json;
    json.text("range", rangeName(settings.gate.range));
    if (!settings.gate.name.empty()) json.text("range_name", settings.gate.name);
    if (!settings.gate.domain.empty()) json.text("range_domain", settings.gate.domain);
    json.list("steps", settings.gate.steps);
    json.list("ranks", settings.gate.ranks).boolean("all_ranks", settings.gate.isAllRanks);
    json.boolean("discrete", settings.gate.isDiscrete).boolean("continuous", settings.gate.isContinuous);
    json.number("memory_bytes", static_cast<int64_t>(settings.memory_bytes));
    json.number("block_bytes", static_cast<int64_t>(settings.block_bytes));
    json.number("block_age_ns", settings.blockAge_ns);
    json.text("when_full", settings.blocksWhenFull ? "block" : "drop");
    json.text("graph_trace", settings.tracesWholeGraphs ? "graph" : "node");
    return json;
}

const char* lossName(int what)
{
    switch (what) {
    case LOCKSTEP_LOST_RING_FULL:
        return "ring_full";
    case LOCKSTEP_LOST_NO_RING:
        return "no_ring";
    case LOCKSTEP_LOST_NOT_WRITTEN:
        return "not_written";
    case LOCKSTEP_LOST_GPU_BY_CUPTI:
        return "gpu_by_cupti";
    case LOCKSTEP_LOST_GPU_BUFFERS:
        return "gpu_buffers";
    case LOCKSTEP_LOST_TEXTS:
        return "texts";
    case LOCKSTEP_LOST_CUT_TEXTS:
        return "cut_texts";
    case LOCKSTEP_LOST_PAYLOADS:
        return "payloads";
    case LOCKSTEP_LOST_REPORTS:
        return "reports";
    case LOCKSTEP_LOST_IN_HANDLER:
        return "in_handler";
    case LOCKSTEP_LOST_RING_DAMAGED:
        return "ring_damaged";
    default:
        return "other";
    }
}

} // namespace

std::vector<std::string> ReportFacts::declaredRoles()
{
    constexpr size_t kMaxRoles = 16;
    std::vector<std::string> roles;
    const Domain* const own = nameRegistry().domains.find("lockstep");
    if (own == nullptr) return roles;
    for (auto* named = nameRegistry().categories.newest(); named != nullptr; named = named->next) {
        const std::string_view text = named->view();
        const bool isRole = named->owner == own->number && !text.empty() && text != "step" &&
                            text != "counter" && text != "collective";
        if (!isRole) continue;
        const auto known = std::ranges::find(roles, text);
        if (known != roles.end()) roles.erase(known);
        roles.emplace_back(text);
    }
    std::ranges::reverse(roles); // the list starts with the newest
    if (roles.size() > kMaxRoles) roles.resize(kMaxRoles);
    return roles;
}

std::string ReportFacts::processRole(const CaptureSettings& settings)
{
    const std::vector<std::string> declared = declaredRoles();
    if (declared.empty() || (declared.size() > 1 && !settings.gate.role.empty())) return settings.gate.role;
    return declared.front();
}

std::string ReportFacts::stem(const Recorder& recorder, const ReportLabel& label)
{
    const CaptureSettings& settings = recorder.settings();
    std::string role = namePart(label.role.empty() ? label.processRole : label.role);
    if (role.empty()) role = "process";
    const std::string rank = settings.rank ? std::to_string(*settings.rank) : "";
    return role + "_rank" + rank + "_" + namePart(hostName(settings)) + "_" + std::to_string(getpid());
}

std::string ReportFacts::metaJson(const Recorder& recorder) const
{
    const CaptureSettings& settings = recorder.settings();
    JsonText json;
    json.text("program", "lockstep_capture").text("version", LOCKSTEP_VERSION);
    json.text("session", hex(recorder.session(), 16));
    if (!settings.run.empty()) json.text("run", settings.run);
    json.text("host", hostName(settings));
    if (!settings.host.empty()) json.text("machine", machineName());
    json.text("boot_id", bootId());
    json.number("pid", getpid())
        .number("parent_pid", getppid())
        .boolean("is_forked_child", recorder.isChild());
    json.text("process_name", withoutLineEnd(readFile("/proc/self/comm", kSmallFile_bytes)));
    if (settings.rank) json.number("rank", *settings.rank);
    if (settings.localRank) json.number("local_rank", *settings.localRank);
    if (settings.worldSize) json.number("world_size", *settings.worldSize);
    const std::string role = label.role.empty() ? processRole(settings) : label.role;
    if (!role.empty()) json.text("role", role);
    if (const auto declared = declaredRoles(); declared.size() > 1) json.list("roles", declared);
    if (!label.stage.empty()) json.text("stage", label.stage);
    if (label.step) json.number("step", *label.step);
    if (label.range) json.number("range", *label.range);
    json.number("index", index);
    json.list("command_line", commandLine());
    json.object("environment", environmentOf(settings));
    utsname system = {};
    uname(&system);
    json.text("kernel", system.release).text("glibc", gnu_get_libc_version());
    const ClockReading now = readClocks();
    json.number("realtime_ns", now.realtime_ns).number("monotonic_raw_ns", now.raw_ns);
    json.number("clock_uncertainty_ns", now.uncertainty_ns);
    json.number("pair_cost_ns", static_cast<int64_t>(recorder.pairCost_ns() + 0.5));
    json.text("cuda", cudaActivity().stateName()).text("cuda_text", cudaActivity().stateText());
    json.object("settings", settingsOf(recorder));
    if (!settings.problems.empty()) json.text("setting_problems", settings.problems);
    return json.done();
}

std::string ReportFacts::summaryJson(const Recorder& recorder, const char* why) const
{
    JsonText json;
    json.text("ended", why);
    if (recorder.exitStatus() >= 0) json.number("exit_status", recorder.exitStatus());
    json.number("records", static_cast<int64_t>(counts.records));
    json.number("blocks", static_cast<int64_t>(counts.blocks));
    json.number("bytes", static_cast<int64_t>(counts.bytes));
    json.number("writer_work_ns", counts.writerWork_ns);
    json.number("pair_cost_ns", static_cast<int64_t>(recorder.pairCost_ns() + 0.5));
    json.text("cuda", cudaActivity().stateName()).text("cuda_text", cudaActivity().stateText());
    JsonText lost, begin, end;
    for (const auto& [what, loss] : counts.lost) {
        lost.number(lossName(what), static_cast<int64_t>(loss.count));
        if (loss.first_ns == 0) continue;
        begin.number(lossName(what), loss.first_ns);
        end.number(lossName(what), loss.last_ns);
    }
    json.object("lost", lost).object("lost_from_ns", begin).object("lost_to_ns", end);
    return json.done();
}

} // namespace lockstep::capture
