// SPDX-License-Identifier: Apache-2.0
// MemoryBudget tracks the memory used by loaded data. Each program creates one at its start and passes it to
// all code that loads data, so that everything shares one account and one error message. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/spill_folder.h"

namespace lockstep {

class MemoryBudget {
    struct Account;

  public:
    // A reservation of memory that ends with this object. May outlive the budget. Movable, not copyable.
    class Lease {
      public:
        Lease() = default; // an empty reservation
        ~Lease() { release(); }
        Lease(Lease&& other) noexcept;
        Lease& operator=(Lease&& other) noexcept;

        uint64_t bytes() const { return m_bytes; }
        // Sets the actual size once the size is known, even if the limit is then exceeded.
        void resize(uint64_t bytes);

      private:
        friend class MemoryBudget;
        Lease(std::shared_ptr<Account> account, uint64_t bytes);
        void release();

        std::shared_ptr<Account> m_account;
        uint64_t m_bytes = 0;
    };

    struct Options {
        uint64_t limit_bytes = 0; // 0 = none
        std::string advice;       // remedy for the error message: "close reports"
        // Measures the memory of the process. If the result exceeds the sum of all leases, it is used instead
        // of the sum. If empty, only leases count.
        std::function<uint64_t()> measure_bytes;
        // Place for reports that do not fit in memory; if null, such reports are rejected.
        std::shared_ptr<SpillFolder> disk = {};
    };
    // Room for a report: the reserved memory and the place for its columns.
    struct Reservation {
        Lease memory;
        ColumnPlace place;
    };
    explicit MemoryBudget(Options options);

    // Sets the limit for later reservations. 0 = no limit.
    void setLimit(uint64_t limit_bytes);
    void setDisk(std::shared_ptr<SpillFolder> disk); // call before the first room()
    uint64_t limit_bytes() const;
    uint64_t used_bytes() const;
    bool hasRoom(uint64_t bytes) const;
    bool hasDisk() const; // true if reports that do not fit can go to disk

    // Reserves memory. Returns io if the limit would be exceeded; the message contains `what`, the limit, the
    // memory in use and the remedy.
    Result<Lease> take(uint64_t bytes, const std::string& what);
    // Reserves memory, or a place on disk if there is not enough memory. For a place on disk, the lease
    // covers only what the report needs in addition to its columns. Returns io if the disk does not have
    // enough space either.
    Result<Reservation> room(uint64_t bytes, const std::string& what);
    // Reserves memory even if the limit is then exceeded.
    Lease force(uint64_t bytes);

  private:
    std::shared_ptr<Account> m_account;
};

// Memory that this process uses now: private memory, and pages of mapped files, which the system can reload.
// 0 if the operating system does not report it.
struct MemoryUsage {
    uint64_t own_bytes = 0;
    uint64_t mappedFiles_bytes = 0;
};
MemoryUsage currentMemoryUsage();
uint64_t privateMemory_bytes();
// Returns the memory of the machine, or 0 if unknown.
uint64_t machineMemory_bytes();

// Configures the allocator to return blocks of 1 MiB or more to the system when they are freed. Call it once,
// before large allocations. Otherwise the allocator keeps ever larger blocks for reuse and places small
// long-lived allocations in them.
void returnLargeBlocks();
// Returns free heap memory to the system. Takes milliseconds.
void returnFreeMemory();

// Returns the smallest memory limit of a version 2 control group (a container, a Slurm job) and its
// ancestors, or 0 if none has a limit. `root` is the mount point of the hierarchy, "/sys/fs/cgroup"; `groups`
// is the content of /proc/self/cgroup.
uint64_t cgroupMemoryLimit_bytes(const std::filesystem::path& root, std::string_view groups);

} // namespace lockstep
