// SPDX-License-Identifier: Apache-2.0
// BatchFolder: OUTPUT/.batch, where a batch keeps what it must know again: its tasks, a result for each
// report, logs, the Slurm job that is under way, and who is at it. 0700, files 0600, each whole or not there.
// The batch command writes the task list, tasks read it and write results. Any thread but for the lock's.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/json_fields.h"
#include "core/batch/batch_input.h"

namespace lockstep {

// The task list.
struct BatchTasks {
    std::string program;                      // who made it, see thisProgram()
    std::string planDigest;                   // sha256 of the plan's text
    std::filesystem::path folder;             // the plan's: paths are from there
    std::vector<BatchInput> inputs;           // in the order of the tables
    std::vector<std::vector<uint32_t>> tasks; // positions in inputs, no two alike
};

class BatchFolder {
  public:
    explicit BatchFolder(std::filesystem::path folder) : m_folder(std::move(folder)) {}
    static BatchFolder below(const std::filesystem::path& output) { return BatchFolder(output / ".batch"); }

    const std::filesystem::path& path() const { return m_folder; }
    std::filesystem::path reports() const { return m_folder / "reports"; }
    std::filesystem::path resultOf(const BatchInput& input) const;  // a .lockstep file
    std::filesystem::path failureOf(const BatchInput& input) const; // JSON
    std::filesystem::path logOf(size_t task) const;
    std::filesystem::path jobFile() const { return m_folder / "job.json"; }
    // A name that no submission had before, so that Slurm's queue shows which job a submission became.
    std::filesystem::path newScriptFile() const;

    // io where a folder cannot be made or written to.
    Status make() const;
    // Whole or not at all, as every file here. io.
    Status writeTasks(const BatchTasks& tasks) const;
    // notFound; corrupt where it is no task list, or one that names what is not there.
    Result<BatchTasks> readTasks() const;
    // Names of the files in reports(), asked of the disk anew. Empty where it cannot be read.
    std::vector<std::string> namesOfResults() const;

  private:
    std::filesystem::path m_folder;
};

// Writes a text as a file of the user's alone, by another name first. io.
Status writeBatchFile(const std::filesystem::path& path, std::string_view text);

// Who has a batch. One start has it at a time, whatever machine it is on; whatever ends it, it is free again.
class BatchLock {
  public:
    // io, "... has this batch", where another one holds it.
    static Result<BatchLock> take(const BatchFolder& folder);
    BatchLock(BatchLock&& other) noexcept : m_file(std::exchange(other.m_file, -1)) {}
    BatchLock& operator=(BatchLock&&) = delete;
    ~BatchLock();

  private:
    explicit BatchLock(int file) : m_file(file) {}
    int m_file = -1;
};

// This machine's name; in a Slurm job the node's, as Slurm calls it.
std::string batchHost();

} // namespace lockstep
