// SPDX-License-Identifier: Apache-2.0
// HostFacts: what one host has, as `lockstep-agent probe` found it. Made by the agent, carried as JSON, read
// by planLaunch() and preflight(). Unknown is an empty optional or list, never a guess.
//
// The JSON is one object per host (a file may hold one object or an array of them):
//   {"lockstep_probe": 1, "host": "node0", "machine": "MACHINE-ID BOOT-ID PID-NAMESPACE", "os":
//   "Linux 6.1.0", "libc": "glibc", "glibc": "2.36", "cpus": 128, "memory_bytes": 1,
//    "gpus": [{"name": "NVIDIA H100", "memory_bytes": 85899345920}], "driver": "550.54.15", "cuda": "12.4",
//    "nsys": [{"path": "/usr/local/bin/nsys", "version": "2025.5.2.266", "on_path": true, "options":
//    ["trace"]}], "cupti": [{"path": "/usr/local/cuda/lib64/libcupti.so.12", "version": "12.4"}], "python":
//    "3.11.4", "torch": "2.6.0", "ray": "2.40.0", "modules": ["nvtx"], "slurm": "23.02.6", "checkouts":
//    [{"path": "/workspace/verl", "framework": "verl", "version": "0.9.0", "schema": "0.9.0"}],
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
// Every key but host may be absent. Keys that are not known here are ignored: an agent may be newer.
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
    std::string version; // as `nsys --version` says, e.g. 2025.5.2.266
    bool isOnPath = false;
    std::vector<std::string> options; // long names listed by `nsys profile --help`; empty = not asked
};

struct LibraryFacts {
    std::string path;
    std::string version;
};

struct CheckoutFacts {
    std::string path;
    std::optional<Framework> framework;
    std::string version;
    std::optional<VerlSchema> schema; // see detectVerlSchema()
};

struct DiskFacts {
    std::string path; // mount point
    int64_t free_bytes = 0;
};

// A folder or file that a run needs, as it was asked for.
struct PathFacts {
    std::string path;
    bool exists = false;
    bool isFolder = false;
    bool isWritable = false; // a folder that is not there: whether it can be made
    std::string usedBy = {}; // id of a run that writes reports into it now; "" = none
};

struct ProgramFacts {
    std::string word;        // as it was asked for
    std::string path;        // where it is; "" = nowhere on PATH
    std::string interpreter; // of a script whose first line names one that is not there; else ""
};

struct NameFacts {
    std::string name;
    std::vector<std::string> addresses; // none: it is not resolved
};

// Where the agent keeps what it needs unless the session says otherwise.
struct HomeFacts {
    std::string path;
    bool isShared = false;   // on a file system that several machines see
    std::string localFolder; // of this user on a disk of this machine, for a shared home; "" = none
};

struct HostFacts {
    std::string host;    // as Host::name
    std::string machine; // of the running system: equal where two names lead to one; "" = not known
    std::string os;
    std::string glibc; // version of the host's own; "" = not known, or it has none: see libc
    std::string libc;  // "glibc", "musl"; "" = not known
    // Where Lockstep put its capture library there; "" = it has none to put, empty = it was not asked to, as
    // in what `lockstep-agent probe` prints.
    std::optional<std::string> captureLibrary;
    std::optional<int64_t> cpus;
    std::optional<int64_t> memory_bytes;
    std::optional<std::vector<GpuFacts>> gpus;
    std::string driver, cuda;
    std::optional<std::vector<NsysFacts>> nsys;
    std::optional<std::vector<LibraryFacts>> cupti;
    std::optional<std::string> python, torch, ray, slurm; // "" = looked for and not there
    std::optional<std::vector<std::string>> modules; // Python modules found, of those Lockstep asks about
    std::vector<CheckoutFacts> checkouts;
    std::optional<int64_t> perfEventParanoid;
    std::optional<bool> countersRestricted; // GPU counters only for administrators
    std::vector<DiskFacts> disks;
    std::vector<PathFacts> paths;
    std::vector<ProgramFacts> programs;
    std::vector<NameFacts> names;
    std::vector<std::string> addresses; // of this host for others, the best first; no loopback
    std::optional<HomeFacts> home;
    std::optional<int64_t> clockOffset_ns; // host minus this machine
    std::optional<int64_t> clockError_ns;  // half the round trip
    std::optional<bool> clockSynchronized; // by NTP or PTP
    TextPairs environment;                 // the variables that matter to profilers
};

// One object or an array. corrupt: no JSON, or a value of the wrong type, with its key. Duplicate hosts are
// invalid.
Result<std::vector<HostFacts>> hostFactsFromJson(std::string_view text);
Result<std::vector<HostFacts>> loadHostFacts(const std::filesystem::path& path);
// One object, keys in the order above.
std::string jsonFromHostFacts(const HostFacts& facts);

// The facts of that host, or nullptr.
const HostFacts* findHostFacts(std::span<const HostFacts> facts, std::string_view host);
// The nsys that a command named `nsys` starts: the first on PATH; nullptr where there is none.
const NsysFacts* nsysOnPath(const HostFacts& facts);
// Version of the nsys that runs: of the first host that has one on PATH.
std::optional<std::string> knownNsysVersion(std::span<const HostFacts> facts);
// The checkout that holds the folder, else the only one of that framework, else nullptr.
const CheckoutFacts* findCheckout(const HostFacts& facts, std::string_view folder, Framework framework);
// Disk that holds the path: the longest mount point that begins it; nullptr where none is known.
const DiskFacts* findDisk(const HostFacts& facts, std::string_view path);

} // namespace lockstep
