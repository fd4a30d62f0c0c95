// SPDX-License-Identifier: Apache-2.0
// Tests digests of the published example messages, with every division of a message into chunks.
#include "core/base/sha256.h"

#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

class Sha256Test : public QObject {
    Q_OBJECT

  private slots:
    void publishedVectors()
    {
        QCOMPARE(Sha256::of(""),
                 std::string("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
        QCOMPARE(Sha256::of("abc"),
                 std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
        QCOMPARE(Sha256::of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
                 std::string("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"));
        QCOMPARE(Sha256::of(std::string(1'000'000, 'a')),
                 std::string("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"));
    }

    void chunksGiveTheSameDigest()
    {
        std::string text;
        for (int i = 0; i < 300; ++i)
            text += static_cast<char>(i * 7);
        const std::string whole = Sha256::of(text);
        for (size_t cut = 0; cut <= text.size(); ++cut) {
            Sha256 digest;
            digest.add(std::string_view(text).substr(0, cut));
            digest.add(std::string_view(text).substr(cut));
            QCOMPARE(digest.hexDigest(), whole);
        }
    }

    void filesAndTheirErrors()
    {
        const test::TempDir folder;
        QCOMPARE(*sha256OfFile(folder.write("a", "abc"), Progress()), Sha256::of("abc"));
        QCOMPARE(*sha256OfFile(folder.write("empty", ""), Progress()), Sha256::of(""));
        QCOMPARE(sha256OfFile(folder.path() / "absent", Progress()).error().kind, ErrorKind::notFound);
        std::stop_source stop;
        stop.request_stop();
        QCOMPARE(sha256OfFile(folder.path() / "a", Progress(stop.get_token())).error().kind,
                 ErrorKind::canceled);
    }
};

LOCKSTEP_TEST(Sha256Test, "sha256_test")
#include "sha256_test.moc"
