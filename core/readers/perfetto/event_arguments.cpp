// SPDX-License-Identifier: Apache-2.0
#include "core/readers/perfetto/event_arguments.h"

#include <array>
#include <charconv>

#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr int kMaxAnnotationDepth = 8;

using Arguments = std::vector<std::pair<std::string, std::string>>;

std::string lookUp(const PacketSequence::Texts& texts, uint64_t iid)
{
    const auto found = texts.find(iid);
    return found == texts.end() ? "#" + std::to_string(iid) : repairedUtf8(found->second);
}

std::string realText(double value)
{
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return {text.data(), end};
}

// DebugAnnotation: name_iid = 1, name = 10; one value of bool = 2, uint = 3, int = 4, double = 5, string = 6,
// pointer = 7, legacy_json = 9, string_value_iid = 17; dict_entries = 11, array_values = 12.
void addAnnotation(std::string_view message, const std::string& prefix, const PacketSequence& sequence,
                   int depth, Arguments& out)
{
    std::string name = prefix;
    std::optional<std::string> value;
    ProtoScan first(message);
    for (ProtoField field; first.next(field);) {
        const std::string dot = prefix.empty() ? "" : ".";
        if (field.id == 1) name = prefix + dot + lookUp(sequence.annotationNames, field.number);
        if (field.id == 10) name = prefix + dot + repairedUtf8(field.bytes);
    }
    size_t item = 0;
    ProtoScan scan(message);
    for (ProtoField field; scan.next(field);) {
        switch (field.id) {
        case 2:
            value = field.number != 0 ? "true" : "false";
            break;
        case 3:
        case 7:
            value = std::to_string(field.number);
            break;
        case 4:
            value = std::to_string(field.asSigned());
            break;
        case 5:
            value = realText(field.asDouble());
            break;
        case 6:
        case 9:
            value = repairedUtf8(field.bytes);
            break;
        case 17:
            value = lookUp(sequence.annotationTexts, field.number);
            break;
        case 11:
            if (depth < kMaxAnnotationDepth) addAnnotation(field.bytes, name, sequence, depth + 1, out);
            break;
        case 12:
            if (depth < kMaxAnnotationDepth) {
                addAnnotation(field.bytes, name + "[" + std::to_string(item++) + "]", sequence, depth + 1,
                              out);
            }
            break;
        default:
            break;
        }
    }
    if (value) out.emplace_back(name, *value);
}

} // namespace

Arguments eventArguments(const TrackEventPacket& packet)
{
    Arguments out;
    ProtoScan scan(packet.message);
    for (ProtoField field; scan.next(field);) {
        if (field.id == 3) out.emplace_back("category", lookUp(packet.sequence->categories, field.number));
        if (field.id == 22) out.emplace_back("category", repairedUtf8(field.bytes));
        if (field.id == 4) addAnnotation(field.bytes, "", *packet.sequence, 0, out);
        if (field.id == 52) out.emplace_back("correlation id", std::to_string(field.number));
        if (field.id == 53) out.emplace_back("correlation id", repairedUtf8(field.bytes));
    }
    return out;
}

} // namespace lockstep
