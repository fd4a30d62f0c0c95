// SPDX-License-Identifier: Apache-2.0
#include "core/batch/batch_folder.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <random>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/mapped_file.h"
#include "core/base/output_file.h"
#include "core/base/private_file.h"
#include "core/base/text.h"

namespace lockstep {

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

Status readTask(const Json& list, BatchTasks& tasks, std::vector<bool>& isDealt)
{
    std::vector<uint32_t>& task = tasks.tasks.emplace_back();
    for (const Json& item : list.is_array() ? list : Json::array()) {
        const auto number = integerOf(item);
        const bool isThere = number && *number >= 0 && static_cast<size_t>(*number) < isDealt.size();
        if (!isThere || isDealt[static_cast<size_t>(*number)])
            return makeError(ErrorKind::corrupt,
                             "a task lists an input that does not exist or that belongs to another task");
        isDealt[static_cast<size_t>(*number)] = true;
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
    Json inputs = Json::array(), dealt = Json::array();
    for (const BatchInput& input : tasks.inputs)
        inputs.push_back(jsonOf(input));
    for (const auto& task : tasks.tasks)
        dealt.push_back(Json(task));
    const Json page{{"lockstep_batch", kTaskListVersion}, {"program", tasks.program},
                    {"plan_sha256", tasks.planDigest},    {"folder", jsonNameOf(tasks.folder)},
                    {"inputs", std::move(inputs)},        {"tasks", std::move(dealt)}};
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
    std::vector<bool> isDealt(out.inputs.size());
    for (const Json& task : listAt(page, "tasks"))
        LOCKSTEP_TRY(readTask(task, out, isDealt));
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
        std::array<char, 512> who{};
        const ssize_t size = ::pread(file, who.data(), who.size(), 0);
        return makeError(ErrorKind::io, (size > 0 ? printable({who.data(), static_cast<size_t>(size)})
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
