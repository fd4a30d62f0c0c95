// SPDX-License-Identifier: Apache-2.0
#include "core/trace/identity.h"

#include <algorithm>
#include <array>
#include <type_traits>

#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr std::array<std::string_view, 7> kEditableParts{"run",        "host", "role", "rank",
                                                         "local_rank", "step", "stage"};
constexpr int64_t kLargestNumber = 1'000'000'000;

template<class T>
std::string textOf(const Sourced<T>& part)
{
    if (!part.value) return {};
    if constexpr (std::is_same_v<T, std::string>) {
        return *part.value;
    } else {
        return std::to_string(*part.value);
    }
}

} // namespace

std::span<const std::string_view> editableParts()
{
    return kEditableParts;
}

Status editPart(Identity& stated, std::string_view part, std::string_view text, std::string source)
{
    if (std::ranges::find(kEditableParts, part) == kEditableParts.end())
        return makeError(ErrorKind::invalid, "unknown identity field '" + std::string(part) + "'");
    const auto number = parseInt(text);
    const bool isNumber = number && *number >= 0 && *number <= kLargestNumber;
    bool isSet = false;
    const auto state = [&]<class T>(std::string_view word, Sourced<T>& field) {
        if (word != part) return;
        if constexpr (std::is_same_v<T, std::string>) {
            field = {std::string(text), std::move(source), Confidence::confirmed};
        } else if (isNumber) {
            field = {static_cast<T>(*number), std::move(source), Confidence::confirmed};
        } else if (!text.empty()) {
            return;
        }
        if (text.empty()) field = {};
        isSet = true;
    };
    visitParts(state, stated);
    if (isSet) return {};
    return makeError(ErrorKind::invalid, std::string(part) + " '" + std::string(text) + "' is not a number");
}

std::string partText(const Identity& identity, std::string_view part)
{
    std::string out;
    visitParts(
        [&](std::string_view word, const auto& field) {
            if (word == part) out = textOf(field);
        },
        identity);
    return out;
}

std::string_view partSource(const Identity& identity, std::string_view part)
{
    std::string_view out;
    visitParts(
        [&](std::string_view word, const auto& field) {
            if (word == part && field.isKnown()) out = field.source;
        },
        identity);
    return out;
}

Confidence partConfidence(const Identity& identity, std::string_view part)
{
    Confidence out = Confidence::none;
    visitParts(
        [&](std::string_view word, const auto& field) {
            if (word == part && field.isKnown()) out = field.confidence;
        },
        identity);
    return out;
}

std::string_view confidenceName(Confidence confidence)
{
    static constexpr std::array<std::string_view, 4> kNames{"unknown", "guessed", "stated", "confirmed"};
    return kNames[std::min(static_cast<size_t>(confidence), kNames.size() - 1)];
}

void overlayParts(Identity& identity, const Identity& stated)
{
    visitParts(
        [](std::string_view, auto& field, const auto& word) {
            if (word.isKnown()) field = word;
        },
        identity, stated);
}

void learnParts(Identity& identity, const Identity& from)
{
    visitParts(
        [](std::string_view, auto& field, const auto& other) {
            if (other.isKnown()) field.learn(*other.value, other.source, other.confidence);
        },
        identity, from);
}

void inheritParts(Identity& identity, const Identity& from)
{
    visitParts(
        [](std::string_view word, auto& field, const auto& other) {
            if (!field.isKnown() && word != "pid") field = other;
        },
        identity, from);
}

} // namespace lockstep
