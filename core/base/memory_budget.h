// SPDX-License-Identifier: Apache-2.0
// MemoryBudget: how much memory what is loaded may take, and who has how much of it. One for a program, made
// by whoever starts it and handed to everything that loads; so all of them go by the same account, and what
// does not fit is told in the same words. Any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/base/spill_folder.h"

namespace lockstep {

class MemoryBudget {
    struct Account;

  public:
    // Memory that was taken, until this goes. Outlives the budget where it must. Moves, is not copied.
    class Lease {
      public:
        Lease() = default; // of nothing
        ~Lease() { give(); }
        Lease(Lease&& other) noexcept;
        Lease& operator=(Lease&& other) noexcept;

        uint64_t bytes() const { return m_bytes; }
        // What it really is, once that is known, whatever the limit.
        void resize(uint64_t bytes);

      private:
        friend class MemoryBudget;
        Lease(std::shared_ptr<Account> account, uint64_t bytes);
        void give();

        std::shared_ptr<Account> m_account;
        uint64_t m_bytes = 0;
    };

    struct Options {
        uint64_t limit_bytes = 0; // 0 = none
        std::string advice;       // what the user can do about a refusal: "close reports"
        // What the process really holds; where that is more than all leases it counts in their place. Empty:
        // leases alone count.
        std::function<uint64_t()> measure_bytes;
        std::shared_ptr<SpillFolder> disk = {}; // for what finds no room; null: it is refused
    };
    // Room for a report: memory that was taken, and where its columns go.
    struct Room {
        Lease memory;
        ColumnPlace place;
    };
    explicit MemoryBudget(Options options);

    // Counts for what is taken from now on. 0 = none.
    void setLimit(uint64_t limit_bytes);
    void setDisk(std::shared_ptr<SpillFolder> disk); // before the first room is asked for
    uint64_t limit_bytes() const;
    uint64_t taken_bytes() const;
    bool hasRoom(uint64_t bytes) const;
    bool hasDisk() const; // for what finds no room

    // io where it would pass the limit; the message names `what`, the limit, what is taken, and what to do.
    Result<Lease> take(uint64_t bytes, const std::string& what);
    // The same, or a place on disk where memory has no room: the lease is of what a report takes besides its
    // columns then. io where the disk has none either.
    Result<Room> room(uint64_t bytes, const std::string& what);
    // Whatever the limit.
    Lease force(uint64_t bytes);

  private:
    std::shared_ptr<Account> m_account;
};

// Memory that this process holds now: its own, and pages of mapped files, which the system can bring back. 0
// where the system does not say.
struct HeldMemory {
    uint64_t own_bytes = 0;
    uint64_t ofFiles_bytes = 0;
};
HeldMemory heldMemory();
uint64_t residentMemory_bytes(); // both
uint64_t ownMemory_bytes();
// What the machine has; 0 likewise.
uint64_t machineMemory_bytes();

// Once, before anything large is held: blocks of a MiB and more go back to the system whenever they are
// freed. Else the allocator keeps ever larger ones for later, and small ones that stay settle in them.
void returnLargeBlocks();
// What is free now, goes back to the system now. Takes milliseconds.
void returnFreeMemory();

} // namespace lockstep
