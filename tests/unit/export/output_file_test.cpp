// Output files appear whole or not at all.
#include "core/export/output_file.h"

#include <fstream>
#include <iterator>

#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

std::string contentOf(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

size_t filesIn(const std::filesystem::path& folder)
{
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

} // namespace

class OutputFileTest : public QObject {
    Q_OBJECT

  private slots:
    void appearsOnCommit()
    {
        const test::TempDir folder;
        const auto path = folder.write("out.csv", "old");
        auto file = OutputFile::create(path);
        QVERIFY(file.has_value());
        const std::string large(1'000'000, 'x');
        file->write("new");
        file->write(large);
        QCOMPARE(contentOf(path), std::string("old"));
        QVERIFY(file->commit());
        QCOMPARE(contentOf(path), "new" + large);
        QCOMPARE(filesIn(folder.path()), size_t(1));
    }

    void leavesNothingWithoutCommit()
    {
        const test::TempDir folder;
        {
            auto file = OutputFile::create(folder.path() / "out.csv");
            file->write("part");
            QCOMPARE(filesIn(folder.path()), size_t(1));
        }
        QCOMPARE(filesIn(folder.path()), size_t(0));
    }

    void failuresNameTheFile()
    {
        const test::TempDir folder;
        const auto absent = OutputFile::create(folder.path() / "absent" / "out.csv");
        QVERIFY(!absent);
        QCOMPARE(absent.error().kind, ErrorKind::io);
        QVERIFY(absent.error().message.starts_with((folder.path() / "absent" / "out.csv").string() +
                                                   ": cannot write: "));
        // A folder of the same name cannot be replaced by a file.
        std::filesystem::create_directory(folder.path() / "taken");
        auto file = OutputFile::create(folder.path() / "taken");
        QVERIFY(!file->commit());
    }
};

LOCKSTEP_TEST(OutputFileTest, "output_file_test")
#include "output_file_test.moc"
