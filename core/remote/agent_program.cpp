// SPDX-License-Identifier: Apache-2.0
#include "core/remote/agent_program.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include <QCoreApplication>

#include "core/base/mapped_file.h"
#include "core/base/sha256.h"

namespace lockstep {

namespace fs = std::filesystem;

AgentProgramFiles findAgentProgramFiles()
{
    const fs::path folder = QCoreApplication::applicationDirPath().toStdString();
    std::vector<fs::path> places{folder / "liblockstep_capture.so", folder / "../lib/liblockstep_capture.so",
                                 folder / "../lib64/liblockstep_capture.so",
                                 folder / "../lib/x86_64-linux-gnu/liblockstep_capture.so",
                                 folder / "../lib/aarch64-linux-gnu/liblockstep_capture.so"};
    if (const char* named = std::getenv("LOCKSTEP_CAPTURE_LIBRARY")) places = {named};
    std::error_code error;
    const auto there =
        std::ranges::find_if(places, [&](const fs::path& path) { return fs::is_regular_file(path, error); });
    const char* const named = std::getenv("LOCKSTEP_AGENT");
    return {named != nullptr ? fs::path(named) : folder / "lockstep-agent",
            there != places.end() ? *there : fs::path()};
}

Result<AgentProgram> findAgentProgram()
{
    const auto [agent, library] = findAgentProgramFiles();
    std::error_code error;
    if (!fs::is_regular_file(agent, error)) {
        return makeError(
            ErrorKind::notFound,
            agent.string() +
                ": lockstep-agent not found; install it next to lockstep, or set LOCKSTEP_AGENT to its path");
    }
    const MappedFile file = LOCKSTEP_TRY(MappedFile::open(agent));
    AgentProgram program{
        QByteArray(file.text().data(), static_cast<qsizetype>(file.size())), Sha256::of(file.text()), {}, {}};
    if (library.empty()) return program; // only sessions with "tool: capture" need the library
    const MappedFile content = LOCKSTEP_TRY(MappedFile::open(library));
    program.library = QByteArray(content.text().data(), static_cast<qsizetype>(content.size()));
    program.librarySha256 = Sha256::of(content.text());
    return program;
}

} // namespace lockstep
