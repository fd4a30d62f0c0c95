// SPDX-License-Identifier: Apache-2.0
#include "core/session/shell/script.h"

#include <algorithm>

#include "core/session/shell/reader.h"
#include "core/session/shell_quote.h"

namespace lockstep::shell {

namespace {

std::vector<std::string> batchOptionsOf(std::string_view text)
{
    std::vector<std::string> options;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (!line.starts_with("#SBATCH")) continue;
        line.remove_prefix(7);
        if (const Result<ShellWords> words = splitShellWords(line))
            options.insert(options.end(), words->words.begin(), words->words.end());
    }
    return options;
}

void noteDefaults(Notes& notes)
{
    if (notes.defaults.empty()) return;
    constexpr size_t kMaxNamed = 8;
    std::string names;
    int line = 0;
    size_t count = 0;
    for (const auto& [name, at] : notes.defaults) {
        if (++count <= kMaxNamed) names += (names.empty() ? "" : ", ") + name;
        line = line == 0 ? at : std::min(line, at);
    }
    if (count > kMaxNamed) names += " and " + std::to_string(count - kMaxNamed) + " more";
    notes.add(line, false, "the script's defaults are used for variables that a caller may set: " + names);
}

} // namespace

Result<Script> readScript(std::string_view text, int firstLine,
                          std::span<const std::pair<std::string, Text>> exported)
{
    if (text.size() > kMaxBytes) return makeError(ErrorKind::invalid, "the text is larger than 1 MiB");
    Script script;
    Reader reader(script);
    for (const auto& [name, value] : exported) {
        reader.state().set(name, {value});
        reader.state().variables.find(name)->second.isExported = true;
    }
    LOCKSTEP_TRY(reader.read(text, firstLine));
    script.batchOptions = batchOptionsOf(text);
    for (const auto& [name, variable] : reader.state().variables) {
        if (!variable.isArray && !variable.values.empty())
            script.variables.emplace_back(name, variable.values[0]);
    }
    noteDefaults(reader.notes());
    script.notes = std::move(reader.notes().all);
    std::ranges::stable_sort(script.notes, {}, &Note::line);
    return script;
}

} // namespace lockstep::shell
