// SPDX-License-Identifier: Apache-2.0
#include "core/readers/chrome_json/file_name_identity.h"

#include <array>
#include <cctype>
#include <string_view>

#include "core/base/text.h"

namespace lockstep {

namespace {

bool isWordChar(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

// Returns the number that follows the first `word` at the start of a word, e.g. 12 for "rank" in
// "a_rank-12.json". At most one of - _ # = may be in between. Sets `after` to the position after the digits.
std::optional<int> numberAfter(std::string_view name, std::string_view word, size_t* after = nullptr)
{
    for (size_t at = name.find(word); at != std::string_view::npos; at = name.find(word, at + 1)) {
        if (at > 0 && isWordChar(name[at - 1])) continue;
        size_t begin = at + word.size();
        if (begin < name.size() && std::string_view("-_#=").find(name[begin]) != std::string_view::npos)
            ++begin;
        size_t end = begin;
        while (end < name.size() && name[end] >= '0' && name[end] <= '9')
            ++end;
        const auto value = end - begin <= 7 ? parseInt(name.substr(begin, end - begin)) : std::nullopt;
        if (!value) continue;
        if (after != nullptr) *after = end;
        return static_cast<int>(*value);
    }
    return std::nullopt;
}

// In verl's names, the role and an optional scope come before step and rank, joined by underscores.
std::string_view roleOf(std::string_view name)
{
    const bool isVerl = name.find("_pid") != std::string_view::npos && numberAfter(name, "rank").has_value();
    const std::string_view first = name.substr(0, name.find('_'));
    if (!isVerl || numberAfter(first, "step") || numberAfter(first, "rank")) return {};
    return first;
}

} // namespace

Identity identityOfFileName(const std::filesystem::path& path)
{
    static constexpr auto kGuessed = Confidence::guessed;
    const std::string file = path.filename().string();
    const std::string_view name = file;
    const std::string source = "file name";
    Identity identity;
    size_t afterRank = 0;
    if (const auto global = numberAfter(name, "globalrank")) {
        identity.rank.learn(*global, source, kGuessed);
    } else if (const auto rank = numberAfter(name, "rank", &afterRank)) {
        identity.rank.learn(*rank, source, kGuessed);
        const std::string_view rest = name.substr(afterRank);
        if (const auto world = rest.starts_with("-of-") ? numberAfter(rest, "of") : std::nullopt) {
            identity.worldSize.learn(*world, source, kGuessed);
        }
    } else if (const auto worker = numberAfter(name, "worker")) {
        identity.rank.learn(*worker, source, kGuessed);
    }
    if (const auto step = numberAfter(name, "step")) identity.step.learn(*step, source, kGuessed);
    if (name.starts_with("rollout-replica")) {
        identity.role.learn("rollout", source, kGuessed);
    } else if (!roleOf(name).empty()) {
        identity.role.learn(std::string(roleOf(name)), source, kGuessed);
    }
    return identity;
}

} // namespace lockstep
