// SPDX-License-Identifier: Apache-2.0
// Tests that a host's list decides nothing on this machine except names below the collection folder: hostile
// lists, and links, files and pipes in the way.
#include <fstream>
#include <map>

#include <sys/stat.h>
#include <unistd.h>

#include "core/base/sha256.h"
#include "core/remote/collector.h"
#include "tests/support/places.h"
#include "tests/support/scripted_run.h"
#include "tests/support/ssh_site.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace fs = std::filesystem;

namespace {

const std::string kHonestTrace = R"({"traceEvents":[{"ph":"X","name":"a","ts":1,"dur":2,"pid":1,"tid":1}]})";
const std::string kGood = "/reports/rank0_step1.json";

std::string textOf(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string hexOf(std::string_view bytes)
{
    std::string hex;
    for (const char c : bytes) {
        static constexpr const char* kDigits = "0123456789abcdef";
        hex += {kDigits[static_cast<unsigned char>(c) >> 4], kDigits[c & 15]};
    }
    return hex;
}

// A line of the agent's list; the name is in hexadecimal digits, which can represent every byte.
std::string lineFor(std::string_view path, const std::string& size = std::to_string(kHonestTrace.size()),
                    const std::string& sha256 = Sha256::of(kHonestTrace))
{
    return R"({"path":"?","path_hex":")" + hexOf(path) + R"(","size_bytes":)" + size +
           R"(,"modified_ns":4000000000000000000,"kind":"trace json","complete":true,"reason":"","sha256":")" +
           sha256 + "\"}\n";
}

// A run over one scripted host that has ended, with a tree of folders around the collection.
class Collection {
  public:
    // told: a report that the host's agent announced during the run; "" for none.
    explicit Collection(const std::string& told = {}) : m_run(1)
    {
        m_run.config().framework = Framework::plain;
        m_run.write("a/precious.json", "precious");
        m_run.write("precious.json", "precious");
        m_run.host(0).tell("started", 1'000'000'000, "\"pid\":1,\"commands\":1");
        if (!told.empty()) {
            m_run.host(0).tell(
                "report", 1'500'000'000,
                "\"path\":\"" + told + "\",\"size_bytes\":" + std::to_string(kHonestTrace.size()) +
                    ",\"type\":\"trace json\",\"complete\":true,\"reason\":\"\",\"old\":false");
        }
        m_run.host(0).tell("exit", 2'000'000'000, "\"run\":true,\"code\":0,\"stopped\":false");
        std::ofstream(m_run.host(0).folder() / "content") << kHonestTrace;
        fs::create_directories(folder().parent_path());
        problem = m_run.create();
    }

    fs::path folder() const { return m_run.folder() / "a" / "b" / "run"; }
    fs::path outside() const { return m_run.folder() / "a"; }
    Run& run() { return m_run.run(); }
    // Returns false if the collection did not end in time.
    bool collect(const std::string& list)
    {
        std::ofstream(m_run.host(0).folder() / "list.jsonl") << list;
        run().begin();
        if (!waitUntil([this] { return run().state() == RunState::ended; })) return false;
        CollectOptions options;
        options.folder = folder();
        Collector collector(run(), options);
        bool isOver = false;
        QObject::connect(&collector, &Collector::finished, &collector, [&] { isOver = true; });
        collector.begin();
        const bool isInTime = waitUntil([&] { return isOver; });
        notes = collector.notes();
        return isInTime;
    }
    // Returns the files and links around the collection, with their content.
    std::map<std::string, std::string> surroundings() const
    {
        std::map<std::string, std::string> found;
        for (auto at = fs::recursive_directory_iterator(m_run.folder()); at != end(at); ++at) {
            const std::string path = at->path().lexically_relative(m_run.folder()).string();
            const bool isOurs = path == "a/b/run" || path == "state" || path == "node0";
            if (isOurs)
                at.disable_recursion_pending();
            else
                found[path] = at->is_regular_file() ? textOf(at->path()) : "";
        }
        return found;
    }
    const LedgerEntry* entry(std::string_view path)
    {
        const auto at = run().ledger().find("node0", path);
        return at ? &run().ledger().entries()[*at] : nullptr;
    }
    ScriptedRun& scripted() { return m_run; }

    std::string problem;
    std::vector<std::string> notes; // from the last collection

  private:
    ScriptedRun m_run;
};

} // namespace

class HostileListTest : public QObject {
    Q_OBJECT

  private slots:
    // On a shared disk another host writes while this host's agent still starts. A file that the agent
    // announced as part of the run is collected, even if its timestamp is before the run's first event here;
    // others are not.
    void announcedReportsAreCollectedWhateverTheirTimestamp()
    {
        Collection scene("/told.json");
        std::string list = lineFor("/told.json") + lineFor("/older.json");
        for (size_t at = 0; (at = list.find("4000000000000000000", at)) != list.npos;)
            list.replace(at, 19, "500000000");
        QVERIFY(scene.collect(list));
        QVERIFY(scene.entry("/told.json") != nullptr);
        QCOMPARE(scene.entry("/told.json")->state, LedgerState::verified);
        QVERIFY(scene.entry("/older.json") == nullptr);
    }

    void hostileNames_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<bool>("isRefused");
        int number = 0;
        const auto row = [&number](std::string_view name, bool isRefused) {
            QTest::newRow(qPrintable(QString("%1: %2").arg(++number).arg(
                QString::fromLatin1(name.data(), qsizetype(std::min<size_t>(name.size(), 40))))))
                << QByteArray(name.data(), qsizetype(name.size())) << isRefused;
        };
        using namespace std::string_view_literals;
        for (const auto name : {"/../../../x.json.gz"sv,
                                "../../../x.json.gz"sv,
                                "/../precious.json"sv,
                                "/reports/../../../precious.json"sv,
                                "../../x.lsc"sv,
                                "/reports/../../process_rank0_a_1.1.lsc"sv,
                                "/.."sv,
                                ".."sv,
                                "/a/.."sv,
                                "/../"sv,
                                "/./../../precious.json"sv,
                                "//..//..//precious.json"sv,
                                "~/../../../x.json"sv,
                                "/reports/"sv,
                                "/reports/."sv,
                                "/"sv,
                                ""sv,
                                "."sv,
                                "////"sv,
                                "/dev/zero"sv,
                                "/dev/sda"sv,
                                "/proc/self/environ"sv,
                                "/proc/kmsg"sv,
                                "/sys/x.json"sv,
                                "/dev/tty"sv,
                                "/reports/a\0.json"sv,
                                "\0"sv,
                                "/reports/a\x1b]0;owned\x07.json"sv,
                                "/reports/two\nlines.json"sv,
                                "/reports/c\rr.json"sv,
                                "/reports/c1\xC2\x9B.json"sv})
            row(name, true);
        static const std::string longName = "/reports/" + std::string(256, 'n') + ".json";
        static const std::string longPath = [] {
            std::string path;
            while (path.size() < 5000)
                path += "/" + std::string(200, 'd');
            return path + "/x.json";
        }();
        row(longName, true);
        row(longPath, true);
        // Unusual names, but inside the folder.
        for (const auto name :
             {"relative.json"sv, "/reports/./b//c.json"sv, "/reports/...json"sv, "/a/.../b.json"sv,
              "/dev/shm/x.json"sv, "~/x.json"sv, "/reports/-rf.json"sv, "/reports/$(id).json"sv,
              "/reports/latin\u00e9.json"sv, "/reports/\xE2\x80\xAEnosj.json"sv,
              "/.lockstep-parts-x/y.json"sv, "C:\\x.json"sv, "\\\\host\\share.json"sv})
            row(name, false);
    }
    void hostileNames()
    {
        QFETCH(QByteArray, name);
        QFETCH(bool, isRefused);
        Collection scene;
        QCOMPARE(scene.problem, std::string());
        const auto before = scene.surroundings();
        QVERIFY(scene.collect(lineFor(name.toStdString()) + lineFor(kGood)));
        QVERIFY(scene.surroundings() == before);
        // The file next to it is not affected.
        const LedgerEntry* const good = scene.entry(kGood);
        QVERIFY(good != nullptr);
        QCOMPARE(good->state, LedgerState::verified);
        QCOMPARE(fs::path(good->localPath), scene.folder() / "node0/reports/rank0_step1.json");
        const LedgerEntry* const odd = scene.entry(name.toStdString());
        if (name.isEmpty()) return; // no file is named: the line is skipped
        QVERIFY(odd != nullptr);
        QCOMPARE(odd->state, isRefused ? LedgerState::missing : LedgerState::verified);
        if (isRefused) {
            QVERIFY2(odd->reason.find("its path on the host") == 0, odd->reason.c_str());
            return;
        }
        const fs::path real = fs::canonical(odd->localPath);
        QVERIFY2(real.string().starts_with(fs::canonical(scene.folder()).string() + "/node0/"), real.c_str());
        struct stat status = {};
        QCOMPARE(::stat(real.c_str(), &status), 0);
        QCOMPARE(status.st_mode & 0777, mode_t(0600));
    }

    // A capture is judged by its blocks: an unchanged one, then one for each changed byte.
    void changedCaptures()
    {
        const fs::path whole = test::sourceFolder() / "tests/data/capture/all.lsc";
        const std::string bytes = textOf(whole);
        const ContentCheck honest = verifyContent(whole, Progress());
        QVERIFY2(honest.problem.empty() && honest.rows > 0, honest.problem.c_str());
        const TempDir folder;
        for (size_t at = 64; at < bytes.size() - 16; at += std::max<size_t>(1, bytes.size() / 97)) {
            std::string changed = bytes;
            changed[at] = static_cast<char>(changed[at] ^ 0x20);
            const ContentCheck proof = verifyContent(folder.write("x.lsc", changed), Progress());
            QVERIFY2(proof.problem.starts_with("incomplete: "),
                     (std::to_string(at) + ": " + proof.problem).c_str());
            QVERIFY(proof.rows <= honest.rows);
        }
        const ContentCheck cut =
            verifyContent(folder.write("x.lsc", bytes.substr(0, bytes.size() / 2)), Progress());
        QVERIFY2(cut.problem.starts_with("incomplete: "), cut.problem.c_str());
        QVERIFY(!verifyContent(folder.write("x.lsc", bytes.substr(0, 40)), Progress()).problem.empty());
    }

    void hostileHostInformation()
    {
        Collection scene;
        std::string list = "no json\n[]\n{\"path\":7}\n{}\n";
        list += lineFor("/negative.json", "-5") + lineFor("/nodigest.json", "5", "") +
                lineFor("/shaped.json", "5", "../../../../x") + lineFor("/text.json", "\"12\"") +
                lineFor("/short.json", "1000000") +
                lineFor("/wrong.json", std::to_string(kHonestTrace.size()), std::string(64, 'a'));
        // The same file is listed twice, and twice the same destination.
        list += lineFor(kGood) + lineFor(kGood) + lineFor("/twice//x.json") + lineFor("/twice/x.json");
        QVERIFY(scene.collect(list));
        QCOMPARE(scene.notes.size(), size_t(1));
        QVERIFY2(scene.notes[0].find("node0: unreadable lines in its list of reports: 4") == 0,
                 scene.notes[0].c_str());
        for (const char* name : {"/negative.json", "/nodigest.json", "/shaped.json", "/text.json",
                                 "/short.json", "/wrong.json", "/twice/x.json"}) {
            QVERIFY2(scene.entry(name) != nullptr, name);
            QVERIFY2(scene.entry(name)->state == LedgerState::missing, name);
            QVERIFY2(!scene.entry(name)->reason.empty(), name);
            QVERIFY2(scene.entry(name)->localPath.empty(), name);
        }
        QCOMPARE(scene.entry("/twice//x.json")->state, LedgerState::verified);
        QCOMPARE(scene.entry(kGood)->state, LedgerState::verified);
    }

    void linksInTheWayAreNotFollowed_data()
    {
        QTest::addColumn<QString>("where");
        QTest::newRow("the host's folder") << "node0";
        QTest::newRow("a folder below it") << "node0/reports";
        QTest::newRow("the folder of partial files") << "parts";
    }
    void linksInTheWayAreNotFollowed()
    {
        QFETCH(QString, where);
        Collection scene;
        const fs::path link =
            scene.folder() /
            (where == "parts" ? ".lockstep-parts-" + scene.run().record().id : where.toStdString());
        fs::create_directories(link.parent_path());
        fs::create_directory_symlink(scene.outside(), link);
        const auto before = scene.surroundings();
        QVERIFY(scene.collect(lineFor(kGood)));
        QVERIFY(scene.surroundings() == before);
        QCOMPARE(scene.entry(kGood)->state, LedgerState::missing);
        QVERIFY2(scene.entry(kGood)->reason.find(link.string() + ": is a link") == 0,
                 scene.entry(kGood)->reason.c_str());
        // After it is deleted, another collection fetches the file.
        fs::remove(link);
        QVERIFY(scene.collect(lineFor(kGood)));
        QCOMPARE(scene.entry(kGood)->state, LedgerState::verified);
    }

    void foreignFilesAreKept_data()
    {
        QTest::addColumn<QString>("kind");
        for (const char* kind : {"file", "link to a file", "dangling link", "pipe", "folder"})
            QTest::newRow(kind) << kind;
    }
    void foreignFilesAreKept()
    {
        QFETCH(QString, kind);
        Collection scene;
        const fs::path place = scene.folder() / "node0/reports/rank0_step1.json";
        fs::create_directories(place.parent_path());
        if (kind == "file") std::ofstream(place) << "another's";
        if (kind == "link to a file") fs::create_symlink(scene.outside() / "precious.json", place);
        if (kind == "dangling link") fs::create_symlink(scene.outside() / "new.json", place);
        if (kind == "pipe") QCOMPARE(::mkfifo(place.c_str(), 0600), 0);
        if (kind == "folder") fs::create_directories(place);
        const auto before = scene.surroundings();
        QVERIFY(scene.collect(lineFor(kGood)));
        QVERIFY(scene.surroundings() == before);
        if (kind == "file") QCOMPARE(textOf(place), std::string("another's"));
        // This run's file gets a separate path instead.
        QCOMPARE(scene.entry(kGood)->state, LedgerState::verified);
        QCOMPARE(fs::path(scene.entry(kGood)->localPath),
                 scene.folder() / scene.run().record().id / "node0/reports/rank0_step1.json");
        QCOMPARE(textOf(scene.entry(kGood)->localPath), kHonestTrace);
    }

    void ownFilesAreFetchedAgain()
    {
        Collection scene;
        QVERIFY(scene.collect(lineFor(kGood)));
        const fs::path place = scene.entry(kGood)->localPath;
        const std::string longer = kHonestTrace + "\n";
        std::ofstream(scene.scripted().host(0).folder() / "content") << longer;
        QVERIFY(scene.collect(lineFor(kGood, std::to_string(longer.size()), Sha256::of(longer))));
        QCOMPARE(scene.entry(kGood)->state, LedgerState::verified);
        QCOMPARE(fs::path(scene.entry(kGood)->localPath), place);
        QCOMPARE(textOf(place), longer);
        // Nothing remains of the transfer.
        QCOMPARE(std::distance(fs::directory_iterator(scene.folder()), {}), std::ptrdiff_t(1));
    }
};

LOCKSTEP_TEST(HostileListTest, "hostile_list_test")
#include "hostile_list_test.moc"
