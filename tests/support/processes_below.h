// SPDX-License-Identifier: Apache-2.0
// Finds the processes that a test started below its own folder and that still run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <QDir>
#include <QFile>
#include <unistd.h>

namespace lockstep::test {

// Returns "" for a process that ends meanwhile, where a stream would throw.
inline std::string procFile(const std::filesystem::path& path)
{
    QFile file(QString::fromStdString(path.string()));
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

// Returns processes that run below a folder or have it in their arguments, without zombies: all, or the ranks
// of the demo that have this variable ("RANK=2"). A removed folder counts, too.
inline std::vector<pid_t> processesBelow(const std::filesystem::path& folder,
                                         const std::string& variable = {})
{
    std::vector<pid_t> found;
    std::error_code error;
    for (const QString& name : QDir("/proc").entryList(QDir::Dirs)) {
        const pid_t pid = name.toInt();
        const std::filesystem::path process = "/proc/" + name.toStdString();
        if (pid <= 0) continue;
        const std::string command = procFile(process / "cmdline");
        const bool isBelow =
            std::filesystem::read_symlink(process / "cwd", error).string().starts_with(folder.string()) ||
            command.find(folder.string()) != std::string::npos;
        if (command.empty() || !isBelow || pid == ::getpid()) continue;
        const bool isRank = command.find(std::string("\0rank", 5)) != std::string::npos;
        const std::string environment = '\0' + procFile(process / "environ");
        if (variable.empty() || (isRank && environment.find('\0' + variable + '\0') != std::string::npos))
            found.push_back(pid);
    }
    return found;
}

} // namespace lockstep::test
