// SPDX-License-Identifier: Apache-2.0
// Tests the conversion of UTF-16 and UTF-32 to UTF-8, for any division into chunks.
#include "core/base/wide_text.h"

#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

std::string decoded(std::string_view bytes, WideEncoding encoding, size_t piece)
{
    WideDecoder decoder(encoding);
    std::string text;
    for (size_t at = 0; at < bytes.size(); at += piece)
        decoder.decode(bytes.substr(at, piece), text);
    return decoder.isCut() ? text + "[cut]" : text;
}

} // namespace

class WideTextTest : public QObject {
    Q_OBJECT

  private slots:
    void encodingsAreDetectedByTheirBegin()
    {
        QCOMPARE(wideEncodingOf(std::string_view("\xFF\xFE{\0", 4)), WideEncoding::utf16Little);
        QCOMPARE(wideEncodingOf(std::string_view("\xFF\xFE\0\0", 4)), WideEncoding::utf32Little);
        QCOMPARE(wideEncodingOf(std::string_view("\xFE\xFF\0{", 4)), WideEncoding::utf16Big);
        QCOMPARE(wideEncodingOf(std::string_view("{\0\"\0", 4)), WideEncoding::utf16Little);
        QCOMPARE(wideEncodingOf(std::string_view("\0\0\0[", 4)), WideEncoding::utf32Big);
        QCOMPARE(wideEncodingOf("{\"tr"), WideEncoding::none);
        QCOMPARE(wideEncodingOf(std::string_view("\n\0\n\0", 4)), WideEncoding::none); // packets of Perfetto
        QCOMPARE(wideEncodingOf(""), WideEncoding::none);
    }

    void charactersAreKept()
    {
        // A, é, the euro sign, an emoji of two units, and half of one.
        const std::string_view little("\xFF\xFE"
                                      "A\0\xE9\0\xAC\x20\x3D\xD8\x00\xDE\x3D\xD8",
                                      14);
        for (size_t piece = 1; piece <= little.size(); ++piece) {
            QCOMPARE(decoded(little, WideEncoding::utf16Little, piece),
                     std::string("A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80[cut]"));
        }
        QCOMPARE(decoded(std::string_view("\0\x01\xF6\0", 4), WideEncoding::utf32Big, 3),
                 std::string("\xF0\x9F\x98\x80"));
        QCOMPARE(decoded(std::string_view("\x00\xDE"
                                          "A\0",
                                          4),
                         WideEncoding::utf16Little, 4),
                 std::string("\xEF\xBF\xBD"
                             "A")); // half a surrogate pair
        QCOMPARE(decoded(std::string_view("A\0B", 3), WideEncoding::utf16Little, 2), std::string("A[cut]"));
    }
};

LOCKSTEP_TEST(WideTextTest, "wide_text_test")
#include "wide_text_test.moc"
