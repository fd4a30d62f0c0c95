// SPDX-License-Identifier: Apache-2.0
#include "core/session/host_facts.h"

#include <algorithm>

#include "core/base/mapped_file.h"
#include "core/base/peer_json.h"
#include "core/session/typed_value.h"

namespace lockstep {

Result<std::vector<HostFacts>> loadHostFacts(const std::filesystem::path& path)
{
    const MappedFile file = LOCKSTEP_TRY(MappedFile::open(path));
    Result<std::vector<HostFacts>> facts = hostFactsFromJson(file.text());
    if (!facts) return tl::make_unexpected(withContext(facts.error(), path.string()));
    return facts;
}

const HostFacts* findHostFacts(std::span<const HostFacts> facts, std::string_view host)
{
    const auto found =
        std::find_if(facts.begin(), facts.end(), [&](const HostFacts& f) { return f.host == host; });
    return found == facts.end() ? nullptr : &*found;
}

const NsysFacts* nsysOnPath(const HostFacts& facts)
{
    if (!facts.nsys) return nullptr;
    const auto found =
        std::find_if(facts.nsys->begin(), facts.nsys->end(), [](const auto& n) { return n.isOnPath; });
    return found == facts.nsys->end() ? nullptr : &*found;
}

std::optional<std::string> knownNsysVersion(std::span<const HostFacts> facts)
{
    for (const HostFacts& host : facts) {
        if (const NsysFacts* nsys = nsysOnPath(host)) return nsys->version;
    }
    return std::nullopt;
}

// Returns true for the folder itself and for paths inside it.
static bool holds(std::string_view folder, std::string_view path)
{
    while (folder.size() > 1 && folder.back() == '/')
        folder.remove_suffix(1);
    if (folder == "/") return path.starts_with('/');
    return !folder.empty() && path.starts_with(folder) &&
           (path.size() == folder.size() || path[folder.size()] == '/');
}

const CheckoutFacts* findCheckout(const HostFacts& facts, std::string_view folder, Framework framework)
{
    const CheckoutFacts* only = nullptr;
    size_t count = 0;
    for (const CheckoutFacts& checkout : facts.checkouts) {
        if (checkout.framework != framework) continue;
        if (holds(checkout.path, folder)) return &checkout;
        only = &checkout;
        ++count;
    }
    return count == 1 ? only : nullptr;
}

const DiskFacts* findDisk(const HostFacts& facts, std::string_view path)
{
    const DiskFacts* best = nullptr;
    for (const DiskFacts& disk : facts.disks) {
        if (holds(disk.path, path) && (best == nullptr || disk.path.size() > best->path.size())) best = &disk;
    }
    return best;
}

namespace {

Status readGpu(const Json& object, GpuFacts& gpu)
{
    LOCKSTEP_TRY(readField(object, "name", gpu.name));
    LOCKSTEP_TRY(readField(object, "memory_bytes", gpu.memory_bytes));
    return {};
}

Status readNsys(const Json& object, NsysFacts& nsys)
{
    LOCKSTEP_TRY(readField(object, "path", nsys.path));
    LOCKSTEP_TRY(readField(object, "version", nsys.version));
    LOCKSTEP_TRY(readField(object, "on_path", nsys.isOnPath));
    LOCKSTEP_TRY(readField(object, "options", nsys.options));
    return {};
}

Status readLibrary(const Json& object, LibraryFacts& library)
{
    LOCKSTEP_TRY(readField(object, "path", library.path));
    LOCKSTEP_TRY(readField(object, "version", library.version));
    return {};
}

Status readDisk(const Json& object, DiskFacts& disk)
{
    LOCKSTEP_TRY(readField(object, "path", disk.path));
    LOCKSTEP_TRY(readField(object, "free_bytes", disk.free_bytes));
    return {};
}

Status readCheckout(const Json& object, CheckoutFacts& checkout)
{
    LOCKSTEP_TRY(readField(object, "path", checkout.path));
    LOCKSTEP_TRY(readField(object, "version", checkout.version));
    std::string word;
    LOCKSTEP_TRY(readField(object, "framework", word));
    checkout.framework = enumFromWord<Framework>(word);
    LOCKSTEP_TRY(readField(object, "schema", checkout.schema));
    return {};
}

Status readPath(const Json& object, PathFacts& path)
{
    LOCKSTEP_TRY(readField(object, "path", path.path));
    LOCKSTEP_TRY(readField(object, "exists", path.exists));
    LOCKSTEP_TRY(readField(object, "folder", path.isFolder));
    LOCKSTEP_TRY(readField(object, "writable", path.isWritable));
    LOCKSTEP_TRY(readField(object, "used_by", path.usedBy));
    return {};
}

Status readProgram(const Json& object, ProgramFacts& program)
{
    LOCKSTEP_TRY(readField(object, "word", program.word));
    LOCKSTEP_TRY(readField(object, "interpreter", program.interpreter));
    LOCKSTEP_TRY(readField(object, "path", program.path));
    return {};
}

Status readName(const Json& object, NameFacts& name)
{
    LOCKSTEP_TRY(readField(object, "name", name.name));
    LOCKSTEP_TRY(readField(object, "addresses", name.addresses));
    return {};
}

Status readLists(const Json& object, HostFacts& facts)
{
    std::vector<GpuFacts> gpus;
    std::vector<NsysFacts> nsys;
    std::vector<LibraryFacts> cupti;
    if (LOCKSTEP_TRY(readList(object, "gpus", gpus, readGpu))) facts.gpus = std::move(gpus);
    if (LOCKSTEP_TRY(readList(object, "nsys", nsys, readNsys))) facts.nsys = std::move(nsys);
    if (LOCKSTEP_TRY(readList(object, "cupti", cupti, readLibrary))) facts.cupti = std::move(cupti);
    LOCKSTEP_TRY(readList(object, "checkouts", facts.checkouts, readCheckout));
    LOCKSTEP_TRY(readList(object, "paths", facts.paths, readPath));
    LOCKSTEP_TRY(readList(object, "programs", facts.programs, readProgram));
    LOCKSTEP_TRY(readList(object, "names", facts.names, readName));
    LOCKSTEP_TRY(readField(object, "addresses", facts.addresses));
    LOCKSTEP_TRY(readList(object, "disks", facts.disks, readDisk));
    return {};
}

Status readNested(const Json& object, HostFacts& facts)
{
    if (const auto clock = object.find("clock"); clock != object.end() && clock->is_object()) {
        LOCKSTEP_TRY(readField(*clock, "offset_ns", facts.clockOffset_ns));
        LOCKSTEP_TRY(readField(*clock, "error_ns", facts.clockError_ns));
        LOCKSTEP_TRY(readField(*clock, "synchronized", facts.clockSynchronized));
    }
    if (const auto home = object.find("home"); home != object.end() && home->is_object()) {
        facts.home.emplace();
        LOCKSTEP_TRY(readField(*home, "path", facts.home->path));
        LOCKSTEP_TRY(readField(*home, "shared", facts.home->isShared));
        LOCKSTEP_TRY(readField(*home, "local_folder", facts.home->localFolder));
    }
    if (const auto environment = object.find("environment");
        environment != object.end() && environment->is_object()) {
        for (const auto& [name, value] : environment->items()) {
            if (!value.is_string()) return fieldTypeError("environment", "an object of strings");
            facts.environment.emplace_back(name, value.get<std::string>());
        }
    }
    return {};
}

Result<HostFacts> readFacts(const Json& object)
{
    if (!object.is_object()) return makeError(ErrorKind::corrupt, "host information must be a JSON object");
    HostFacts facts;
    LOCKSTEP_TRY(readField(object, "host", facts.host));
    if (facts.host.empty()) return fieldTypeError("host", "the name of the host");
    LOCKSTEP_TRY(readField(object, "machine", facts.machine));
    LOCKSTEP_TRY(readField(object, "os", facts.os));
    LOCKSTEP_TRY(readField(object, "glibc", facts.glibc));
    LOCKSTEP_TRY(readField(object, "libc", facts.libc));
    LOCKSTEP_TRY(readField(object, "capture_library", facts.captureLibrary));
    LOCKSTEP_TRY(readField(object, "cpus", facts.cpus));
    LOCKSTEP_TRY(readField(object, "memory_bytes", facts.memory_bytes));
    LOCKSTEP_TRY(readField(object, "driver", facts.driver));
    LOCKSTEP_TRY(readField(object, "cuda", facts.cuda));
    LOCKSTEP_TRY(readField(object, "python", facts.python));
    LOCKSTEP_TRY(readField(object, "torch", facts.torch));
    LOCKSTEP_TRY(readField(object, "ray", facts.ray));
    LOCKSTEP_TRY(readField(object, "slurm", facts.slurm));
    LOCKSTEP_TRY(readField(object, "modules", facts.modules));
    LOCKSTEP_TRY(readField(object, "perf_event_paranoid", facts.perfEventParanoid));
    LOCKSTEP_TRY(readField(object, "counters_restricted", facts.countersRestricted));
    LOCKSTEP_TRY(readLists(object, facts));
    LOCKSTEP_TRY(readNested(object, facts));
    return facts;
}

template<class T>
void write(Json& object, const char* key, const std::optional<T>& value)
{
    if (value) object[key] = *value;
}

void writeLists(Json& object, const HostFacts& facts)
{
    if (facts.gpus) {
        Json& list = object["gpus"] = Json::array();
        for (const GpuFacts& gpu : *facts.gpus)
            list.push_back({{"name", gpu.name}, {"memory_bytes", gpu.memory_bytes}});
    }
    if (!facts.driver.empty()) object["driver"] = facts.driver;
    if (!facts.cuda.empty()) object["cuda"] = facts.cuda;
    if (facts.nsys) {
        Json& list = object["nsys"] = Json::array();
        for (const NsysFacts& nsys : *facts.nsys) {
            list.push_back({{"path", nsys.path},
                            {"version", nsys.version},
                            {"on_path", nsys.isOnPath},
                            {"options", nsys.options}});
        }
    }
    if (facts.cupti) {
        Json& list = object["cupti"] = Json::array();
        for (const LibraryFacts& library : *facts.cupti)
            list.push_back({{"path", library.path}, {"version", library.version}});
    }
}

void writeCheckouts(Json& object, const HostFacts& facts)
{
    Json& list = object["checkouts"] = Json::array();
    for (const CheckoutFacts& checkout : facts.checkouts) {
        Json item{{"path", checkout.path}};
        if (checkout.framework) item["framework"] = enumName(*checkout.framework);
        item["version"] = checkout.version;
        if (!checkout.schema.empty()) item["schema"] = checkout.schema;
        list.push_back(std::move(item));
    }
}

void writeNeeds(Json& object, const HostFacts& facts)
{
    for (const PathFacts& path : facts.paths) {
        object["paths"].push_back({{"path", path.path},
                                   {"exists", path.exists},
                                   {"folder", path.isFolder},
                                   {"writable", path.isWritable}});
        if (!path.usedBy.empty()) object["paths"].back()["used_by"] = path.usedBy;
    }
    for (const ProgramFacts& program : facts.programs) {
        Json item{{"word", program.word}, {"path", program.path}};
        if (!program.interpreter.empty()) item["interpreter"] = program.interpreter;
        object["programs"].push_back(std::move(item));
    }
    for (const NameFacts& name : facts.names)
        object["names"].push_back({{"name", name.name}, {"addresses", name.addresses}});
    if (!facts.addresses.empty()) object["addresses"] = facts.addresses;
    if (!facts.home) return;
    object["home"] = {{"path", facts.home->path}, {"shared", facts.home->isShared}};
    if (!facts.home->localFolder.empty()) object["home"]["local_folder"] = facts.home->localFolder;
}

} // namespace

Result<std::vector<HostFacts>> hostFactsFromJson(std::string_view text)
{
    // A file may contain thousands of hosts, so only the number of keys per object is limited.
    const Json root = jsonFromPeer(text, {.bytes = 256 << 20, .keys = 8'000'000, .values = 16'000'000});
    if (root.is_discarded()) return makeError(ErrorKind::corrupt, "host information is not valid JSON");
    std::vector<HostFacts> all;
    const auto add = [&](const Json& object) -> Status {
        HostFacts facts = LOCKSTEP_TRY(readFacts(object));
        if (findHostFacts(all, facts.host) != nullptr) {
            return makeError(ErrorKind::invalid, "duplicate information for host " + facts.host);
        }
        all.push_back(std::move(facts));
        return {};
    };
    if (!root.is_array()) {
        LOCKSTEP_TRY(add(root));
        return all;
    }
    for (const Json& object : root)
        LOCKSTEP_TRY(add(object));
    return all;
}

std::string jsonFromHostFacts(const HostFacts& facts)
{
    Json object{{"lockstep_probe", 1}, {"host", facts.host}};
    if (!facts.machine.empty()) object["machine"] = facts.machine;
    if (!facts.os.empty()) object["os"] = facts.os;
    if (!facts.libc.empty()) object["libc"] = facts.libc;
    if (!facts.glibc.empty()) object["glibc"] = facts.glibc;
    write(object, "capture_library", facts.captureLibrary);
    write(object, "cpus", facts.cpus);
    write(object, "memory_bytes", facts.memory_bytes);
    writeLists(object, facts);
    write(object, "python", facts.python);
    write(object, "torch", facts.torch);
    write(object, "ray", facts.ray);
    write(object, "modules", facts.modules);
    write(object, "slurm", facts.slurm);
    if (!facts.checkouts.empty()) writeCheckouts(object, facts);
    write(object, "perf_event_paranoid", facts.perfEventParanoid);
    write(object, "counters_restricted", facts.countersRestricted);
    for (const DiskFacts& disk : facts.disks) {
        object["disks"].push_back({{"path", disk.path}, {"free_bytes", disk.free_bytes}});
    }
    writeNeeds(object, facts);
    if (facts.clockOffset_ns) object["clock"]["offset_ns"] = *facts.clockOffset_ns;
    if (facts.clockError_ns) object["clock"]["error_ns"] = *facts.clockError_ns;
    if (facts.clockSynchronized) object["clock"]["synchronized"] = *facts.clockSynchronized;
    for (const auto& [name, value] : facts.environment)
        object["environment"][name] = value;
    return indentedJson(object);
}

} // namespace lockstep
