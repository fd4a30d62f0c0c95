// SPDX-License-Identifier: Apache-2.0
#include "tests/support/ray_site.h"

#include <algorithm>
#include <csignal>
#include <fstream>

#include <QJsonDocument>
#include <QJsonObject>

#include "tests/support/places.h"
#include "tests/support/temp_dir.h"

namespace lockstep::test {

namespace fs = std::filesystem;

namespace {

int pidIn(const fs::path& file)
{
    int pid = 0;
    std::ifstream(file) >> pid;
    return pid;
}

} // namespace

RaySite::RaySite(fs::path folder) : m_folder(std::move(folder))
{
    fs::create_directories(bin());
    fs::create_directories(stateFolder() / "jobs");
    const fs::path program = bin() / "ray";
    std::ofstream(program) << "#!/bin/sh\nRAY_STAND_IN='" << stateFolder().string()
                           << "'\nexport RAY_STAND_IN\nexec python3 '"
                           << (sourceFolder() / "tests/support/ray_stand_in.py").string() << "' \"$@\"\n";
    fs::permissions(program, fs::perms::owner_all);
}

RaySite::~RaySite()
{
    unset("hold");
    for (const std::string& job : jobs()) {
        if (const std::string word = state(job); word != "PENDING" && word != "RUNNING") continue;
        const fs::path at = stateFolder() / "jobs" / job;
        // Stops the supervisor first: otherwise it would start the command, or write its end.
        if (const int pid = pidIn(at / "supervisor.pid"); pid > 1) ::kill(pid, SIGKILL);
        if (const int pid = pidIn(at / "child.pid"); pid > 1) ::kill(-pid, SIGKILL);
    }
}

void RaySite::set(std::string_view name, std::string_view text) const
{
    std::ofstream(stateFolder() / name) << text;
}

void RaySite::unset(std::string_view name) const
{
    std::error_code ignored;
    fs::remove(stateFolder() / name, ignored);
}

std::vector<std::string> RaySite::jobs() const
{
    std::vector<std::string> found;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(stateFolder() / "jobs", ignored))
        found.push_back(entry.path().filename().string());
    std::ranges::sort(found);
    return found;
}

std::string RaySite::state(const std::string& job) const
{
    const std::string info = file(job, "info.json");
    return QJsonDocument::fromJson(QByteArray::fromStdString(info))
        .object()["status"]
        .toString()
        .toStdString();
}

std::string RaySite::file(const std::string& job, const std::string& name) const
{
    return contentOf(stateFolder() / "jobs" / job / name);
}

std::string RaySite::calls() const
{
    return contentOf(stateFolder() / "calls");
}

} // namespace lockstep::test
