// SPDX-License-Identifier: Apache-2.0
#include "ui/window/command_match.h"

#include <algorithm>

#include <QStringTokenizer>

namespace lockstep {

namespace {

constexpr int kAtStart = 1000, kAtWord = 800, kInside = 500, kScattered = 100, kInDescription = 50;
// Bonus for each letter of a scattered match that directly follows the previous one or starts a word.
constexpr int kLetterBonus = 30;
constexpr qsizetype kMinScattered = 3;

bool startsWord(QStringView text, qsizetype at)
{
    return at == 0 || (text[at].isLetterOrNumber() && !text[at - 1].isLetterOrNumber());
}

// Tries each word that starts with the first letter: matches the remaining letters greedily, each at its next
// occurrence. Returns the best score, or nullopt if no start matches all letters. O(text^2) in the worst
// case.
std::optional<int> scatteredMatch(QStringView word, QStringView text)
{
    std::optional<int> best;
    for (qsizetype start = 0; start < text.size(); ++start) {
        if (!startsWord(text, start) || text[start].toCaseFolded() != word[0].toCaseFolded()) continue;
        int score = kScattered;
        qsizetype at = start, found = 1;
        for (qsizetype next = start + 1; next < text.size() && found < word.size(); ++next) {
            if (text[next].toCaseFolded() != word[found].toCaseFolded()) continue;
            if (next == at + 1 || startsWord(text, next)) score += kLetterBonus;
            at = next;
            ++found;
        }
        if (found == word.size()) best = std::max(best.value_or(0), score);
    }
    return best;
}

std::optional<int> wordMatch(QStringView word, QStringView text)
{
    std::optional<int> best;
    for (qsizetype at = text.indexOf(word, 0, Qt::CaseInsensitive); at >= 0;
         at = text.indexOf(word, at + 1, Qt::CaseInsensitive))
        best = std::max(best.value_or(0), at == 0 ? kAtStart : startsWord(text, at) ? kAtWord : kInside);
    return best || word.size() < kMinScattered ? best : scatteredMatch(word, text);
}

bool beginsAWord(QStringView word, QStringView text)
{
    for (qsizetype at = text.indexOf(word, 0, Qt::CaseInsensitive); at >= 0;
         at = text.indexOf(word, at + 1, Qt::CaseInsensitive)) {
        if (startsWord(text, at)) return true;
    }
    return false;
}

} // namespace

std::optional<int> commandMatch(QStringView typed, QStringView text, QStringView description)
{
    int sum = 0;
    for (const QStringView word : typed.tokenize(u' ', Qt::SkipEmptyParts)) {
        auto score = wordMatch(word, text);
        if (!score && word.size() >= kMinScattered && beginsAWord(word, description)) score = kInDescription;
        if (!score) return std::nullopt;
        sum += *score;
    }
    // Among equal matches, the shorter text ranks first.
    return sum - static_cast<int>(std::min<qsizetype>(text.size(), 99));
}

} // namespace lockstep
