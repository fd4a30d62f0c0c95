// SPDX-License-Identifier: Apache-2.0
#include "core/servers/server_files.h"

#include <algorithm>
#include <array>

#include "core/base/pattern.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

struct NamedPattern {
    std::string_view expression;
    ServerFile file;
};

constexpr std::array<NamedPattern, 4> kVllmNames{
    {{R"(.+_\d+\.async_llm\.\d+\.pt\.trace\.json(\.gz)?)", ServerFile::frontend},
     {R"((.+_)?dp\d+_pp\d+_tp\d+(_dcp\d+)?_ep\d+_rank\d+\.\d+\.pt\.trace\.json(\.gz)?)", ServerFile::trace},
     {R"(.+-rank-\d+\.\d+\.pt\.trace\.json(\.gz)?)", ServerFile::trace},
     {R"(.+_\d+\.\d+\.pt\.trace\.json(\.gz)?)", ServerFile::trace}}};
constexpr std::array<NamedPattern, 5> kSglangNames{
    {{R"(.+\.part\d+\.trace\.json\.gz)", ServerFile::part},
     {R"(merged-.+\.trace\.json\.gz)", ServerFile::merged},
     {R"(.+-TP-\d+-memory(-\w+)?\.pickle)", ServerFile::memory},
     {R"(.+-TP-\d+(-DP-\d+)?(-PP-\d+)?(-EP-\d+)?(-[\w.]+)?\.trace\.json\.gz)", ServerFile::trace},
     {R"(rpd-.+-TP-\d+\.trace\.json\.gz)", ServerFile::trace}}};

template<size_t N>
ServerFile fileByName(const std::array<NamedPattern, N>& names, std::string_view name)
{
    static const std::array<Pattern, N> kCompiled = [&names] {
        return [&names]<size_t... kIndex>(std::index_sequence<kIndex...>)
        {
            return std::array<Pattern, N>{*Pattern::compile(names[kIndex].expression)...};
        }
        (std::make_index_sequence<N>());
    }();
    for (size_t i = 0; i < N; ++i) {
        if (kCompiled[i].fullMatch(name)) return names[i].file;
    }
    return ServerFile::other;
}

} // namespace

ServerFile serverFileOf(ServerKind kind, std::string_view name)
{
    return kind == ServerKind::vllm ? fileByName(kVllmNames, name) : fileByName(kSglangNames, name);
}

std::string folderListText(const std::string& quotedFolder)
{
    // `stat -c` exists in GNU coreutils and busybox. `find` prints nothing for an empty folder.
    return "cd " + quotedFolder +
           " 2>/dev/null || exit 2; find . -maxdepth 1 -type f -exec stat -c '%s %Y %n' {} + 2>/dev/null; exit 0";
}

FolderFiles folderFilesFrom(std::string_view text)
{
    FolderFiles files;
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = text.substr(begin, end - begin);
        begin = end + 1;
        const size_t first = line.find(' ');
        const size_t second = first == line.npos ? line.npos : line.find(' ', first + 1);
        if (second == line.npos) continue;
        const auto size_bytes = parseInt(line.substr(0, first));
        const auto modified_s = parseInt(line.substr(first + 1, second - first - 1));
        std::string_view name = line.substr(second + 1);
        if (name.starts_with("./")) name.remove_prefix(2);
        if (size_bytes && modified_s && !name.empty()) files[std::string(name)] = {*size_bytes, *modified_s};
    }
    return files;
}

ExpectedTraces expectedTraces(const ServerFacts& facts, const ServerRecording& recording)
{
    if (!facts.writers) {
        return {std::nullopt, facts.kind == ServerKind::vllm
                                  ? "vLLM does not report its number of workers"
                                  : "the server does not report its parallel sizes"};
    }
    const int64_t stages = recording.isByStage ? 2 : 1;
    std::string reason = std::string("one per scheduler") + (stages > 1 ? " and stage" : "");
    if (facts.nodes > 1)
        reason += ", on the checked node; the server has " + std::to_string(facts.nodes) + " nodes";
    return {*facts.writers / facts.nodes * stages, reason};
}

bool WrittenFiles::isComplete(int64_t expected) const
{
    return parts.empty() && static_cast<int64_t>(traces.size()) >= expected;
}

WrittenFiles writtenFiles(ServerKind kind, const FolderFiles& before, const FolderFiles& after)
{
    WrittenFiles written;
    for (const auto& [name, file] : after) {
        const auto old = before.find(name);
        if (old != before.end() && old->second == file) continue;
        const ServerFile what = serverFileOf(kind, name);
        if (what == ServerFile::other) continue;
        written.files[name] = file;
        if (what == ServerFile::part) {
            written.parts.push_back(name);
            continue;
        }
        written.size_bytes += file.size_bytes;
        (what == ServerFile::trace ? written.traces : written.others).push_back(name);
    }
    return written;
}

} // namespace lockstep
