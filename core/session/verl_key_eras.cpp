// SPDX-License-Identifier: Apache-2.0
#include "core/session/verl_key_eras.h"

#include <algorithm>

#include "core/base/edit_distance.h"
#include "core/session/typed_value.h"
#include "core/session/verl_keys.h"

namespace lockstep {

namespace {

std::string_view lastPart(std::string_view key)
{
    return key.substr(key.rfind('.') + 1);
}

std::span<const std::string_view> schemaWords()
{
    return enumNames(VerlSchema{});
}

// Returns the key in an override such as "++a.b=1" or "~a.b".
std::string_view keyOfWord(std::string_view word)
{
    const size_t begin = std::min(word.find_first_not_of("+~"), word.size());
    return word.substr(begin, word.find('=') - begin);
}

// Returns e.g. "0.4.1 to 0.5.0" or "0.9.0 and newer", or "" if no layout reads the key.
std::string verlReleasesWith(VerlTrainer trainer, std::string_view key)
{
    std::string text;
    const std::span<const std::string_view> words = schemaWords();
    for (size_t i = 0; i < words.size(); ++i) {
        if (!isVerlKeyRead(trainer, static_cast<VerlSchema>(i), key)) continue;
        size_t last = i;
        while (last + 1 < words.size() && isVerlKeyRead(trainer, static_cast<VerlSchema>(last + 1), key))
            ++last;
        const bool isOpen = last + 1 == words.size();
        text += (text.empty() ? "" : ", ") + std::string(words[i]);
        if (isOpen && last > i) text += " and newer";
        if (!isOpen && last > i) text += " to " + std::string(words[last]);
        i = last;
    }
    return text;
}

} // namespace

bool isVerlKeyRead(VerlTrainer trainer, VerlSchema schema, std::string_view key)
{
    for (const std::string_view prefix : {workerOptionsPrefix(schema), controllerOptionsPrefix(schema)}) {
        if (key.starts_with(prefix) && key.size() > prefix.size()) return true;
    }
    return key.ends_with("._target_") || findVerlKey(trainer, schema, key) != nullptr;
}

std::string unreadVerlKeyReason(VerlTrainer trainer, VerlSchema schema, std::string_view key)
{
    const std::string name(key), here(enumName(schema));
    if (const std::string releases = verlReleasesWith(trainer, key); !releases.empty())
        return name + " is read by verl " + releases + ", not by " + here;
    std::vector<std::string_view> known;
    for (const VerlKey& one : verlKeys(trainer, schema))
        known.push_back(one.key);
    std::string_view nearest = nearestWord(key, known);
    // Many long keys share most of their text, so the distance is compared with the length of the last
    // component.
    const size_t last = std::max(lastPart(key).size(), lastPart(nearest).size());
    if (editDistance(key, nearest) * 2 > last) nearest = {};
    return name + " is not a known profiler setting of verl " + here +
           (nearest.empty() ? std::string() : "; the closest match is " + std::string(nearest));
}

std::optional<VerlSchema> schemaOfOverrides(VerlTrainer trainer, std::span<const std::string> words)
{
    std::vector<std::string_view> keys;
    for (const std::string& word : words) {
        if (isProfilerKey(keyOfWord(word))) keys.push_back(keyOfWord(word));
    }
    size_t best = schemaWords().size() - 1;
    int64_t mostRead = -1;
    for (size_t i = schemaWords().size(); i-- > 0;) {
        const auto schema = static_cast<VerlSchema>(i);
        const int64_t read = std::count_if(keys.begin(), keys.end(), [&](std::string_view key) {
            return isVerlKeyRead(trainer, schema, key);
        });
        if (read <= mostRead) continue;
        mostRead = read;
        best = i;
    }
    if (best + 1 == schemaWords().size()) return std::nullopt;
    return static_cast<VerlSchema>(best);
}

} // namespace lockstep
