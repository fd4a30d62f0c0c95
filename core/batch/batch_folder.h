// SPDX-License-Identifier: Apache-2.0
// BatchFolder is OUTPUT/.batch, the stored state of a batch: its task list, a result for each report, logs,
// the running Slurm job, and the lock. The folder has mode 0700 and its files 0600. Each file is written
// completely or not at all. The batch command writes the task list. The tasks read the list and write
// results. Any thread, except for BatchLock.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/json_fields.h"
#include "core/base/result.h"

namespace lockstep {

// Size, modification time and inode of a file; of a recording in several files, their total size, the latest
// time, and the inode of the first. They are the same on all machines that share the file system. All are 0
// if a file does not exist.
struct InputStamp {
    uint64_t size_bytes = 0;
    int64_t modified_ns = 0;
    uint64_t inode = 0;

    friend bool operator==(const InputStamp&, const InputStamp&) = default;
};

InputStamp stampOf(const std::filesystem::path& path);

// BatchInput is one report of a batch, together with the version of its file when the batch began. A changed
// file is a different input, so results from the earlier version are not used for it. Created by the batch
// command, read by tasks. Any thread.
struct BatchInput {
    std::filesystem::path path;
    InputStamp stamp;
    uint64_t memory_bytes = 0; // estimated memory that the opened report needs
    std::string key;           // used in the file name of the result; derived from path, stamp and program
};

// Returns a description of this program that includes its build ID, because two builds of the same version
// may read a file differently.
std::string thisProgram();

// Returns the input with the current stamp and its key.
BatchInput batchInput(const std::filesystem::path& path, uint64_t memory_bytes);

// Returns the files that match a pattern (* ? [), sorted. Returns the pattern itself if a file with that name
// exists or nothing matches.
std::vector<std::filesystem::path> filesOfPattern(const std::string& pattern);

// Encodes a path, which may contain any bytes except NUL, as UTF-8 for JSON. Valid UTF-8 is unchanged;
// otherwise returns "hex:" followed by the bytes in hexadecimal.
std::string jsonNameOf(const std::filesystem::path& path);
// Decodes a path encoded by jsonNameOf(). Returns corrupt if a hexadecimal digit is invalid.
Result<std::filesystem::path> pathOfJsonName(const std::string& name);

// The task list.
struct BatchTasks {
    std::string program;            // the program that wrote the task list, see thisProgram()
    std::string planDigest;         // sha256 of the plan's text
    std::filesystem::path folder;   // folder of the plan; paths are relative to it
    std::vector<BatchInput> inputs; // in the order in which the tables list them
    // For each task, the indexes of its inputs; each index is in at most one task.
    std::vector<std::vector<uint32_t>> tasks;
};

class BatchFolder {
  public:
    explicit BatchFolder(std::filesystem::path folder) : m_folder(std::move(folder)) {}
    static BatchFolder below(const std::filesystem::path& output) { return BatchFolder(output / ".batch"); }

    const std::filesystem::path& path() const { return m_folder; }
    std::filesystem::path reports() const { return m_folder / "reports"; }
    // Returns the path of the result, a .lockstep file.
    std::filesystem::path resultOf(const BatchInput& input) const;
    // Returns the path of the failure, a JSON file.
    std::filesystem::path failureOf(const BatchInput& input) const;
    std::filesystem::path logOf(size_t task) const;
    std::filesystem::path jobFile() const { return m_folder / "job.json"; }
    // Returns a new file name for each submission, so that the job of a submission can be found in Slurm's
    // queue.
    std::filesystem::path newScriptFile() const;

    // Creates the folders. Returns io if a folder cannot be created or written to.
    Status make() const;
    // Writes the task list. Errors: io.
    Status writeTasks(const BatchTasks& tasks) const;
    // Reads the task list. Errors: notFound; corrupt if the file is not a task list, or if it refers to
    // inputs that do not exist.
    Result<BatchTasks> readTasks() const;
    // Returns the sorted names of the files in reports(), read from the disk each time. Returns an empty list
    // if the folder cannot be read.
    std::vector<std::string> namesOfResults() const;

  private:
    std::filesystem::path m_folder;
};

// Writes text to a file that only the user can read, through a temporary file and a rename. Errors: io.
Status writeBatchFile(const std::filesystem::path& path, std::string_view text);

// BatchLock is the exclusive lock of a batch, across machines. It is released when the object is deleted or
// its process ends for any reason.
class BatchLock {
  public:
    // Takes the lock. Returns io if another process holds the lock (the message identifies the process), or
    // if the file system does not support locks.
    static Result<BatchLock> take(const BatchFolder& folder);
    BatchLock(BatchLock&& other) noexcept : m_file(std::exchange(other.m_file, -1)) {}
    BatchLock& operator=(BatchLock&&) = delete;
    ~BatchLock();

  private:
    explicit BatchLock(int file) : m_file(file) {}
    int m_file = -1;
};

// Returns this machine's name. In a Slurm job, returns Slurm's name for the node.
std::string batchHost();

} // namespace lockstep
