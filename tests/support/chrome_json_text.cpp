// SPDX-License-Identifier: Apache-2.0
#include "tests/support/chrome_json_text.h"

#include <algorithm>

#include "core/readers/chrome_json/event_parser.h"
#include "core/readers/chrome_json/group_ranks.h"
#include "core/readers/chrome_json/header_facts.h"
#include "core/readers/chrome_json/report_assembly.h"
#include "core/readers/chrome_json/window_cutter.h"

namespace lockstep::test {

namespace {

class StringSource final : public TextSource {
  public:
    explicit StringSource(std::string_view text) : m_text(text) {}
    Result<size_t> read(char* out, size_t size) override
    {
        const size_t got = m_text.copy(out, size, m_position);
        m_position += got;
        return got;
    }
    uint64_t storedPosition() const override { return m_position; }

  private:
    std::string_view m_text;
    size_t m_position = 0;
};

} // namespace

std::shared_ptr<const Report> reportOfText(std::string_view text, size_t windowSize)
{
    WindowCutter cutter(std::make_unique<StringSource>(text), windowSize);
    ReportBuilder builder;
    SharedFacts shared(builder.factSets());
    std::vector<EventRows> workers;
    workers.emplace_back(shared);
    const Progress progress;
    EventParser parser(workers[0], progress);
    Window window;
    for (auto more = cutter.next(window, progress); more && *more; more = cutter.next(window, progress))
        parser.parse(window);
    builder.report().notes.merge(cutter.notes());
    noteLostBytes(workers[0].textBytes, cutter.eventBytes(), builder.report().notes);
    ReportAssembly assembly(workers, shared, builder);
    assembly.run(groupRanks(cutter.outer().fields()));
    applyHeader(cutter.outer().fields(), assembly.isKineto(), builder);
    return builder.freeze(Progress()).value();
}

} // namespace lockstep::test
