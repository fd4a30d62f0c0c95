// SPDX-License-Identifier: Apache-2.0
#include "core/readers/chrome_json/row_facts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/readers/chrome_json/event_borders.h"
#include "core/readers/chrome_json/event_heads.h"
#include "core/readers/chrome_json/event_repair.h"
#include "core/readers/chrome_json/slice_details.h"
#include "core/readers/chrome_json/text_source.h"
#include "core/readers/chrome_json/window_cutter.h"

namespace lockstep {

namespace {

struct FactArgument {
    std::string_view name;
    RowFact fact; // the first of three facts, if isTriple
    bool isTriple = false;
};

constexpr std::array kFactArguments{FactArgument{"correlation", RowFact::correlation},
                                    FactArgument{"context", RowFact::context},
                                    FactArgument{"grid", RowFact::gridX, true},
                                    FactArgument{"block", RowFact::blockX, true},
                                    FactArgument{"registers per thread", RowFact::registers},
                                    FactArgument{"graph node id", RowFact::graphNode},
                                    FactArgument{"bytes", RowFact::size}};

// Reads comma-separated integers at the start of text. Returns the count.
size_t readNumbers(std::string_view text, std::span<int64_t> numbers)
{
    const auto skipBlanks = [&] {
        text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n[,"), text.size()));
    };
    for (size_t i = 0; i < numbers.size(); ++i) {
        skipBlanks();
        const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), numbers[i]);
        if (failure != std::errc()) return i;
        text.remove_prefix(static_cast<size_t>(end - text.data()));
        if (!text.empty() && text[0] == '.') return i; // not an integer
    }
    return numbers.size();
}

// Kineto computes this value from timestamps in nanoseconds.
constexpr std::string_view kBandwidth = "memory bandwidth (GB/s)";

void takeBandwidth(std::string_view value, size_t row, RowFacts& facts)
{
    double rate = 0;
    const auto [end, failure] = std::from_chars(value.data(), value.data() + value.size(), rate);
    const bool isWhole = failure == std::errc() && end == value.data() + value.size();
    if (isWhole && rate > 0 && rate < 1e9) facts.set(row, RowFact::bandwidth, std::llround(rate * 1e9));
}

void takeArguments(const SliceDetails& details, size_t row, RowFacts& facts)
{
    for (const auto& [name, value] : details.arguments) {
        if (name == kBandwidth) takeBandwidth(value, row, facts);
        const auto known = std::ranges::find(kFactArguments, name, &FactArgument::name);
        if (known == kFactArguments.end()) continue;
        std::array<int64_t, 3> numbers{};
        const size_t wanted = known->isTriple ? 3 : 1;
        if (readNumbers(value, std::span(numbers).first(wanted)) != wanted) continue;
        for (size_t i = 0; i < wanted; ++i)
            facts.set(row, static_cast<RowFact>(static_cast<size_t>(known->fact) + i), numbers[i]);
    }
}

// The text from an offset on. Only the current part is buffered.
class ForwardText {
  public:
    ForwardText(std::unique_ptr<TextSource> source, uint64_t begin) : m_source(std::move(source)), m_at(begin)
    {
    }

    // Returns the object at `offset`, which must not decrease; empty if no object starts there. The view is
    // valid until the next call.
    Result<std::string_view> objectAt(uint64_t offset)
    {
        LOCKSTEP_TRY(goTo(offset));
        for (size_t wanted = kStep; wanted < WindowCutter::kLargestEvent; wanted *= 2) {
            const bool isEnd = !LOCKSTEP_TRY(fill(wanted));
            const std::string_view text = std::string_view(m_text).substr(m_used);
            if (text.empty() || text[0] != '{') return std::string_view();
            const size_t head = nextEventHead(text, 1);
            const std::string_view object = text.substr(0, head);
            if (const auto end = tolerantObjectEnd(object)) return text.substr(0, *end);
            if (head != std::string_view::npos || isEnd) return upToLastBracket(object);
        }
        return std::string_view();
    }

  private:
    static constexpr size_t kStep = 16 * 1024;

    Status goTo(uint64_t offset)
    {
        const uint64_t inUse_bytes = m_text.size() - m_used;
        if (offset - m_at <= inUse_bytes) {
            m_used += static_cast<size_t>(offset - m_at);
        } else {
            LOCKSTEP_TRY(m_source->skip(offset - m_at - inUse_bytes));
            m_text.clear();
            m_used = 0;
        }
        m_at = offset;
        return {};
    }

    // Buffers `wanted` bytes from the current position; returns false if the text ends earlier.
    Result<bool> fill(size_t wanted)
    {
        if (m_text.size() - m_used >= wanted) return true;
        m_text.erase(0, m_used);
        m_used = 0;
        const size_t before = m_text.size();
        const size_t room = std::max(wanted, 16 * kStep) - before;
        m_text.resize(before + room);
        const size_t got = LOCKSTEP_TRY(m_source->read(m_text.data() + before, room));
        m_text.resize(before + got);
        return got == room;
    }

    std::unique_ptr<TextSource> m_source;
    uint64_t m_at; // offset in the text
    std::string m_text;
    size_t m_used = 0; // number of bytes of m_text before the current position
};

class ChromeRowFacts : public RowFactReader {
  public:
    explicit ChromeRowFacts(const Report& report) : m_report(report) {}

    Status read(std::span<const SliceId> rows, RowFacts& facts, const Progress& progress) override
    {
        facts.reset(rows.size());
        m_order.clear();
        for (size_t i = 0; i < rows.size(); ++i)
            m_order.push_back({m_report.slices.source[rows[i].value].row(), static_cast<uint32_t>(i)});
        std::ranges::sort(m_order);
        if (m_order.empty()) return {};
        const uint64_t begin = m_order.front().first;
        ForwardText text(
            LOCKSTEP_TRY(TextSource::openAt(m_report.provenance.path, begin, m_report.packedIndex.get())),
            begin);
        for (size_t i = 0; i < m_order.size(); ++i) {
            if ((i & 255) == 0) LOCKSTEP_TRY(progress.check());
            const auto& [offset, row] = m_order[i];
            const std::string_view object = LOCKSTEP_TRY(text.objectAt(offset));
            const auto details = object.empty() ? std::nullopt : detailsOfObject(object);
            if (!details) {
                return makeError(ErrorKind::corrupt,
                                 m_report.provenance.path.string() +
                                     ": changed since it was read; open it again",
                                 HelpTopic::changedFile);
            }
            takeArguments(*details, row, facts);
        }
        return {};
    }

  private:
    const Report& m_report;
    std::vector<std::pair<uint64_t, uint32_t>> m_order; // (offset, index in the page)
};

} // namespace

Result<std::unique_ptr<RowFactReader>> openChromeFacts(const Report& report)
{
    const std::filesystem::path& path = report.provenance.path;
    std::error_code failure;
    const uint64_t size = std::filesystem::file_size(path, failure);
    if (failure) return makeError(ErrorKind::notFound, path.string() + ": no longer exists");
    if (size != report.provenance.size_bytes) {
        return makeError(ErrorKind::corrupt, path.string() + ": changed since it was read; open it again",
                         HelpTopic::changedFile);
    }
    return std::make_unique<ChromeRowFacts>(report);
}

} // namespace lockstep
