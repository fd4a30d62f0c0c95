// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/host_probe.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <thread>

#include <sys/statvfs.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "capture/agent/child_output.h"
#include "capture/agent/host_needs.h"
#include "capture/agent/libc_probe.h"
#include "capture/agent/own_home.h"
#include "core/base/json_fields.h"
#include "core/base/text.h"
#include "core/session/verl_schema.h"

namespace lockstep::agent {

namespace {

namespace fs = std::filesystem;

std::string fileText(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(file), {}};
}

std::string firstLine(std::string_view text)
{
    return std::string(text.substr(0, text.find('\n')));
}

// Returns the text after `marker` up to a blank or line end.
std::string wordAfter(std::string_view text, std::string_view marker)
{
    const size_t at = text.find(marker);
    if (at == std::string_view::npos) return {};
    std::istringstream rest{std::string(text.substr(at + marker.size(), 200))};
    std::string word;
    rest >> word;
    return word;
}

std::vector<fs::path> pathFolders()
{
    std::vector<fs::path> folders;
    const char* const path = std::getenv("PATH");
    std::istringstream parts(path != nullptr ? path : "");
    for (std::string part; std::getline(parts, part, ':');)
        folders.emplace_back(part);
    return folders;
}

// Returns existing paths ROOT/NAME/below, for names with this prefix directly below the root.
std::vector<fs::path> oneLevel(const fs::path& root, const std::string& prefix, const fs::path& below)
{
    std::vector<fs::path> found;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(root, error)) {
        if (entry.path().filename().string().starts_with(prefix) && fs::exists(entry.path() / below, error)) {
            found.push_back(entry.path() / below);
        }
    }
    std::ranges::sort(found);
    return found;
}

void probeSystem(HostFacts& facts)
{
    utsname name = {};
    ::uname(&name);
    facts.host = name.nodename;
    facts.os = std::string(name.sysname) + " " + name.release;
    // Containers with the same image may share a machine ID, and containers on the same machine share the
    // boot ID. Processes see each other if all three values are equal.
    std::error_code error;
    facts.machine = firstLine(fileText("/etc/machine-id")) + " " +
                    firstLine(fileText("/proc/sys/kernel/random/boot_id")) + " " +
                    fs::read_symlink("/proc/self/ns/pid", error).string();
    const LibcFound libc = probeLibc();
    facts.libc = libc.kind;
    facts.glibc = libc.version;
    facts.cpus = static_cast<int64_t>(std::thread::hardware_concurrency());
    const std::string total = wordAfter(fileText("/proc/meminfo"), "MemTotal:");
    if (const auto kib = parseInt(total)) facts.memory_bytes = *kib * 1024;
    if (const auto paranoid = parseInt(firstLine(fileText("/proc/sys/kernel/perf_event_paranoid")))) {
        facts.perfEventParanoid = *paranoid;
    }
    timex clock = {};
    const int state = ::adjtimex(&clock);
    if (state >= 0) facts.clockSynchronized = (clock.status & STA_UNSYNC) == 0;
    for (const char* variable :
         {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "CUDA_VISIBLE_DEVICES", "RAY_ADDRESS",
          "NSYS_NVTX_PROFILER_REGISTER_ONLY", "VERL_KEEP_NVTX_INJECTION", "LD_PRELOAD"}) {
        if (const char* const value = std::getenv(variable)) facts.environment.emplace_back(variable, value);
    }
}

void probeGpus(HostFacts& facts)
{
    const auto listed = toolOutput(
        {"nvidia-smi", "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader,nounits"});
    facts.gpus.emplace();
    if (!listed) return;
    std::istringstream lines(*listed);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream fields(line);
        std::array<std::string, 3> part;
        for (std::string& text : part)
            std::getline(fields >> std::ws, text, ',');
        facts.gpus->push_back({part[0], parseInt(part[1]).value_or(0) * 1024 * 1024});
        facts.driver = part[2];
    }
    if (const auto banner = toolOutput({"nvidia-smi"})) facts.cuda = wordAfter(*banner, "CUDA Version:");
    const std::string parameters = fileText("/proc/driver/nvidia/params");
    const std::string restricted = wordAfter(parameters, "RmProfilingAdminOnly:");
    if (!restricted.empty()) facts.countersRestricted = restricted == "1";
}

std::vector<std::string> profileOptions(const fs::path& nsys)
{
    std::set<std::string> options;
    const std::string help = toolOutput({nsys.string(), "profile", "--help"}).value_or("");
    for (size_t at = help.find("--"); at != std::string::npos; at = help.find("--", at + 2)) {
        size_t end = at + 2;
        while (end < help.size() &&
               (std::isalnum(static_cast<unsigned char>(help[end])) != 0 || help[end] == '-'))
            ++end;
        if (end > at + 3) options.insert(help.substr(at + 2, end - at - 2));
    }
    return {options.begin(), options.end()};
}

void probeNsys(HostFacts& facts)
{
    std::vector<std::pair<fs::path, bool>> candidates;
    for (const fs::path& folder : pathFolders())
        candidates.emplace_back(folder / "nsys", true);
    for (const char* prefix : {"nsight-systems", "nsight-systems-cli"}) {
        for (const fs::path& versions : oneLevel("/opt/nvidia", prefix, "")) {
            for (const fs::path& nsys : oneLevel(versions, "", "bin/nsys"))
                candidates.emplace_back(nsys, false);
        }
    }
    for (const fs::path& nsys : oneLevel("/usr/local", "cuda", "bin/nsys"))
        candidates.emplace_back(nsys, false);
    facts.nsys.emplace();
    std::set<fs::path> seen;
    for (const auto& [path, isOnPath] : candidates) {
        std::error_code error;
        if (::access(path.c_str(), X_OK) != 0 || !seen.insert(fs::weakly_canonical(path, error)).second)
            continue;
        const auto banner = toolOutput({path.string(), "--version"});
        if (!banner) continue;
        facts.nsys->push_back(
            {path.string(), wordAfter(*banner, "version "), isOnPath, profileOptions(path)});
    }
}

// One Python process queries all modules. Each import is guarded, so that a broken module does not hide the
// others.
constexpr const char* kPythonQuestion = R"(
import json, sys, importlib.util as u, importlib.metadata as m
def v(n):
    try: return m.version(n)
    except Exception: return ""
out = {"python": ".".join(map(str, sys.version_info[:3])), "torch": v("torch"), "ray": v("ray"), "cupti": []}
out["modules"] = [n for n in ("nvtx", "torch", "ray", "verl", "nemo_rl", "vllm", "sglang", "pandas") if u.find_spec(n)]
import glob, os
for p in sys.path:
    for f in glob.glob(os.path.join(p, "nvidia", "cuda_cupti", "lib", "libcupti.so*")):
        out["cupti"].append(f)
print(json.dumps(out))
)";

void probePython(HostFacts& facts, const std::string& python)
{
    facts.cupti.emplace();
    for (const fs::path& library : oneLevel("/usr/local", "cuda", "extras/CUPTI/lib64/libcupti.so")) {
        std::error_code error;
        facts.cupti->push_back({library.string(), fs::weakly_canonical(library, error).extension().string()});
    }
    facts.python = facts.torch = facts.ray = "";
    const auto answer = toolOutput({python, "-c", kPythonQuestion}, 60);
    if (!answer) return;
    const auto found =
        Json::parse(answer->substr(std::min(answer->find('{'), answer->size())), nullptr, false);
    if (!found.is_object()) return;
    facts.python = textAt(found, "python");
    facts.torch = textAt(found, "torch");
    facts.ray = textAt(found, "ray");
    facts.modules.emplace();
    for (const Json& name : listAt(found, "modules")) {
        if (name.is_string()) facts.modules->push_back(name.get<std::string>());
    }
    for (const Json& path : listAt(found, "cupti")) {
        if (path.is_string()) facts.cupti->push_back({path.get<std::string>(), ""});
    }
}

void probeCheckouts(HostFacts& facts, const std::vector<fs::path>& folders)
{
    std::error_code error;
    for (const fs::path& folder : folders) {
        const fs::path config = folder / "verl" / "trainer" / "config";
        if (fs::exists(config / "ppo_trainer.yaml", error)) {
            CheckoutFacts checkout{folder.string(),
                                   Framework::verl,
                                   firstLine(fileText(folder / "verl" / "version" / "version")),
                                   {}};
            const auto schema = detectVerlSchema(fileText(config / "ppo_trainer.yaml"),
                                                 fileText(config / "profiler" / "profiler.yaml"));
            if (schema) checkout.schema = *schema;
            facts.checkouts.push_back(checkout);
        } else if (fs::exists(folder / "nemo_rl", error)) {
            facts.checkouts.push_back({folder.string(), Framework::nemoRl, "", {}});
        }
    }
}

void probeDisks(HostFacts& facts, std::vector<fs::path> folders)
{
    folders.emplace_back("/tmp");
    if (const char* const home = std::getenv("HOME")) folders.emplace_back(home);
    for (const fs::path& folder : folders) {
        struct statvfs disk = {};
        if (::statvfs(withOwnHome(folder.string()).c_str(), &disk) != 0) continue;
        facts.disks.push_back({folder.string(), static_cast<int64_t>(disk.f_bavail * disk.f_frsize)});
    }
}

} // namespace

HostFacts probeHost(const ProbeTargets& targets)
{
    HostFacts facts;
    probeNeeds(targets, facts); // changes to the working folder
    probeSystem(facts);
    probeGpus(facts);
    probeNsys(facts);
    probePython(facts, targets.python);
    const auto slurm = toolOutput({"sinfo", "--version"});
    facts.slurm = slurm ? wordAfter(*slurm, "slurm") : "";
    probeCheckouts(facts, targets.checkouts);
    probeDisks(facts, targets.disks);
    facts.names = resolvedNames(targets.names);
    facts.addresses = ownAddresses();
    probeHome(facts);
    return facts;
}

} // namespace lockstep::agent
