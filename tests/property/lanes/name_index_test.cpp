// SPDX-License-Identifier: Apache-2.0
// Compares NameIndex with a scan of every slice, for any names and any row.
#include "core/lanes/name_index.h"

#include <rapidcheck.h>

#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

// Many slices with a few frequent names, names that come in bursts, and names that occur once.
Report randomNames()
{
    Report report;
    const auto rows = static_cast<size_t>(*rc::gen::inRange(0, 400'000));
    const auto texts = *rc::gen::inRange<uint32_t>(3, 400);
    for (uint32_t i = 0; i < texts; ++i)
        report.strings.intern("name " + std::to_string(i));
    uint64_t state = *rc::gen::arbitrary<uint64_t>() | 1;
    const auto random = [&](uint64_t below) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<uint32_t>((state >> 33) % below);
    };
    report.slices.name.resize(rows);
    for (size_t row = 0; row < rows; ++row) {
        const uint32_t burst = 3 + static_cast<uint32_t>(row / 50'000) % (texts - 2);
        const uint32_t kind = random(10'000);
        report.slices.name[row] = StringId(kind == 0 ? random(texts) : kind < 100 ? burst % texts : kind % 3);
    }
    return report;
}

} // namespace

class NameIndexTest : public QObject {
    Q_OBJECT

  private slots:
    void agreesWithAScan()
    {
        QVERIFY(rc::check("counts, first and last", [] {
            const Report report = randomNames();
            const NameIndex index(report);
            const auto& rows = report.slices.name;
            const size_t texts = report.strings.size();
            std::vector<StringId> chosen;
            const auto wanted = *rc::gen::element<size_t>(0, 1, 2, 20, texts);
            for (size_t i = 0; i < std::min(wanted, texts); ++i)
                chosen.push_back(StringId(texts - 1 - i));
            const NameSet names(chosen, texts);
            const auto has = [&](StringId name) { return names.has(name); };
            RC_ASSERT(index.count(names) == uint64_t(std::ranges::count_if(rows, has)));
            for (int ask = 0; ask < 20; ++ask) {
                const auto row = *rc::gen::inRange<uint32_t>(0, static_cast<uint32_t>(rows.size()) + 1);
                const auto at = rows.begin() + row;
                RC_ASSERT(index.countBefore(report, names, row) ==
                          uint64_t(std::count_if(rows.begin(), at, has)));
                const auto next = std::find_if(at, rows.end(), has);
                const auto found = index.firstFrom(report, names, row);
                RC_ASSERT(found.has_value() == (next != rows.end()));
                if (found) RC_ASSERT(found->value == uint32_t(next - rows.begin()));
                const auto before = std::find_if(std::make_reverse_iterator(at),
                                                 std::make_reverse_iterator(rows.begin()), has);
                const auto last = index.lastBefore(report, names, row);
                RC_ASSERT(last.has_value() == (before.base() != rows.begin()));
                if (last) RC_ASSERT(last->value == uint32_t(before.base() - rows.begin()) - 1);
            }
        }));
    }
};

LOCKSTEP_TEST(NameIndexTest, "name_index_test")
#include "name_index_test.moc"
