// SPDX-License-Identifier: Apache-2.0
#include "app/cli/completions.h"

#include <algorithm>
#include <array>

#include "app/cli/cli.h"
#include "app/cli/help_text.h"
#include "core/analysis/analysis.h"

namespace lockstep {

namespace {

struct ChoiceList {
    std::string_view option;
    std::string_view words; // separated by spaces
};

constexpr std::array<ChoiceList, 8> kChoiceLists{
    {{"--format", "table csv tsv json jsonl markdown png svg pdf html"},
     {"--by", "total report rank role step host process communicator replica version group"},
     {"--clip", "include exclude"},
     {"--align", "auto collectives host wallclock zero step"},
     {"--timeunit", "ns us ms s"},
     {"--theme", "light dark"},
     {"--cache-check", "state content"},
     {"--server", "vllm sglang"}}};
// memory:stack is omitted, because a colon separates words in bash and list items in zsh.
constexpr std::string_view kNotTables = "timeline memory step_chart report sqlite chrome perfetto workspace";

std::vector<std::string> splitWords(std::string_view text)
{
    std::vector<std::string> words;
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find(' ', begin), text.size());
        words.emplace_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return words;
}

std::string inOneLine(const std::vector<std::string>& words)
{
    std::string line;
    for (const std::string& word : words)
        line += (line.empty() ? "" : " ") + word;
    return line;
}

// Returns true if a line of the help describes the option: "  --by ...", "  -o, --output ...", "  lockstep
// --plan ...".
bool isLineOf(std::string_view line, std::string_view option)
{
    if (!line.starts_with("  ") || line.starts_with("   ")) return false;
    line.remove_prefix(2);
    if (line.starts_with("lockstep ")) line.remove_prefix(9);
    if (line.size() > 4 && line[0] == '-' && line[2] == ',') line.remove_prefix(4);
    return line.starts_with(option) && (line.size() == option.size() || line[option.size()] == ' ');
}

std::string quotedForZsh(std::string_view text)
{
    std::string out;
    for (const char c : text) {
        if (c == '\'')
            out += "'\\''";
        else if (c == '[' || c == ']' || c == ':' || c == '\\')
            out += std::string("\\") + c;
        else
            out += c;
    }
    return out;
}

std::string quotedForFish(std::string_view text)
{
    std::string out;
    for (const char c : text) {
        if (c == '\'' || c == '\\') out += '\\';
        out += c;
    }
    return out;
}

std::string bashScript()
{
    std::string cases, names, files;
    for (const OptionName& option : optionNames()) {
        names += (names.empty() ? "" : " ") + std::string(option.name);
        if (!option.letter.empty()) names += " " + std::string(option.letter);
        if (!option.takesValue) continue;
        const std::string pattern =
            std::string(option.name) + (option.letter.empty() ? "" : "|" + std::string(option.letter));
        const auto choices = optionChoices(option.name);
        if (choices.empty())
            files += (files.empty() ? "" : "|") + pattern;
        else
            cases += "        " + pattern + ") words='" + inOneLine(choices) + "' ;;\n";
    }
    return "# bash completion for lockstep, generated from its option table. Do not edit.\n"
           "_lockstep() {\n"
           "    local cur=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]} words='' head=''\n"
           "    COMPREPLY=()\n"
           "    if [ \"$cur\" = '=' ]; then cur=''; fi\n"
           "    if [ \"$option\" = '=' ]; then option=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
           "    case \"$option\" in\n" +
           cases + "        " + files +
           ") return ;;\n"
           "    esac\n"
           "    if [ -z \"$words\" ]; then\n"
           "        case \"$cur\" in -*) words='" +
           names +
           "' ;; *) return ;; esac\n"
           "    elif [ \"$option\" = --export ]; then\n"
           "        case \"$cur\" in *,*) head=${cur%,*}, ;; esac\n"
           "    fi\n"
           "    COMPREPLY=($(compgen -P \"$head\" -W \"$words\" -- \"${cur#\"$head\"}\"))\n"
           "}\n"
           "complete -o default -F _lockstep lockstep\n";
}

std::string zshScript()
{
    std::string out =
        "#compdef lockstep\n# Generated from the option table of lockstep. Do not edit.\n_arguments \\\n";
    for (const OptionName& option : optionNames()) {
        const auto choices = optionChoices(option.name);
        std::string value;
        if (option.takesValue) {
            value = ":value:_files";
            if (option.name == "--export")
                value = ":what:{_values -s , what " + inOneLine(choices) + "}";
            else if (!choices.empty())
                value = ":value:(" + inOneLine(choices) + ")";
        }
        for (const std::string_view name : {option.name, option.letter}) {
            if (name.empty()) continue;
            const bool isWord = name.starts_with("--") && option.takesValue;
            out += "    '*" + std::string(name) + (isWord ? "=" : "") + "[" +
                   quotedForZsh(optionSummary(option.name)) + "]" + value + "' \\\n";
        }
    }
    return out + "    '*:input:_files'\n";
}

std::string fishScript()
{
    std::string out = "# fish completion for lockstep, generated from its option table. Do not edit.\n";
    for (const OptionName& option : optionNames()) {
        out += "complete -c lockstep -l " + std::string(option.name.substr(2));
        if (!option.letter.empty()) out += " -s " + std::string(option.letter.substr(1));
        const auto choices = optionChoices(option.name);
        if (option.takesValue) out += choices.empty() ? " -r" : " -x -a '" + inOneLine(choices) + "'";
        out += " -d '" + quotedForFish(optionSummary(option.name)) + "'\n";
    }
    return out;
}

} // namespace

std::optional<Shell> shellNamed(std::string_view name)
{
    if (name == "bash") return Shell::bash;
    if (name == "zsh") return Shell::zsh;
    if (name == "fish") return Shell::fish;
    return std::nullopt;
}

std::vector<std::string> optionChoices(std::string_view option)
{
    if (option == "--export") {
        std::vector<std::string> names;
        for (const Analysis& analysis : analyses())
            names.emplace_back(analysis.name);
        for (const std::string& word : splitWords(kNotTables))
            names.push_back(word);
        return names;
    }
    const auto list = std::ranges::find(kChoiceLists, option, &ChoiceList::option);
    return list == kChoiceLists.end() ? std::vector<std::string>{} : splitWords(list->words);
}

std::string optionSummary(std::string_view option)
{
    const std::string help = helpText();
    for (size_t begin = 0; begin < help.size();) {
        const size_t end = std::min(help.find('\n', begin), help.size());
        const std::string_view line(help.data() + begin, end - begin);
        begin = end + 1;
        const size_t gap = line.find("  ", 3);
        if (!isLineOf(line, option) || gap == line.npos) continue;
        std::string_view part = line.substr(gap);
        part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));
        for (const std::string_view stop : {"; ", ": ", " ("})
            part = part.substr(0, part.find(stop));
        return std::string(part);
    }
    return "";
}

std::string completionScript(Shell shell)
{
    switch (shell) {
    case Shell::bash:
        return bashScript();
    case Shell::zsh:
        return zshScript();
    case Shell::fish:
        break;
    }
    return fishScript();
}

} // namespace lockstep
