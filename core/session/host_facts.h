// SPDX-License-Identifier: Apache-2.0
// HostFacts: hardware and software of one host, as found by `lockstep-agent probe`. The agent creates it and
// sends it as JSON; planLaunch() and preflight() read it. Unknown values are an empty optional or list, never
// a guess.
//
// The JSON is one object per host (a file may hold one object or an array of them):
//   {"lockstep_probe": 1, "host": "node0", "machine": "MACHINE-ID BOOT-ID PID-NAMESPACE", "os":
//   "Linux 6.1.0", "libc": "glibc", "glibc": "2.36", "cpus": 128, "memory_bytes": 1,
//    "gpus": [{"name": "NVIDIA H100", "memory_bytes": 85899345920}], "driver": "550.54.15", "cuda": "12.4",
//    "nsys": [{"path": "/usr/local/bin/nsys", "version": "2025.5.2.266", "on_path": true, "options":
//    ["trace"]}], "cupti": [{"path": "/usr/local/cuda/lib64/libcupti.so.12", "version": "12.4"}], "python":
//    "3.11.4", "torch": "2.6.0", "ray": "2.40.0", "modules": ["nvtx"], "slurm": "23.02.6", "checkouts":
//    [{"path": "/workspace/slime", "framework": "slime", "version": "0.2", "schema": "head"}],
//    "perf_event_paranoid": 2, "counters_restricted": true,
//    "disks": [{"path": "/tmp", "free_bytes": 1}],
//    "paths": [{"path": "/w", "exists": true, "folder": true, "writable": true,
//    "used_by": "RUN"}],
//    "programs": [{"word": "python3", "path": "/usr/bin/python3"}], "addresses": ["10.0.0.5"],
//    "names": [{"name": "node0", "addresses": ["10.0.0.5"]}],
//    "home": {"path": "/home/u", "shared": true, "local_folder": "/var/tmp/lockstep-1000"},
//    "capture_library": "/home/u/.cache/lockstep/capture/VERSION-DIGEST/liblockstep_capture.so",
//    "clock": {"offset_ns": 1200000, "error_ns": 300000, "synchronized": true},
//    "environment": {"NVTX_INJECTION64_PATH": "/usr/lib/libcupti.so"}}
// Every key except host may be absent. Unknown keys are ignored because the agent may be newer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/session/session_config.h"

namespace lockstep {

struct GpuFacts {
    std::string name;
    int64_t memory_bytes = 0;
};

struct NsysFacts {
    std::string path;
    std::string version; // from `nsys --version`, e.g. 2025.5.2.266
    bool isOnPath = false;
    std::vector<std::string> options; // long names listed by `nsys profile --help`; empty = not queried
};

struct LibraryFacts {
    std::string path;
    std::string version;
};

struct CheckoutFacts {
    std::string path;
    std::optional<Framework> framework;
    std::string version;
    std::string schema; // era of the framework's recipe; "" = unknown
};

struct DiskFacts {
    std::string path; // mount point
    int64_t free_bytes = 0;
};

// PathFacts: a folder or file that a run requires.
struct PathFacts {
    std::string path;
    bool exists = false;
    bool isFolder = false;
    bool isWritable = false; // for a folder that does not exist: whether it can be created
    std::string usedBy = {}; // ID of the run that is writing reports to the folder; "" = none
};

struct ProgramFacts {
    std::string word; // name of the program as queried
    std::string path; // path of the program; "" = not on PATH
    // Interpreter that the first line of a script specifies, if it is missing; otherwise "".
    std::string interpreter;
};

struct NameFacts {
    std::string name;
    std::vector<std::string> addresses; // empty if the name cannot be resolved
};

// HomeFacts: the folders where the agent stores its files by default.
struct HomeFacts {
    std::string path;
    bool isShared = false;   // on a file system shared between machines
    std::string localFolder; // the user's folder on a local disk, if the home folder is shared; "" = none
};

// HostQuery records what a host was queried for, to recognize information that a session outdates.
struct HostQuery {
    std::string address;                // argument for ssh; "" = this machine
    std::string agentFolder;            // see Host::agentFolder
    std::vector<std::string> arguments; // of `lockstep-agent probe`, see probeArguments()
};

struct HostFacts {
    std::string host;    // same as Host::name
    std::string machine; // identifies the running system, so two names with equal values refer to the same
                         // machine; "" = unknown
    std::string os;
    std::string glibc; // version of the host's glibc; "" = unknown, or another C library (see libc)
    std::string libc;  // "glibc" or "musl"; "" = unknown
    // Path where Lockstep installed its capture library. "" = Lockstep has no library to install. nullopt =
    // not requested, as in the output of `lockstep-agent probe`.
    std::optional<std::string> captureLibrary;
    std::optional<int64_t> cpus;
    std::optional<int64_t> memory_bytes;
    std::optional<std::vector<GpuFacts>> gpus;
    std::string driver, cuda;
    std::optional<std::vector<NsysFacts>> nsys;
    std::optional<std::vector<LibraryFacts>> cupti;
    std::optional<std::string> python, torch, ray, slurm; // "" = not installed
    std::optional<std::vector<std::string>> modules;      // the queried Python modules that are installed
    std::vector<CheckoutFacts> checkouts;
    std::optional<int64_t> perfEventParanoid;
    std::optional<bool> countersRestricted; // access to GPU counters is restricted to administrators
    std::vector<DiskFacts> disks;
    std::vector<PathFacts> paths;
    std::vector<ProgramFacts> programs;
    std::vector<NameFacts> names;
    // Addresses that other hosts can use, best first; without loopback addresses.
    std::vector<std::string> addresses;
    std::optional<HomeFacts> home;
    std::optional<int64_t> clockOffset_ns; // clock of the host minus clock of this machine
    std::optional<int64_t> clockError_ns;  // error bound: half of the round trip time
    std::optional<bool> clockSynchronized; // whether the clock is synchronized by NTP or PTP
    TextPairs environment;                 // environment variables that affect profilers
    std::optional<HostQuery> query;        // not part of the JSON; nullopt = unknown
};

// Parses one object or an array of objects. Errors: corrupt if the text is not JSON or a value has the wrong
// type (the message contains its key); invalid for duplicate hosts.
Result<std::vector<HostFacts>> hostFactsFromJson(std::string_view text);
Result<std::vector<HostFacts>> loadHostFacts(const std::filesystem::path& path);
// Writes one object with the keys in the order shown at the top of this file.
std::string jsonFromHostFacts(const HostFacts& facts);

// Returns the information of a host, or nullptr.
const HostFacts* findHostFacts(std::span<const HostFacts> facts, std::string_view host);
// Returns the first nsys on PATH, or nullptr.
const NsysFacts* nsysOnPath(const HostFacts& facts);
// Returns the version of the nsys that will run, which is the nsys of the first host that has it on PATH.
std::optional<std::string> knownNsysVersion(std::span<const HostFacts> facts);
// Returns the checkout that contains the folder, otherwise the only checkout of that framework, otherwise
// nullptr.
const CheckoutFacts* findCheckout(const HostFacts& facts, std::string_view folder, Framework framework);
// Returns the disk that contains a path (longest matching mount point), or nullptr if unknown.
const DiskFacts* findDisk(const HostFacts& facts, std::string_view path);

} // namespace lockstep
