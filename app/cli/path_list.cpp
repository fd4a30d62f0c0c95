// SPDX-License-Identifier: Apache-2.0
#include "app/cli/path_list.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include <poll.h>
#include <unistd.h>

namespace lockstep {

namespace {

namespace fs = std::filesystem;

// Reads all of standard input. An interrupt ends the blocking read. Errors: canceled, io.
Result<std::string> readStandardInput(const Interrupt& interrupt)
{
    std::string text;
    std::array<char, 64 * 1024> piece;
    for (;;) {
        std::array<pollfd, 2> waits{{{STDIN_FILENO, POLLIN, 0}, {interrupt.wakeFile(), POLLIN, 0}}};
        if (::poll(waits.data(), waits.size(), -1) < 0) continue;
        if (interrupt.wasRequested()) return makeError(ErrorKind::canceled, "canceled");
        const ssize_t size = ::read(STDIN_FILENO, piece.data(), piece.size());
        if (size == 0) return text;
        if (size > 0) {
            text.append(piece.data(), static_cast<size_t>(size));
        } else if (errno != EINTR) {
            return makeError(ErrorKind::io,
                             std::string("standard input: cannot read: ") + std::strerror(errno));
        }
    }
}

} // namespace

std::vector<fs::path> pathsInList(std::string_view text)
{
    const char between = text.find('\0') == text.npos ? '\n' : '\0';
    std::vector<fs::path> paths;
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find(between, begin), text.size());
        if (end > begin) paths.emplace_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return paths;
}

Result<std::vector<fs::path>> readPathList(const Interrupt& interrupt)
{
    return pathsInList(LOCKSTEP_TRY(readStandardInput(interrupt)));
}

} // namespace lockstep
