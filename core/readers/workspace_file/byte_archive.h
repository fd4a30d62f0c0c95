// SPDX-License-Identifier: Apache-2.0
// ByteWriter and ByteReader write and read values. A single description of each type is used for both.
// Scalars are stored in little-endian order; strings and lists are preceded by a 64-bit count. Header-only;
// used only by the workspace file.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/ids.h"
#include "core/trace/identity.h"

namespace lockstep {

class ByteWriter {
  public:
    static constexpr bool kReads = false;

    void raw(const void* bytes, size_t size) { m_bytes.append(static_cast<const char*>(bytes), size); }
    std::string take() { return std::move(m_bytes); }

  private:
    std::string m_bytes;
};

// ByteReader never reads beyond its bytes. Missing data reads as zeros, and hasFailed() then returns true.
class ByteReader {
  public:
    static constexpr bool kReads = true;

    explicit ByteReader(std::string_view bytes) : m_bytes(bytes) {}
    void raw(void* bytes, size_t size)
    {
        if (size == 0) return; // the data pointer of an empty string may be null
        if (size > m_bytes.size()) {
            fail();
            std::memset(bytes, 0, size);
            return;
        }
        std::memcpy(bytes, m_bytes.data(), size);
        m_bytes.remove_prefix(size);
    }
    void fail()
    {
        m_failed = true;
        m_bytes = {};
    }
    size_t left() const { return m_bytes.size(); }
    bool hasFailed() const { return m_failed; }
    bool isAtEnd() const { return m_bytes.empty() && !m_failed; }

  private:
    std::string_view m_bytes;
    bool m_failed = false;
};

template<class Archive, class T>
requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void describe(Archive& archive, T& value)
{
    archive.raw(&value, sizeof value);
}

template<class Archive, class Tag>
void describe(Archive& archive, Id<Tag>& id)
{
    describe(archive, id.value);
}

// Writes or checks a count. A count cannot exceed the number of remaining bytes, because every item takes at
// least one byte.
template<class Archive>
uint64_t describeCount(Archive& archive, uint64_t count)
{
    describe(archive, count);
    if constexpr (Archive::kReads) {
        if (count > archive.left()) {
            archive.fail();
            return 0;
        }
    }
    return count;
}

template<class Archive>
void describe(Archive& archive, std::string& text)
{
    const uint64_t size = describeCount(archive, text.size());
    if constexpr (Archive::kReads) text.resize(size);
    archive.raw(text.data(), size);
}

template<class Archive>
void describe(Archive& archive, std::filesystem::path& path)
{
    std::string text = path.string();
    describe(archive, text);
    if constexpr (Archive::kReads) path = text;
}

template<class Archive, class A, class B>
void describe(Archive& archive, std::pair<A, B>& pair)
{
    describe(archive, pair.first);
    describe(archive, pair.second);
}

template<class Archive, class T>
void describe(Archive& archive, std::optional<T>& value)
{
    uint8_t has = value.has_value();
    describe(archive, has);
    if constexpr (Archive::kReads) {
        if (has != 0) value.emplace();
    }
    if (value) describe(archive, *value);
}

template<class Archive, class T>
void describe(Archive& archive, Sourced<T>& sourced)
{
    auto& [value, source, confidence] = sourced;
    describe(archive, value);
    describe(archive, source);
    describe(archive, confidence);
}

// Items of T are described by the overload that argument-dependent lookup finds.
template<class Archive, class T>
void describe(Archive& archive, std::vector<T>& items)
{
    const uint64_t count = describeCount(archive, items.size());
    if constexpr (Archive::kReads) {
        items.clear();
        for (uint64_t i = 0; i < count && !archive.hasFailed(); ++i)
            describe(archive, items.emplace_back());
    } else {
        for (T& item : items)
            describe(archive, item);
    }
}

template<class Archive, class First, class Second, class... Rest>
void describe(Archive& archive, First& first, Second& second, Rest&... rest)
{
    describe(archive, first);
    describe(archive, second);
    (describe(archive, rest), ...);
}

} // namespace lockstep
