// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/host_probe.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "capture/agent/agent_commands.h"
#include "capture/agent/child_output.h"
#include "capture/agent/heartbeat.h"
#include "capture/agent/other_runs.h"
#include "capture/agent/run_folder.h"
#include "core/base/host_reference.h"
#include "core/base/json_fields.h"
#include "core/base/secret_text.h"
#include "core/base/text.h"
#include "core/base/whole_file.h"
#include "core/session/host_facts.h"
#include "core/session/recipes/recipe_library.h"
#include "core/session/recipes/recipe_settings.h"
#include "core/session/typed_value.h"

namespace lockstep::agent {

namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kLargest_bytes = 64u << 20; // the C library has only some MB; larger files are not read

// The library contains "GNU C Library (Debian GLIBC 2.36-9) stable release version 2.36."
std::string versionIn(const fs::path& library)
{
    std::error_code error;
    if (!fs::is_regular_file(library, error) || fs::file_size(library, error) > kLargest_bytes) return {};
    const std::string bytes = wholeFileOrEmpty(library);
    const size_t banner = bytes.find("GNU C Library");
    const std::string_view marker = "release version ";
    const size_t at = banner == std::string::npos ? banner : bytes.find(marker, banner);
    if (at == std::string::npos || at - banner > 200) return {};
    const std::string rest = bytes.substr(at + marker.size(), 16);
    std::string version = rest.substr(0, rest.find_first_not_of("0123456789."));
    while (version.ends_with('.'))
        version.pop_back();
    return version;
}

bool hasMuslLoader(const fs::path& folder)
{
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        if (at->path().filename().string().starts_with("ld-musl-")) return true;
    }
    return false;
}

} // namespace

LibcFound probeLibc(const fs::path& root)
{
    constexpr std::array<const char*, 7> kPlaces{
        "lib64",     "lib/x86_64-linux-gnu",     "lib/aarch64-linux-gnu",
        "usr/lib64", "usr/lib/x86_64-linux-gnu", "usr/lib/aarch64-linux-gnu",
        "usr/lib"};
    std::error_code error;
    bool isThere = false;
    for (const char* const place : kPlaces) {
        const fs::path library = root / place / "libc.so.6";
        if (!fs::exists(library, error)) continue;
        isThere = true;
        if (std::string version = versionIn(library); !version.empty()) return {"glibc", std::move(version)};
    }
    if (isThere) return {"glibc", ""};
    return {hasMuslLoader(root / "lib") ? "musl" : "", ""};
}

namespace {

struct ProbeTargets {
    std::vector<std::filesystem::path> folders;   // must exist; the first is the working folder
    std::vector<std::filesystem::path> writable;  // folders to which the run writes, or which it creates
    std::vector<std::filesystem::path> files;     // must exist
    std::vector<std::string> programs;            // looked up in PATH, as exec does
    std::vector<std::string> names;               // host names of other hosts
    std::vector<std::filesystem::path> checkouts; // folders that may hold a checkout of a framework
    std::vector<std::filesystem::path> disks; // free space is reported for them, in addition to /tmp and the
                                              // home folder
    std::string python = "python3";           // the interpreter that training will use
};

// Checks whether a node has what a run needs: folders, files, programs, and host names of other nodes. Part
// of the probe.

namespace fs = std::filesystem;

// Reports the path as it was queried, because the session checks compare it with the session.
PathFacts pathFacts(const fs::path& queried)
{
    const fs::path path = resolvedHere(queried.string());
    PathFacts facts;
    facts.path = queried.string();
    struct stat status = {};
    facts.exists = ::stat(path.c_str(), &status) == 0;
    facts.isFolder = facts.exists && S_ISDIR(status.st_mode);
    // Checks the nearest existing parent, because a missing folder will be created below it.
    fs::path nearest = path;
    while (!nearest.empty() && nearest != nearest.root_path() && ::stat(nearest.c_str(), &status) != 0)
        nearest = nearest.parent_path();
    if (nearest.empty()) nearest = ".";
    facts.isWritable = ::stat(nearest.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
                       ::access(nearest.c_str(), W_OK | X_OK) == 0;
    return facts;
}

bool isProgram(const fs::path& path)
{
    struct stat status = {};
    return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

std::string foundOnPath(const std::string& queried)
{
    const std::string word = resolvedHere(queried);
    if (word.find('/') != std::string::npos) return isProgram(word) ? word : std::string();
    const char* const path = std::getenv("PATH");
    std::istringstream folders(path != nullptr ? path : "/bin:/usr/bin");
    for (std::string folder; std::getline(folders, folder, ':');) {
        const fs::path candidate = fs::path(folder.empty() ? "." : folder) / word;
        if (isProgram(candidate)) return candidate.string();
    }
    return {};
}

// Returns the interpreter from the first line of a script if this node lacks it, otherwise "".
std::string missingInterpreter(const fs::path& program)
{
    std::ifstream file(program, std::ios::binary);
    std::array<char, 256> head{};
    file.read(head.data(), head.size());
    std::string line(head.data(), static_cast<size_t>(file.gcount()));
    if (!line.starts_with("#!")) return {};
    line = line.substr(2, line.find('\n') - 2);
    std::istringstream words(line);
    std::string interpreter, argument;
    words >> interpreter >> argument;
    if (!isProgram(interpreter)) return interpreter;
    const bool isEnv = interpreter.ends_with("/env") && !argument.empty() && !argument.starts_with('-') &&
                       argument.find('=') == std::string::npos;
    return isEnv && foundOnPath(argument).empty() ? argument : std::string();
}

// Returns the interface of the default route, which has destination 0 in /proc/net/route.
std::string defaultInterface()
{
    std::ifstream routes("/proc/net/route");
    for (std::string line; std::getline(routes, line);) {
        std::istringstream fields(line);
        std::string interface, destination;
        if (fields >> interface >> destination && destination == "00000000") return interface;
    }
    return {};
}

// Bridges and veth pairs of containers are reachable on this node only.
bool isVirtual(std::string_view interface)
{
    constexpr std::array<std::string_view, 6> kFronts{"docker", "veth", "br-", "virbr", "cni", "flannel"};
    return std::ranges::any_of(kFronts,
                               [interface](std::string_view front) { return interface.starts_with(front); });
}

// Checks paths and programs. Changes to the first requested folder, because other paths of the run are
// relative to it. If that fails, relative paths are skipped.
void probeNeeds(const ProbeTargets& targets, HostFacts& facts)
{
    bool isInside = true;
    for (const fs::path& folder : targets.folders) {
        facts.paths.push_back(pathFacts(folder));
        if (&folder == &targets.folders.front())
            isInside = ::chdir(resolvedHere(folder.string()).c_str()) == 0;
    }
    const auto canBeChecked = [isInside](const fs::path& path) {
        return isInside || isAbsoluteOrHomePath(path.string());
    };
    for (const auto* list : {&targets.writable, &targets.files}) {
        for (const fs::path& path : *list) {
            if (!canBeChecked(path)) continue;
            facts.paths.push_back(pathFacts(path));
            if (list == &targets.writable)
                facts.paths.back().usedBy = runWritingInto(resolvedHere(path.string()));
        }
    }
    for (const std::string& word : targets.programs) {
        if (word.find('/') != std::string::npos && !canBeChecked(word)) continue;
        const std::string path = foundOnPath(word);
        facts.programs.push_back({word, path, path.empty() ? "" : missingInterpreter(path)});
    }
}

// Resolves names with getent, which uses the same sources as programs on the node. Returns an empty list if
// getent is not installed.
std::vector<NameFacts> resolvedNames(const std::vector<std::string>& names)
{
    std::vector<NameFacts> resolved;
    if (foundOnPath("getent").empty()) return resolved;
    for (const std::string& name : names) {
        NameFacts facts{name, {}};
        // Example: "10.0.0.5  STREAM node0", one line per socket type.
        std::istringstream lines(toolOutput({"getent", "ahosts", "--", name}).value_or(""));
        for (std::string line; std::getline(lines, line);) {
            const std::string address = line.substr(0, line.find(' '));
            if (std::ranges::find(facts.addresses, address) == facts.addresses.end())
                facts.addresses.push_back(address);
        }
        resolved.push_back(std::move(facts));
    }
    return resolved;
}

// Returns the IPv4 addresses of this node that other hosts may use. The address of the default route comes
// first.
std::vector<std::string> ownAddresses()
{
    std::vector<std::string> addresses;
    const std::string best = defaultInterface();
    ifaddrs* all = nullptr;
    if (::getifaddrs(&all) != 0) return addresses;
    for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
        const bool isUp = (one->ifa_flags & IFF_UP) != 0 && (one->ifa_flags & IFF_LOOPBACK) == 0;
        if (!isUp || one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
        if (isVirtual(one->ifa_name)) continue;
        std::array<char, INET_ADDRSTRLEN> text{};
        const auto* const address = reinterpret_cast<const sockaddr_in*>(one->ifa_addr);
        ::inet_ntop(AF_INET, &address->sin_addr, text.data(), text.size());
        addresses.insert(best == one->ifa_name ? addresses.begin() : addresses.end(), text.data());
    }
    ::freeifaddrs(all);
    return addresses;
}

// Finds out whether the home folder is shared, and which folder to use instead.
void probeHome(HostFacts& facts)
{
    const char* const home = std::getenv("HOME");
    if (home == nullptr) return;
    facts.home.emplace();
    facts.home->path = home;
    facts.home->isShared = isOnSharedDisk(home);
    if (facts.home->isShared) facts.home->localFolder = localStateFolder();
}

namespace fs = std::filesystem;

std::string fileText(const fs::path& path)
{
    return wholeFileOrEmpty(path);
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
    for (char** pair = environ; *pair != nullptr; ++pair) { // that a session may refer to
        const std::string_view text = *pair, name = text.substr(0, text.find('='));
        if ((name.starts_with("SLURM_") || name.starts_with("RAY_")) && name != "RAY_ADDRESS" &&
            !isSecretVariable(name))
            facts.environment.emplace_back(name, text.substr(std::min(name.size() + 1, text.size())));
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
constexpr const char* kPythonQuery = R"(
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
    const auto answer = toolOutput({python, "-c", kPythonQuery}, 60);
    if (!answer) return;
    const auto found = jsonFrom(answer->substr(std::min(answer->find('{'), answer->size())));
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
    for (const fs::path& folder : folders) {
        const auto read = [&folder](const std::string& path) -> std::optional<std::string> {
            std::error_code error;
            const fs::path file = folder / path;
            if (!fs::is_regular_file(file, error) || fs::file_size(file, error) > kLargest_bytes)
                return std::nullopt;
            return fileText(file);
        };
        for (const LaunchRecipe& recipe : launchRecipes()) {
            const std::optional<size_t> era = eraOfCheckout(recipe, read);
            if (!era) continue;
            const std::string version =
                recipe.version.empty() ? "" : firstLine(read(recipe.version).value_or(""));
            facts.checkouts.push_back(
                {folder.string(), enumFromWord<Framework>(recipe.name), version, recipe.eras[*era].id});
        }
    }
}

void probeDisks(HostFacts& facts, std::vector<fs::path> folders)
{
    folders.emplace_back("/tmp");
    if (const char* const home = std::getenv("HOME")) folders.emplace_back(home);
    for (const fs::path& folder : folders) {
        struct statvfs disk = {};
        if (::statvfs(resolvedHere(folder.string()).c_str(), &disk) != 0) continue;
        facts.disks.push_back({folder.string(), static_cast<int64_t>(disk.f_bavail * disk.f_frsize)});
    }
}

// Takes up to several seconds: Python has to import torch and Ray to find their versions.
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

} // namespace

// probe [--checkout DIR]... [--disk DIR]... [--python PROGRAM] [--folder DIR]... [--write DIR]...
//       [--file FILE]... [--program WORD]... [--path PATH] [--name HOST]...
int probeCommand(Arguments arguments)
{
    ProbeTargets targets;
    for (size_t i = 0; i + 1 < arguments.size(); i += 2) {
        const std::string& option = arguments[i];
        const std::string& value = arguments[i + 1];
        if (option == "--checkout") targets.checkouts.emplace_back(resolvedHere(value));
        if (option == "--disk") targets.disks.emplace_back(value);
        if (option == "--python") targets.python = resolvedHere(value);
        if (option == "--folder") targets.folders.emplace_back(value);
        if (option == "--write") targets.writable.emplace_back(value);
        if (option == "--file") targets.files.emplace_back(value);
        if (option == "--program") targets.programs.push_back(value);
        if (option == "--path") ::setenv("PATH", resolvedHere(value).c_str(), 1);
        if (option == "--name") targets.names.push_back(value);
    }
    const Heartbeat heartbeat; // version queries of programs may be slow
    std::printf("%s\n", jsonFromHostFacts(probeHost(targets)).c_str());
    return 0;
}

} // namespace lockstep::agent
