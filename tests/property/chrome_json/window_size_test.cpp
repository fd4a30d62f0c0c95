// SPDX-License-Identifier: Apache-2.0
// Tests that the division of a file into windows changes nothing: events of any shape, windows of any size.
#include <rapidcheck.h>

#include "tests/support/chrome_json_text.h"
#include "tests/support/slice_text.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

// Names that contain text which a border scan could mistake for structure.
rc::Gen<std::string> nameText()
{
    return rc::gen::map(rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 10)),
                        [](const std::vector<int>& parts) {
                            static const std::vector<std::string> kParts{"{",    "}", "[", "]", "\\\"",
                                                                         "\\\\", ",", " ", "a", "},{"};
                            std::string text;
                            for (const int part : parts)
                                text += kParts[size_t(part)];
                            return text;
                        });
}

std::string eventText(int phase, const std::string& name, int start, const std::string& separator)
{
    static const std::vector<std::string> kPhases{"X", "X", "B", "E", "b", "e", "i", "s", "f", "C", "M"};
    const std::string ph = kPhases[size_t(phase)];
    return "{\"ph\":\"" + ph + "\"," + separator + "\"name\":\"" + name +
           "\",\"id\":1,\"pid\":1,\"tid\":" + std::to_string(phase % 3) + ",\"ts\":" + std::to_string(start) +
           ".125,\"dur\":3,\"args\":{\"" + name + "\":[1,{\"x\":\"" + name + "\"}],\"value\":2}}";
}

} // namespace

class WindowSizeTest : public QObject {
    Q_OBJECT

  private slots:
    void windowsDoNotMatter()
    {
        QVERIFY(rc::check([] {
            const auto separator = *rc::gen::element<std::string>("", " ", "\n    ");
            std::string text =
                *rc::gen::element<std::string>("[", "{\"a\": {\"traceEvents\": 1}, \"traceEvents\": [");
            const bool isObject = text[0] == '{';
            const int count = *rc::gen::inRange(0, 40);
            for (int i = 0; i < count; ++i) {
                text +=
                    (i > 0 ? "," + separator : separator) +
                    eventText(*rc::gen::inRange(0, 11), *nameText(), *rc::gen::inRange(0, 1000), separator);
            }
            text += isObject ? "], \"INFO\": [\"]}\"]}" : "]";
            const size_t cut = *rc::gen::weightedOneOf<size_t>(
                {{3, rc::gen::just(text.size())}, {1, rc::gen::inRange<size_t>(0, text.size() + 1)}});
            text.resize(cut);
            const std::string whole = sliceText(*reportOfText(text, 1 << 20));
            RC_ASSERT(sliceText(*reportOfText(text, *rc::gen::inRange<size_t>(16, 4000))) == whole);
        }));
    }
};

LOCKSTEP_TEST(WindowSizeTest, "window_size_test")
#include "window_size_test.moc"
