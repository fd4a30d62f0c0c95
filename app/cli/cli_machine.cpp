// SPDX-License-Identifier: Apache-2.0
#include "app/cli/cli_machine.h"

#include "app/cli/cli_session.h"
#include "core/base/text.h"

namespace lockstep {

Status setJobs(CommandLine& line, std::string_view value)
{
    const auto jobs = parseInt(value);
    if (!jobs || *jobs < 1 || *jobs > 4096)
        return usage("--jobs '" + std::string(value) + "': use a number from 1 to 4096");
    line.jobs = static_cast<size_t>(*jobs);
    return {};
}

namespace {

Result<uint64_t> bytesOf(std::string_view option, std::string_view value)
{
    if (const auto bytes = parseBytes(value); bytes && *bytes > 0) return static_cast<uint64_t>(*bytes);
    return usage(std::string(option) + " '" + std::string(value) +
                 "': use a number of bytes, for example 512M or 16G");
}

} // namespace

Status setMemoryLimit(CommandLine& line, std::string_view value)
{
    line.memoryLimit_bytes = LOCKSTEP_TRY(bytesOf("--memory-limit", value));
    return {};
}

Status setCache(CommandLine& line, std::string_view value)
{
    line.disk.folder = value;
    return {};
}

Status setCacheLimit(CommandLine& line, std::string_view value)
{
    line.disk.max_bytes = LOCKSTEP_TRY(bytesOf("--cache-limit", value));
    return {};
}

Status setCacheCheck(CommandLine& line, std::string_view value)
{
    if (value != "state" && value != "content")
        return usage("--cache-check '" + std::string(value) + "': use state or content");
    line.disk.comparesContent = value == "content";
    return {};
}

} // namespace lockstep
