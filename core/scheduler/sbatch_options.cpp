// SPDX-License-Identifier: Apache-2.0
#include "core/scheduler/sbatch_options.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/base/text.h"

namespace lockstep {

namespace {

enum class Use : uint8_t { reject, remove };

struct CheckedOption {
    std::string_view name;
    size_t shortest; // minimum length of a prefix that getopt_long(3) accepts for this option
    char letter;     // 0 = none
    Use use;
    std::string_view why;
};
constexpr std::array<CheckedOption, 7> kCheckedOptions{
    {{"array", 2, 'a', Use::reject,
      "a job array is several jobs, but a run is one job; remove it and start one run per task"},
     {"test-only", 2, 0, Use::reject, "it submits nothing; remove it"},
     {"wrap", 2, 0, Use::reject, "the run provides its own script; remove it and set 'command'"},
     {"wait", 4, 'W', Use::remove, "Lockstep itself waits for the job"},
     {"parsable", 4, 0, Use::remove, "Lockstep reads the job id itself"},
     {"quiet", 2, 'Q', Use::remove, "it hides the job id"},
     {"requeue", 3, 0, Use::remove,
      "a job that starts again would overwrite the reports of its first start"}}};
// Letters of options without a value. Other letters may follow them in the same argument.
constexpr std::string_view kFlags = "HhkKOQsuvVWX";

const CheckedOption* longOption(std::string_view name)
{
    const auto found = std::ranges::find_if(kCheckedOptions, [name](const CheckedOption& one) {
        return name.size() >= one.shortest && one.name.starts_with(name);
    });
    return found == kCheckedOptions.end() ? nullptr : &*found;
}

const CheckedOption* shortOption(char letter)
{
    const auto found = std::ranges::find_if(
        kCheckedOptions, [letter](const CheckedOption& one) { return one.letter == letter; });
    return found == kCheckedOptions.end() ? nullptr : &*found;
}

tl::unexpected<Error> rejected(std::string_view where, std::string_view word, const CheckedOption& option)
{
    return makeError(ErrorKind::invalid, std::string(where) + ": " + printable(word) +
                                             " cannot be used: " + std::string(option.why));
}

std::string noteOf(std::string_view where, std::string_view word, const CheckedOption& option)
{
    return std::string(where) + ": " + printable(word) + " was ignored: " + std::string(option.why);
}

// Returns an argument such as "-HW" without the removed options, or nullopt if nothing is left.
Result<std::optional<std::string>> shortWord(std::string_view word, std::string_view where,
                                             std::vector<std::string>& notes)
{
    std::string left = "-";
    for (size_t i = 1; i < word.size(); ++i) {
        const CheckedOption* const option = shortOption(word[i]);
        if (option != nullptr && option->use == Use::reject) return rejected(where, word, *option);
        if (option != nullptr) {
            notes.push_back(noteOf(where, "-" + std::string(1, word[i]), *option));
            continue;
        }
        if (kFlags.find(word[i]) == kFlags.npos) { // the rest of the argument is the value of this option
            left += word.substr(i);
            break;
        }
        left += word[i];
    }
    if (left == "-") return std::optional<std::string>();
    return std::optional(left);
}

// Splits a #SBATCH line in the same way as sbatch: at spaces and tabs, with quotes and backslashes, up to a
// '#'.
std::vector<std::string> directiveWords(std::string_view text)
{
    std::vector<std::string> words;
    std::string word;
    bool isOpen = false;
    char quote = 0;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
            word += text[++i];
            isOpen = true;
        } else if (quote != 0) {
            if (c == quote)
                quote = 0;
            else
                word += c;
        } else if (c == '\'' || c == '"') {
            quote = c;
            isOpen = true;
        } else if (c == ' ' || c == '\t') {
            if (isOpen) words.push_back(std::exchange(word, {}));
            isOpen = false;
        } else if (c == '#') {
            break;
        } else {
            word += c;
            isOpen = true;
        }
    }
    if (isOpen) words.push_back(word);
    return words;
}

// Quotes an argument for a #SBATCH line.
std::string directiveWord(const std::string& word)
{
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+.,:/%@[]()*|&~^!";
    if (!word.empty() && word.find_first_not_of(kPlain) == word.npos) return word;
    std::string quoted = "\"";
    for (const char c : word) {
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += c;
    }
    return quoted + "\"";
}

bool isBlank(std::string_view line)
{
    return line.find_first_not_of(" \t\r") == line.npos;
}

} // namespace

Result<SbatchOptions> watchableOptions(std::span<const std::string> words, std::string_view where)
{
    SbatchOptions options;
    for (const std::string& word : words) {
        if (word.starts_with("--") && word.size() > 2) {
            const std::string_view name = std::string_view(word).substr(2, word.find('=') - 2);
            const CheckedOption* const option = longOption(name);
            if (option == nullptr) {
                options.words.push_back(word);
            } else if (option->use == Use::reject) {
                return rejected(where, word, *option);
            } else {
                options.notes.push_back(noteOf(where, word, *option));
            }
        } else if (word.starts_with('-') && word.size() > 1) {
            auto left = LOCKSTEP_TRY(shortWord(word, where, options.notes));
            if (left) options.words.push_back(*std::move(left));
        } else {
            options.words.push_back(word);
        }
    }
    return options;
}

Result<SbatchScript> sbatchScriptFrom(std::string_view text, std::string_view name)
{
    if (!text.starts_with("#!"))
        return makeError(ErrorKind::invalid,
                         std::string(name) + ": not a script: its first line must begin with #!");
    SbatchScript script;
    int64_t number = 0;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        ++number;
        if (!line.starts_with('#') && !isBlank(line)) break;
        constexpr std::string_view kMark = "#SBATCH";
        if (!line.starts_with(kMark)) continue;
        const std::vector<std::string> words = directiveWords(line.substr(kMark.size()));
        if (!words.empty() && (words.front() == "hetjob" || words.front() == "packjob")) {
            ++script.components;
            script.directives.emplace_back("#SBATCH hetjob");
            continue;
        }
        SbatchOptions checked =
            LOCKSTEP_TRY(watchableOptions(words, std::string(name) + " line " + std::to_string(number)));
        std::ranges::move(checked.notes, std::back_inserter(script.notes));
        std::string directive(kMark);
        for (const std::string& word : checked.words) {
            directive += " " + directiveWord(word);
            constexpr std::string_view kExport = "--export=";
            if (word.starts_with(kExport)) script.exported = word.substr(kExport.size());
        }
        if (!checked.words.empty()) script.directives.push_back(std::move(directive));
    }
    return script;
}

} // namespace lockstep
