// SPDX-License-Identifier: Apache-2.0
// Handles descriptors as daemons and launchers do while it is recorded: descriptors_program MODE, in an empty
// folder. Exits with 0 if no other code changed its files. Modes: closed (closes all descriptors, then opens
// files), replaced (replaces each descriptor that is not its own and stays open by a file of its own),
// removed (closes all and removes the reports), forked (as replaced, in a child), quiet (2 is closed all the
// time), listed (prints the descriptors that it did not open).
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "capture/demo/nvtx_client.h"

namespace {

constexpr size_t kSize = 4096;

std::vector<int> foreignDescriptors()
{
    std::vector<int> numbers;
    DIR* const folder = opendir("/proc/self/fd");
    while (const dirent* const entry = readdir(folder)) {
        const int number = std::atoi(entry->d_name);
        if (number > 2 && number != dirfd(folder)) numbers.push_back(number);
    }
    closedir(folder);
    return numbers;
}

void pairs(const char* who, int count)
{
    for (int i = 0; i < count; ++i) {
        client::push((who + (" " + std::to_string(i))).c_str());
        client::pop();
    }
}

// Returns the total size of all reports.
uint64_t reportedBytes()
{
    uint64_t total = 0;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(std::getenv("LOCKSTEP_OUTPUT"), none)) {
        const uintmax_t size = entry.path().extension() == ".lsc" ? entry.file_size(none) : 0;
        if (!none) total += size;
    }
    return total;
}

void waitForMoreThan(uint64_t bytes)
{
    for (int i = 0; i < 5000 && reportedBytes() <= bytes; ++i)
        usleep(1000);
}

// Skips descriptors that are open only for a moment: the thread that writes the report has none of them open
// while it writes, so a descriptor that was open before and after a write stays open.
std::vector<int> keptDescriptors()
{
    std::vector<int> kept = foreignDescriptors();
    for (int i = 0; i < 3; ++i) {
        const uint64_t before = reportedBytes();
        pairs("kept", 1);
        waitForMoreThan(before);
        const std::vector<int> now = foreignDescriptors();
        std::erase_if(kept, [&](int number) { return std::count(now.begin(), now.end(), number) == 0; });
    }
    return kept;
}

// Records for 600 ms, so that the writer writes several blocks.
void letTheWriterWork(int count)
{
    for (int i = 0; i < 30; ++i) {
        pairs("later", count);
        usleep(20'000);
    }
}

int ownFile(int number)
{
    const int file =
        open(("own" + std::to_string(number) + ".bin").c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
    const std::string content(kSize, 'P');
    return write(file, content.data(), kSize) == static_cast<ssize_t>(kSize) ? file : -1;
}

bool isUntouched(int file)
{
    struct stat status = {};
    std::string content(kSize, '\0');
    return fstat(file, &status) == 0 && status.st_size == static_cast<off_t>(kSize) &&
           pread(file, content.data(), kSize, 0) == static_cast<ssize_t>(kSize) &&
           content == std::string(kSize, 'P');
}

void removeReports()
{
    const char* const output = std::getenv("LOCKSTEP_OUTPUT");
    DIR* const folder = opendir(output);
    while (const dirent* const entry = readdir(folder)) {
        if (std::strstr(entry->d_name, ".lsc") != nullptr)
            unlink((std::string(output) + "/" + entry->d_name).c_str());
    }
    closedir(folder);
}

int closed(bool removes)
{
    for (int number = 3; number < 4096; ++number)
        close(number);
    if (removes) removeReports();
    std::vector<int> files;
    for (int i = 0; i < 8; ++i)
        files.push_back(ownFile(i));
    letTheWriterWork(100);
    for (const int file : files) {
        if (file < 0 || !isUntouched(file)) return 1;
    }
    return 0;
}

// The library must not use any of these descriptors meanwhile: one that is replaced between a check and a
// write cannot be protected.
int replaced(const std::vector<int>& numbers)
{
    std::vector<int> files;
    for (const int number : numbers) {
        const int file = ownFile(number);
        if (file < 0 || dup2(file, number) != number) return 2;
        files.push_back(number);
        close(file);
    }
    letTheWriterWork(100);
    for (const int file : files) {
        if (!isUntouched(file)) return 1;
    }
    return files.empty() ? 3 : 0;
}

int inChild()
{
    const pid_t child = fork();
    if (child == 0) std::exit(replaced(foreignDescriptors())); // its writer has not started yet
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 4;
}

int quiet()
{
    for (int i = 0; i < 20'000; ++i) {
        if (write(2, "a message of the program\n", 25) >= 0 || errno != EBADF) return 1;
        if (i % 20 == 0) pairs("quiet", 1);
        if (i % 1000 == 0) usleep(20'000);
    }
    return fcntl(2, F_GETFD) < 0 ? 0 : 2;
}

} // namespace

int main(int count, char** arguments)
{
    const std::string mode = count > 1 ? arguments[1] : "";
    for (const int inherited : foreignDescriptors())
        close(inherited);
    pairs("first", 1);
    waitForMoreThan(0); // the report is open as soon as it has a header
    if (mode == "closed") return closed(false);
    if (mode == "removed") return closed(true);
    if (mode == "replaced") return replaced(keptDescriptors());
    if (mode == "forked") return inChild();
    if (mode == "quiet") return quiet();
    for (const int number : keptDescriptors())
        std::printf("%d\n", number);
    return 0;
}
