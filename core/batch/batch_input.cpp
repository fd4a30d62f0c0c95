// SPDX-License-Identifier: Apache-2.0
#include "core/batch/batch_input.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <elf.h>
#include <glob.h>
#include <link.h>
#include <sys/stat.h>

#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/readers/workspace_file/workspace_file.h"

namespace lockstep {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::string_view kHexMark = "hex:";

std::string hexOfBytes(std::string_view bytes)
{
    std::string out;
    for (const char c : bytes) {
        out += kHexDigits[static_cast<unsigned char>(c) >> 4];
        out += kHexDigits[static_cast<unsigned char>(c) & 15];
    }
    return out;
}

// Returns the build ID in ELF notes. According to elf(5), a note has the sizes of name and content, a type,
// then name and content, each padded to 4 bytes.
std::string buildIdIn(std::string_view notes)
{
    const auto filled = [](size_t size) { return (size + 3) / 4 * 4; };
    while (notes.size() >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        std::copy_n(notes.data(), sizeof(note), reinterpret_cast<char*>(&note));
        const size_t content = sizeof(note) + filled(note.n_namesz);
        const size_t end = content + filled(note.n_descsz);
        if (end > notes.size()) return {};
        if (note.n_type == NT_GNU_BUILD_ID && notes.substr(sizeof(note)).starts_with("GNU"))
            return hexOfBytes(notes.substr(content, note.n_descsz));
        notes.remove_prefix(end);
    }
    return {};
}

// Stores the build ID of the first object, which is the program itself, and stops the iteration.
int takeBuildId(dl_phdr_info* loaded, size_t, void* out)
{
    for (size_t i = 0; i < loaded->dlpi_phnum; ++i) {
        const auto& part = loaded->dlpi_phdr[i];
        std::string& id = *static_cast<std::string*>(out);
        if (part.p_type != PT_NOTE || !id.empty()) continue;
        id = buildIdIn({reinterpret_cast<const char*>(loaded->dlpi_addr + part.p_vaddr), part.p_memsz});
    }
    return 1;
}

} // namespace

InputStamp stampOf(const fs::path& path)
{
    struct stat found = {};
    if (::stat(path.c_str(), &found) != 0) return {};
    return {static_cast<uint64_t>(found.st_size),
            int64_t(found.st_mtim.tv_sec) * 1'000'000'000 + found.st_mtim.tv_nsec, uint64_t(found.st_ino)};
}

std::string thisProgram()
{
    static const std::string kProgram = [] {
        std::string id;
        ::dl_iterate_phdr(takeBuildId, &id);
        return "lockstep " LOCKSTEP_VERSION ", format " + std::to_string(kWorkspaceFormat) +
               (id.empty() ? "" : ", build " + id.substr(0, 16));
    }();
    return kProgram;
}

BatchInput batchInput(const fs::path& path, uint64_t memory_bytes)
{
    BatchInput input{path, stampOf(path), memory_bytes, {}};
    const InputStamp& stamp = input.stamp;
    std::string said = thisProgram() + '\0' + path.string() + '\0';
    for (const uint64_t number : {stamp.size_bytes, static_cast<uint64_t>(stamp.modified_ns), stamp.inode})
        said += std::to_string(number) + ' ';
    input.key = Sha256::of(said).substr(0, 32);
    return input;
}

std::vector<fs::path> filesOfPattern(const std::string& pattern)
{
    std::error_code ignored;
    if (pattern.find_first_of("*?[") == pattern.npos || fs::exists(pattern, ignored)) return {pattern};
    glob_t found = {};
    std::vector<fs::path> out;
    // Sorted by bytes, independent of the locale.
    if (::glob(pattern.c_str(), GLOB_NOESCAPE | GLOB_NOSORT, nullptr, &found) == 0)
        out.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    ::globfree(&found);
    std::ranges::sort(out, {}, [](const fs::path& path) { return path.native(); });
    if (out.empty()) out.emplace_back(pattern);
    return out;
}

std::string jsonNameOf(const fs::path& path)
{
    const std::string& name = path.native();
    return isValidUtf8(name) && !name.starts_with(kHexMark) ? name : std::string(kHexMark) + hexOfBytes(name);
}

Result<fs::path> pathOfJsonName(const std::string& name)
{
    if (!name.starts_with(kHexMark)) return fs::path(name);
    const std::string_view digits = std::string_view(name).substr(kHexMark.size());
    std::string bytes(digits.size() / 2, '\0');
    for (size_t i = 0; i < bytes.size(); ++i) {
        unsigned value = 0;
        const char* const at = digits.data() + 2 * i;
        if (std::from_chars(at, at + 2, value, 16).ptr != at + 2)
            return makeError(ErrorKind::corrupt, "'" + name + "' is not a valid encoded file name");
        bytes[i] = static_cast<char>(value);
    }
    return fs::path(bytes);
}

} // namespace lockstep
