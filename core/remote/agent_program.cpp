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

namespace {

Result<AgentProgram> withLibrary(AgentProgram program)
{
    const fs::path beside = QCoreApplication::applicationDirPath().toStdString();
    std::vector<fs::path> places{beside / "liblockstep_capture.so", beside / "../lib/liblockstep_capture.so",
                                 beside / "../lib64/liblockstep_capture.so",
                                 beside / "../lib/x86_64-linux-gnu/liblockstep_capture.so",
                                 beside / "../lib/aarch64-linux-gnu/liblockstep_capture.so"};
    if (const char* named = std::getenv("LOCKSTEP_CAPTURE_LIBRARY")) places = {named};
    std::error_code error;
    const auto there =
        std::ranges::find_if(places, [&](const fs::path& path) { return fs::is_regular_file(path, error); });
    if (there == places.end()) return program; // only sessions with "tool: capture" need the library
    const MappedFile file = LOCKSTEP_TRY(MappedFile::open(*there));
    program.library = QByteArray(file.text().data(), static_cast<qsizetype>(file.size()));
    program.librarySha256 = Sha256::of(file.text());
    return program;
}

} // namespace

Result<AgentProgram> findAgentProgram()
{
    fs::path path = QCoreApplication::applicationDirPath().toStdString() + "/lockstep-agent";
    if (const char* named = std::getenv("LOCKSTEP_AGENT")) path = named;
    std::error_code error;
    if (!fs::is_regular_file(path, error)) {
        return makeError(
            ErrorKind::notFound,
            path.string() +
                ": lockstep-agent not found; install it next to lockstep, or set LOCKSTEP_AGENT to its path");
    }
    const MappedFile file = LOCKSTEP_TRY(MappedFile::open(path));
    return withLibrary({QByteArray(file.text().data(), static_cast<qsizetype>(file.size())),
                        Sha256::of(file.text()),
                        {},
                        {}});
}

} // namespace lockstep
