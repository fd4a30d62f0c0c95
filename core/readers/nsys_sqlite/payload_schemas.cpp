// SPDX-License-Identifier: Apache-2.0
#include "core/readers/nsys_sqlite/payload_schemas.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

#include "core/base/json_fields.h"
#include "core/base/text.h"
#include "core/readers/nsys_sqlite/small_table.h"

namespace lockstep {

namespace {

constexpr size_t kHeader = 32;
// maximum number of array elements shown; for longer arrays, the number of remaining elements is shown
constexpr size_t kShownElements = 64;
constexpr int kMaxPayloadDepth = 4; // maximum nesting depth of payloads

// nvtxPayloadSchemaEntry_t.flags
constexpr uint64_t kPointer = 2, kOffsetFromBase = 4, kOffsetFromHere = 8;
constexpr uint64_t kArrayMask = 7 << 4;
constexpr uint64_t kFixedArray = 1 << 4, kZeroTerminated = 2 << 4, kLengthIndex = 3 << 4;

enum class ValueClass : uint8_t { unknown, text, signedNumber, unsignedNumber, real, address };

struct ValueType {
    ValueClass valueClass = ValueClass::unknown;
    uint8_t size = 0;
};

// nvtxPayloadSchemaEntry_t.type on the 64-bit Linux machines that nsys profiles.
ValueType typeOf(uint64_t type)
{
    using enum ValueClass;
    static constexpr std::array<ValueType, 28> kPlain{
        ValueType{},         {text, 1},         {unsignedNumber, 1}, {signedNumber, 2},
        {unsignedNumber, 2}, {signedNumber, 4}, {unsignedNumber, 4}, {signedNumber, 8},
        {unsignedNumber, 8}, {signedNumber, 8}, {unsignedNumber, 8}, {signedNumber, 1},
        {unsignedNumber, 1}, {signedNumber, 2}, {unsignedNumber, 2}, {signedNumber, 4},
        {unsignedNumber, 4}, {signedNumber, 8}, {unsignedNumber, 8}, {real, 4},
        {real, 8},           {unknown, 16},     {unsignedNumber, 8}, {address, 8},
        {unsignedNumber, 4}, {text, 1},         {unsignedNumber, 2}, {unsignedNumber, 4}};
    if (type < kPlain.size()) return kPlain[type];
    switch (type) {
    case 32: // byte
        return {unsignedNumber, 1};
    case 43:
        return {real, 4};
    case 44:
        return {real, 8};
    case 68: // category
    case 69: // color
    case 71: // process and thread IDs
    case 73:
        return {unsignedNumber, 4};
    case 70: // scope
    case 72:
    case 74:
        return {unsignedNumber, 8};
    case 75: // strings that the schema owns, stored as addresses
    case 76:
    case 77:
    case 78:
    case 80:
        return {address, 8};
    default:
        return {};
    }
}

uint64_t littleEndian(std::string_view bytes, size_t at, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; ++i)
        value |= uint64_t(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
    return value;
}

std::string realText(double value)
{
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return {text.data(), end};
}

std::string hexNumber(uint64_t value)
{
    std::array<char, 20> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value, 16).ptr;
    return "0x" + std::string(text.data(), end);
}

PayloadField fieldOf(std::string_view bytes, size_t at, ValueType type)
{
    PayloadField field;
    const uint64_t value = littleEndian(bytes, at, std::min<size_t>(type.size, 8));
    switch (type.valueClass) {
    case ValueClass::text:
        field.text = repairedUtf8(bytes.substr(at, 1));
        break;
    case ValueClass::signedNumber: {
        const int shift = 64 - 8 * type.size;
        const int64_t number = static_cast<int64_t>(value << shift) >> shift;
        field.text = std::to_string(number);
        field.number = static_cast<uint64_t>(number);
        break;
    }
    case ValueClass::unsignedNumber:
        field.text = std::to_string(value);
        field.number = value;
        break;
    case ValueClass::real:
        field.text = realText(type.size == 4 ? double(std::bit_cast<float>(static_cast<uint32_t>(value)))
                                             : std::bit_cast<double>(value));
        break;
    case ValueClass::address:
    case ValueClass::unknown:
        field.text = hexNumber(value);
        break;
    }
    return field;
}

std::optional<std::string> bytesOfHex(std::string_view text)
{
    if (text.starts_with("0x")) text.remove_prefix(2);
    if (text.empty() || text.size() % 2 != 0) return std::nullopt;
    std::string bytes(text.size() / 2, '\0');
    for (size_t i = 0; i < bytes.size(); ++i) {
        uint8_t byte = 0;
        const char* const first = text.data() + 2 * i;
        if (std::from_chars(first, first + 2, byte, 16).ptr != first + 2) return std::nullopt;
        bytes[i] = static_cast<char>(byte);
    }
    return bytes;
}

} // namespace

// Decodes one payload.
class PayloadSchemas::Decoding {
  public:
    Decoding(const PayloadSchemas& schemas, std::string_view bytes, uint64_t domain,
             std::vector<PayloadField>& fields)
        : m_schemas(schemas), m_bytes(bytes), m_domain(domain), m_fields(fields)
    {
    }

    // Adds the fields of a payload at `base`. Returns false if a field is outside the bytes.
    bool add(const Schema& schema, size_t base, const std::string& prefix, int depth)
    {
        std::map<int64_t, uint64_t> numbers; // values by entry, used as lengths of arrays
        size_t next = base;
        for (const auto& [index, entry] : schema.entries) {
            const ValueType type = storedType(entry);
            const size_t alignment = std::max<size_t>(1, std::min<size_t>(type.size, 8));
            size_t at = entry.offset ? base + std::min<uint64_t>(*entry.offset, m_bytes.size())
                                     : base + (next - base + alignment - 1) / alignment * alignment;
            const size_t before = m_fields.size();
            if (!addEntry(entry, type, at, prefix, numbers, depth)) return false;
            next = at;
            if (m_fields.size() == before + 1 && m_fields.back().number)
                numbers[index] = *m_fields.back().number;
        }
        return true;
    }

  private:
    ValueType storedType(const Entry& entry) const
    {
        if ((entry.flags & kPointer) != 0) return {ValueClass::address, 8};
        if ((entry.flags & (kOffsetFromBase | kOffsetFromHere)) != 0) return {ValueClass::unsignedNumber, 8};
        if (entry.type >= kFirstCustomType && m_schemas.m_enums.contains({m_domain, entry.type}))
            return {ValueClass::signedNumber, 4};
        return typeOf(entry.type);
    }

    // Advances `at` past the entry.
    bool addEntry(const Entry& entry, ValueType type, size_t& at, const std::string& prefix,
                  const std::map<int64_t, uint64_t>& numbers, int depth)
    {
        const std::string name = prefix + entry.name;
        const bool isEmbedded = (entry.flags & (kPointer | kOffsetFromBase | kOffsetFromHere)) == 0;
        if (isEmbedded && (entry.flags & kArrayMask) != 0) return addArray(entry, type, at, name, numbers);
        if (const auto nested = m_schemas.m_schemas.find({m_domain, entry.type});
            isEmbedded && type.size == 0 && nested != m_schemas.m_schemas.end()) {
            if (depth == kMaxPayloadDepth || !add(nested->second, at, name + " / ", depth + 1)) return false;
            at += nested->second.size_bytes;
            return at <= m_bytes.size();
        }
        if (type.size == 0 || at > m_bytes.size() || m_bytes.size() - at < type.size) return false;
        PayloadField field = fieldOf(m_bytes, at, type);
        field.name = name;
        if (const auto known = m_schemas.m_enums.find({m_domain, entry.type});
            known != m_schemas.m_enums.end()) {
            const auto label = known->second.find(field.number.value_or(0));
            if (label != known->second.end()) field.text = label->second + " (" + field.text + ")";
        }
        m_fields.push_back(std::move(field));
        at += type.size;
        return true;
    }

    bool addArray(const Entry& entry, ValueType type, size_t& at, const std::string& name,
                  const std::map<int64_t, uint64_t>& numbers)
    {
        if (type.size == 0 || at > m_bytes.size()) return false;
        const size_t room = (m_bytes.size() - at) / type.size;
        uint64_t count = entry.detail;
        switch (entry.flags & kArrayMask) {
        case kFixedArray:
            break;
        case kZeroTerminated:
            for (count = 0; count < room && littleEndian(m_bytes, at + count * type.size,
                                                         std::min<size_t>(type.size, 8)) != 0;)
                ++count;
            break;
        case kLengthIndex: {
            const auto length = numbers.find(static_cast<int64_t>(entry.detail));
            if (length == numbers.end()) return false;
            count = length->second;
            break;
        }
        default:
            return false; // the length of the array is in another payload
        }
        if (count > room) return false;
        m_fields.push_back({name, arrayText(at, type, static_cast<size_t>(count)), {}});
        at += static_cast<size_t>(count) * type.size;
        return true;
    }

    std::string arrayText(size_t at, ValueType type, size_t count) const
    {
        if (type.valueClass == ValueClass::text) {
            const std::string_view text = m_bytes.substr(at, count);
            return repairedUtf8(text.substr(0, text.find('\0')));
        }
        std::string text = "[";
        for (size_t i = 0; i < std::min(count, kShownElements); ++i)
            text += (i > 0 ? ", " : "") + fieldOf(m_bytes, at + i * type.size, type).text;
        if (count > kShownElements) text += ", ... (" + std::to_string(count) + ")";
        return text + "]";
    }

    const PayloadSchemas& m_schemas;
    std::string_view m_bytes;
    uint64_t m_domain = 0;
    std::vector<PayloadField>& m_fields;
};

PayloadSchemas PayloadSchemas::load(const SqliteDatabase& database, const SchemaProbe& schema,
                                    ImportNotes& notes)
{
    PayloadSchemas schemas;
    const auto keyOf = [](const SqliteQuery& row) {
        return Key(static_cast<uint64_t>(row.integer(1)), static_cast<uint64_t>(row.integer(2)));
    };
    constexpr std::array<std::string_view, 3> kSchema{"domainId", "schemaId", "payloadSize"};
    eachRow(database, schema, "NVTX_PAYLOAD_SCHEMAS", kSchema, notes, [&](const SqliteQuery& row) {
        schemas.m_schemas[keyOf(row)].size_bytes =
            static_cast<uint64_t>(std::max<int64_t>(0, row.integer(3)));
    });
    constexpr std::array<std::string_view, 8> kEntry{
        "domainId", "schemaId", "idx", "flags", "type", "name", "arrayOrUnionDetail", "offset"};
    eachRow(database, schema, "NVTX_PAYLOAD_SCHEMA_ENTRIES", kEntry, notes, [&](const SqliteQuery& row) {
        Entry entry{repairedUtf8(row.text(6)),
                    static_cast<uint64_t>(row.integer(4)),
                    static_cast<uint64_t>(row.integer(5)),
                    static_cast<uint64_t>(row.integer(7)),
                    {}};
        if (const auto offset = row.optionalInteger(8)) entry.offset = static_cast<uint64_t>(*offset);
        const auto [known, isNew] = schemas.m_schemas[keyOf(row)].entries.try_emplace(row.integer(3), entry);
        if (!isNew && !(known->second == entry)) {
            notes.add("nvtx.payload_schemas_differ", NoteSeverity::warning,
                      "payload schemas of two processes share an ID but have different fields: the first is "
                      "used for both",
                      "NVTX_PAYLOAD_SCHEMA_ENTRIES row " + std::to_string(row.integer(0)));
        }
    });
    constexpr std::array<std::string_view, 4> kEnum{"domainId", "schemaId", "value", "name"};
    eachRow(database, schema, "NVTX_PAYLOAD_ENUM_ENTRIES", kEnum, notes, [&](const SqliteQuery& row) {
        schemas.m_enums[keyOf(row)].try_emplace(static_cast<uint64_t>(row.integer(3)),
                                                repairedUtf8(row.text(4)));
    });
    return schemas;
}

void PayloadSchemas::completeTypes()
{
    for (const auto& [key, schema] : m_schemas) {
        for (const auto& [index, entry] : schema.entries) {
            const Key type{key.first, entry.type};
            if (entry.type >= kFirstCustomType && !m_schemas.contains(type)) m_enums.try_emplace(type);
        }
    }
}

std::optional<std::vector<PayloadField>> PayloadSchemas::decode(std::string_view binary) const
{
    auto fields = decodeBytes(binary);
    if (fields) return fields;
    const auto bytes = bytesOfHex(binary);
    return bytes ? decodeBytes(*bytes) : std::nullopt;
}

std::optional<std::vector<PayloadField>> PayloadSchemas::decodeBytes(std::string_view bytes) const
{
    std::vector<PayloadField> fields;
    size_t at = 0;
    do {
        if (bytes.size() - at < kHeader) return std::nullopt;
        const uint64_t domain = littleEndian(bytes, at, 8);
        const auto known = m_schemas.find({domain, littleEndian(bytes, at + 8, 8)});
        const uint64_t size = littleEndian(bytes, at + 16, 8);
        at += kHeader;
        if (known == m_schemas.end() || size > bytes.size() - at) return std::nullopt;
        const std::string_view payload = bytes.substr(at, static_cast<size_t>(size));
        if (!Decoding(*this, payload, domain, fields).add(known->second, 0, {}, 0)) return std::nullopt;
        at = std::min(bytes.size(), at + (payload.size() + 7) / 8 * 8);
    } while (at < bytes.size());
    return fields;
}

std::optional<std::vector<PayloadField>> jsonPayload(std::string_view json)
{
    const auto object = jsonFrom(json);
    if (!object.is_object()) return std::nullopt;
    std::vector<PayloadField> fields;
    for (const auto& [key, value] : object.items()) {
        PayloadField field;
        field.name = key;
        if (value.is_string()) {
            field.text = value.get<std::string>();
            uint64_t number = 0;
            const char* const last = field.text.data() + field.text.size();
            const auto end = std::from_chars(field.text.data(), last, number);
            if (end.ec == std::errc() && end.ptr == last) field.number = number;
        } else {
            if (value.is_number_unsigned())
                field.number = value.get<uint64_t>();
            else if (value.is_number_integer())
                field.number = static_cast<uint64_t>(value.get<int64_t>());
            field.text = value.dump();
        }
        fields.push_back(std::move(field));
    }
    return fields;
}

} // namespace lockstep
