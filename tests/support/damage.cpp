// SPDX-License-Identifier: Apache-2.0
#include "tests/support/damage.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <random>

namespace lockstep::test {

namespace {

constexpr size_t kBlock = 4096;

// Picks a range of the bytes, up to an eighth of them.
struct Part {
    size_t begin = 0;
    size_t size = 0;
};

class Places {
  public:
    Places(size_t from, size_t size, uint64_t seed) : m_from(from), m_size(size), m_random(seed) {}

    size_t byte() { return m_from + m_random() % (m_size - m_from); }
    Part part()
    {
        Part out;
        out.begin = byte();
        out.size = std::min<size_t>(1 + m_random() % (1 + m_size / 8), m_size - out.begin);
        return out;
    }
    uint64_t number() { return m_random(); }

  private:
    size_t m_from;
    size_t m_size;
    std::mt19937_64 m_random;
};

void damageOnce(std::string& out, Damage kind, Places& places)
{
    const Part part = places.part();
    switch (kind) {
    case Damage::flippedBits:
        out[part.begin] = static_cast<char>(out[part.begin] ^ (1 << (places.number() % 8)));
        break;
    case Damage::otherBytes:
        out[part.begin] = static_cast<char>(uint64_t(out[part.begin]) + 1 + places.number() % 255);
        break;
    case Damage::zeroedBlocks: {
        const size_t begin = part.begin / kBlock * kBlock;
        std::fill_n(out.begin() + static_cast<ptrdiff_t>(begin), std::min(kBlock, out.size() - begin), '\0');
        break;
    }
    case Damage::cut:
        out.resize(part.begin);
        break;
    case Damage::missingPart:
        out.erase(part.begin, part.size);
        break;
    case Damage::doubledPart:
        out.insert(part.begin, out.substr(part.begin, part.size));
        break;
    case Damage::swappedParts: {
        const std::string moved = out.substr(part.begin, part.size);
        out.erase(part.begin, part.size);
        out.insert(out.size() / 2, moved);
        break;
    }
    case Damage::doubledFile:
    case Damage::count:
        out += std::string(out);
        break;
    }
}

} // namespace

const char* damageName(Damage kind)
{
    static constexpr std::array<const char*, static_cast<size_t>(Damage::count)> kNames{
        "flipped bits", "other bytes",  "zeroed blocks", "cut",
        "missing part", "doubled part", "swapped parts", "doubled file"};
    return kNames[static_cast<size_t>(kind)];
}

std::string damaged(std::string_view bytes, Damage kind, size_t places, uint64_t seed, size_t spared)
{
    std::string out(bytes);
    const size_t times = kind == Damage::doubledFile ? 1 : places;
    for (size_t i = 0; i < times && out.size() > spared; ++i) {
        Places at(spared, out.size(), seed * 1000 + i);
        damageOnce(out, kind, at);
    }
    return out;
}

} // namespace lockstep::test
