// SPDX-License-Identifier: Apache-2.0
#include "core/batch/batch_folder.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <random>

#include <elf.h>
#include <fcntl.h>
#include <glob.h>
#include <link.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/mapped_file.h"
#include "core/base/output_file.h"
#include "core/base/private_file.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/readers/recording_parts.h"
#include "core/readers/workspace_file/workspace_file.h"

namespace lockstep {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::string_view kHexMark = "hex:";

std::string hexOfBytes(std::string_view bytes)
{
    std::string out;
    for (const char c : bytes) {
        out += kHexDigits[static_cast<unsigned char>(c) >> 4];
        out += kHexDigits[static_cast<unsigned char>(c) & 15];
    }
    return out;
}

// Returns the build ID in ELF notes. According to elf(5), a note has the sizes of name and content, a type,
// then name and content, each padded to 4 bytes.
std::string buildIdIn(std::string_view notes)
{
    const auto filled = [](size_t size) { return (size + 3) / 4 * 4; };
    while (notes.size() >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        std::copy_n(notes.data(), sizeof(note), reinterpret_cast<char*>(&note));
        const size_t content = sizeof(note) + filled(note.n_namesz);
        const size_t end = content + filled(note.n_descsz);
        if (end > notes.size()) return {};
        if (note.n_type == NT_GNU_BUILD_ID && notes.substr(sizeof(note)).starts_with("GNU"))
            return hexOfBytes(notes.substr(content, note.n_descsz));
        notes.remove_prefix(end);
    }
    return {};
}

// Stores the build ID of the first object, which is the program itself, and stops the iteration.
int takeBuildId(dl_phdr_info* loaded, size_t, void* out)
{
    for (size_t i = 0; i < loaded->dlpi_phnum; ++i) {
        const auto& part = loaded->dlpi_phdr[i];
        std::string& id = *static_cast<std::string*>(out);
        if (part.p_type != PT_NOTE || !id.empty()) continue;
        id = buildIdIn({reinterpret_cast<const char*>(loaded->dlpi_addr + part.p_vaddr), part.p_memsz});
    }
    return 1;
}

} // namespace

InputStamp stampOf(const fs::path& path)
{
    InputStamp stamp;
    for (const fs::path& file : filesOfRecording(path)) {
        struct stat found = {};
        if (::stat(file.c_str(), &found) != 0) return {};
        stamp.size_bytes += static_cast<uint64_t>(found.st_size);
        stamp.modified_ns = std::max(stamp.modified_ns,
                                     int64_t(found.st_mtim.tv_sec) * 1'000'000'000 + found.st_mtim.tv_nsec);
        if (stamp.inode == 0) stamp.inode = uint64_t(found.st_ino);
    }
    return stamp;
}

std::string thisProgram()
{
    static const std::string kProgram = [] {
        std::string id;
        ::dl_iterate_phdr(takeBuildId, &id);
        return "lockstep " LOCKSTEP_VERSION ", format " + std::to_string(kWorkspaceFormat) +
               (id.empty() ? "" : ", build " + id.substr(0, 16));
    }();
    return kProgram;
}

BatchInput batchInput(const fs::path& path, uint64_t memory_bytes)
{
    BatchInput input{path, stampOf(path), memory_bytes, {}};
    const InputStamp& stamp = input.stamp;
    std::string identity = thisProgram() + '\0' + path.string() + '\0';
    for (const uint64_t number : {stamp.size_bytes, static_cast<uint64_t>(stamp.modified_ns), stamp.inode})
        identity += std::to_string(number) + ' ';
    input.key = Sha256::of(identity).substr(0, 32);
    return input;
}

std::vector<fs::path> filesOfPattern(const std::string& pattern)
{
    std::error_code ignored;
    if (pattern.find_first_of("*?[") == pattern.npos || fs::exists(pattern, ignored)) return {pattern};
    glob_t found = {};
    std::vector<fs::path> out;
    // Sorted by bytes, independent of the locale.
    if (::glob(pattern.c_str(), GLOB_NOESCAPE | GLOB_NOSORT, nullptr, &found) == 0)
        out.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    ::globfree(&found);
    std::ranges::sort(out, {}, [](const fs::path& path) { return path.native(); });
    if (out.empty()) out.emplace_back(pattern);
    return out;
}

std::string jsonNameOf(const fs::path& path)
{
    const std::string& name = path.native();
    return isValidUtf8(name) && !name.starts_with(kHexMark) ? name : std::string(kHexMark) + hexOfBytes(name);
}

Result<fs::path> pathOfJsonName(const std::string& name)
{
    if (!name.starts_with(kHexMark)) return fs::path(name);
    const std::string_view digits = std::string_view(name).substr(kHexMark.size());
    std::string bytes(digits.size() / 2, '\0');
    for (size_t i = 0; i < bytes.size(); ++i) {
        unsigned value = 0;
        const char* const at = digits.data() + 2 * i;
        if (std::from_chars(at, at + 2, value, 16).ptr != at + 2)
            return makeError(ErrorKind::corrupt, "'" + name + "' is not a valid encoded file name");
        bytes[i] = static_cast<char>(value);
    }
    return fs::path(bytes);
}

namespace {

namespace fs = std::filesystem;

constexpr int64_t kTaskListVersion = 1;
constexpr std::string_view kWhat = "the batch task list";

Json jsonOf(const BatchInput& input)
{
    return {{"path", jsonNameOf(input.path)},         {"size_bytes", input.stamp.size_bytes},
            {"modified_ns", input.stamp.modified_ns}, {"inode", input.stamp.inode},
            {"memory_bytes", input.memory_bytes},     {"key", input.key}};
}

Status readInput(const Json& item, BatchInput& input)
{
    input.path = LOCKSTEP_TRY(pathOfJsonName(textAt(item, "path")));
    input.stamp = {countAt(item, "size_bytes"), numberAt(item, "modified_ns").value_or(0),
                   countAt(item, "inode")};
    input.memory_bytes = countAt(item, "memory_bytes");
    input.key = textAt(item, "key");
    // The key becomes part of a file name.
    const bool isKey =
        input.key.size() == 32 && input.key.find_first_not_of("0123456789abcdef") == input.key.npos;
    if (!isKey || input.path.empty())
        return makeError(ErrorKind::corrupt, "an input has no path or no valid key");
    return {};
}

Status readTask(const Json& list, BatchTasks& tasks, std::vector<bool>& isAssigned)
{
    std::vector<uint32_t>& task = tasks.tasks.emplace_back();
    for (const Json& item : list.is_array() ? list : Json::array()) {
        const auto number = integerOf(item);
        const bool isThere = number && *number >= 0 && static_cast<size_t>(*number) < isAssigned.size();
        if (!isThere || isAssigned[static_cast<size_t>(*number)])
            return makeError(ErrorKind::corrupt,
                             "a task lists an input that does not exist or that belongs to another task");
        isAssigned[static_cast<size_t>(*number)] = true;
        task.push_back(static_cast<uint32_t>(*number));
    }
    return {};
}

std::string errnoText()
{
    return std::strerror(errno);
}

} // namespace

fs::path BatchFolder::resultOf(const BatchInput& input) const
{
    return reports() / (input.key + ".lockstep");
}

fs::path BatchFolder::failureOf(const BatchInput& input) const
{
    return reports() / (input.key + ".failed");
}

fs::path BatchFolder::logOf(size_t task) const
{
    return m_folder / "log" / ("task-" + std::to_string(task) + ".log");
}

fs::path BatchFolder::newScriptFile() const
{
    std::random_device random;
    return m_folder / ("task-" + std::to_string(random()) + std::to_string(random()) + ".sh");
}

Status BatchFolder::make() const
{
    for (const fs::path& folder : {m_folder, reports(), m_folder / "log"}) {
        LOCKSTEP_TRY(makePrivateFolders(folder));
        if (::chmod(folder.c_str(), 0700) != 0)
            return makeError(ErrorKind::io, folder.string() + ": cannot set mode 0700: " + errnoText());
    }
    return {};
}

Status writeBatchFile(const fs::path& path, std::string_view text)
{
    OutputFile file = LOCKSTEP_TRY(OutputFile::create(path, 0600));
    file.write(text);
    return file.commit();
}

Status BatchFolder::writeTasks(const BatchTasks& tasks) const
{
    Json inputs = Json::array(), taskLists = Json::array();
    for (const BatchInput& input : tasks.inputs)
        inputs.push_back(jsonOf(input));
    for (const auto& task : tasks.tasks)
        taskLists.push_back(Json(task));
    const Json page{{"lockstep_batch", kTaskListVersion}, {"program", tasks.program},
                    {"plan_sha256", tasks.planDigest},    {"folder", jsonNameOf(tasks.folder)},
                    {"inputs", std::move(inputs)},        {"tasks", std::move(taskLists)}};
    return writeBatchFile(m_folder / "tasks.json", indentedJson(page));
}

Result<BatchTasks> BatchFolder::readTasks() const
{
    const MappedFile file = LOCKSTEP_TRY(MappedFile::open(m_folder / "tasks.json"));
    const Json page = LOCKSTEP_TRY(objectFromJson(file.text(), kWhat));
    if (numberAt(page, "lockstep_batch") != kTaskListVersion)
        return makeError(ErrorKind::unsupported,
                         std::string(kWhat) + " was written by a different version of Lockstep");
    BatchTasks out;
    out.program = textAt(page, "program");
    out.planDigest = textAt(page, "plan_sha256");
    out.folder = LOCKSTEP_TRY(pathOfJsonName(textAt(page, "folder")));
    LOCKSTEP_TRY(readList(page, "inputs", out.inputs, readInput));
    std::vector<bool> isAssigned(out.inputs.size());
    for (const Json& task : listAt(page, "tasks"))
        LOCKSTEP_TRY(readTask(task, out, isAssigned));
    return out;
}

std::vector<std::string> BatchFolder::namesOfResults() const
{
    std::vector<std::string> names;
    std::error_code failed;
    for (fs::directory_iterator entry(reports(), failed), end; !failed && entry != end;
         entry.increment(failed))
        names.push_back(entry->path().filename().string());
    std::ranges::sort(names);
    return names;
}

Result<BatchLock> BatchLock::take(const BatchFolder& folder)
{
    const fs::path path = folder.path() / "lock";
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) return makeError(ErrorKind::io, path.string() + ": cannot be created: " + errnoText());
    BatchLock lock(file);
    if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK)
            return makeError(ErrorKind::io,
                             path.string() + ": cannot be locked: " + errnoText() +
                                 "; use an output folder on a file system that supports locks");
        std::array<char, 512> owner{};
        const ssize_t size = ::pread(file, owner.data(), owner.size(), 0);
        return makeError(ErrorKind::io, (size > 0 ? printable({owner.data(), static_cast<size_t>(size)})
                                                  : "another lockstep") +
                                            " is using this batch (" + folder.path().string() +
                                            "); wait for it to end, or stop it first");
    }
    const std::string own = batchHost() + ", process " + std::to_string(::getpid()) + ",";
    if (::ftruncate(file, 0) != 0 || ::pwrite(file, own.data(), own.size(), 0) != ssize_t(own.size()))
        return makeError(ErrorKind::io, path.string() + ": cannot be written: " + errnoText(),
                         HelpTopic::writeError);
    return lock;
}

BatchLock::~BatchLock()
{
    if (m_file >= 0) ::close(m_file);
}

std::string batchHost()
{
    const char* const node = std::getenv("SLURMD_NODENAME");
    if (node != nullptr && *node != '\0') return node;
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data())
                                                            : std::string("this host");
}

} // namespace lockstep
