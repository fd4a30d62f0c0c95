// SPDX-License-Identifier: Apache-2.0
// Tests the feed of a watched run: over connections that break and from malicious hosts.
#include <fstream>

#include <QSignalSpy>
#include <QTest>

#include "core/remote/live_feed.h"
#include "tests/support/made_spool.h"
#include "tests/support/slowness.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;
namespace fs = std::filesystem;

namespace {

// A host whose agent sends the bytes of stream-1, after a reconnection those of stream-2 and so on, and ends
// with the status in its file `status`. The positions that the client already has are stored in have-N, and
// its next two lines in commands-N, if that exists.
class StreamRemote : public Remote {
  public:
    explicit StreamRemote(fs::path folder) : m_folder(std::move(folder)) {}

    std::string name() const override { return "node0"; }
    std::vector<std::string> localCommand(std::string_view shellText) const override
    {
        static constexpr const char* kScript =
            "cd \"$1\" || exit 1; echo lockstep-speaks-from-here\n"
            "case \"$2\" in\n"
            "*'echo have'*) echo have ;;\n"
            "*' live '*) n=$(($(cat count 2> /dev/null || echo 0) + 1)); echo $n > count; head -n 1 > have-$n;\n"
            "  cat stream-$n 2> /dev/null; [ -f commands-$n ] && head -n 2 > commands-$n;\n"
            "  [ -f stay-$n ] && cat > /dev/null; exit $(cat status-$n || echo 0) ;;\n"
            "*) exit 1 ;;\n"
            "esac\n";
        return {"sh", "-c", kScript, "sh", m_folder.string(), std::string(shellText)};
    }
    LinkFailure linkFailure(int code, std::string_view) const override
    {
        return code == 255 ? LinkFailure::lost : LinkFailure::none;
    }
    std::string linkFailureText(LinkFailure, std::string_view) const override { return "the link is gone"; }

  private:
    fs::path m_folder;
};

class Feeding {
  public:
    Feeding()
    {
        LiveFeedOptions options;
        options.agent = {"agent", std::string(64, '0')};
        options.folder = folder.path() / "live";
        options.firstRetry_s = options.longestRetry_s = 0.05;
        folder.write("host/here", "");
        folder.write("live/of yesterday", "");
        feed = std::make_unique<LiveFeed>(
            std::vector<LiveFeedHost>{
                {"node/0", std::make_shared<StreamRemote>(folder.path() / "host"), "", "runs/one"}},
            options);
    }
    void stream(int number, const std::string& bytes, int status = 0)
    {
        folder.write("host/stream-" + std::to_string(number), bytes);
        folder.write("host/status-" + std::to_string(number), std::to_string(status));
    }
    LiveHostState state() const { return feed->state()->front(); }
    bool waitFor(LiveHostState::Link link)
    {
        return waitUntil([&] { return state().link == link; });
    }
    std::string have(int number) const
    {
        std::ifstream file(folder.path() / "host" / ("have-" + std::to_string(number)));
        return {std::istreambuf_iterator<char>(file), {}};
    }

    TempDir folder;
    std::unique_ptr<LiveFeed> feed;
};

struct Blocks {
    Blocks()
    {
        MadeSpool spool;
        header = spool.bytes();
        size_t end = header.size();
        spool.meta();
        for (int i = 0; i < 4; ++i) {
            bodies.push_back(spool.bytes().substr(end));
            end = spool.bytes().size();
            spool.pairs((i + 1) * 1'000'000'000ll, 3);
        }
    }
    std::string file() const { return liveFrame("file", {{"file", 1}, {"name", "a.lsc"}}, header); }
    std::string block(size_t i) const
    {
        return liveFrame("block", {{"file", 1}, {"sequence", i}}, bodies[i]);
    }
    std::string header;
    std::vector<std::string> bodies;
};

} // namespace

class LiveFeedTest : public QObject {
    Q_OBJECT

  private slots:
    void fromTheFirstBlockToTheEnd()
    {
        Feeding feeding;
        const Blocks blocks;
        const std::string stream =
            liveFrame("hello", {{"version", 1}}) + blocks.file() + blocks.block(0) + blocks.block(1) +
            liveFrame("what a later agent says", {{"x", 1}}, "payload") +
            liveFrame("lag", {{"monotonic_raw_ns", 5'000'000'000},
                              {"files", {{{"file", 1}, {"newest_ns", 2'000'000'000}}}}}) +
            liveFrame("done", {{"file", 1}, {"ended", true}}) + liveFrame("end", Json::object());
        feeding.stream(1, stream);
        QSignalSpy ended(feeding.feed.get(), &LiveFeed::ended);
        feeding.feed->begin();
        QVERIFY(feeding.waitFor(LiveHostState::Link::ended));
        QTRY_COMPARE(ended.count(), 1);
        const LiveHostState state = feeding.state();
        QCOMPARE(state.received_bytes, uint64_t(stream.size()));
        QCOMPARE(state.spools.size(), size_t(1));
        QCOMPARE(state.spools[0].nextBlock, uint64_t(2));
        QCOMPARE(state.spools[0].newestThere_ns, 2'000'000'000);
        QVERIFY(state.spools[0].isDone && state.notes.empty());
        QVERIFY(state.clock && state.clock->now_ns() >= 5'000'000'000);
        QVERIFY(!fs::exists(feeding.folder.path() / "live" / "of yesterday"));
        // The host's name is not used as a path.
        QCOMPARE(state.spools[0].path.parent_path().parent_path().parent_path().string(),
                 (feeding.folder.path() / "live").string());
    }

    // Breaks in the middle of a frame, twice: the next stream requests the missing part, and nothing is
    // stored twice.
    void lostConnectionResumesAtTheMissingBlock()
    {
        Feeding feeding;
        const Blocks blocks;
        feeding.stream(1, blocks.file() + blocks.block(0) + blocks.block(1).substr(0, 60), 255);
        feeding.stream(2, blocks.file() + blocks.block(1), 255);
        feeding.stream(3, blocks.file() + blocks.block(1) + blocks.block(2) + blocks.block(3) +
                              liveFrame("end", Json::object()));
        feeding.feed->begin();
        QVERIFY(feeding.waitFor(LiveHostState::Link::ended));
        QCOMPARE(feeding.have(1), std::string("{\"have\":{}}\n"));
        const LiveSpool spool = feeding.state().spools.at(0);
        QCOMPARE(feeding.have(2), "{\"have\":{\"" + spool.id + "\":1}}\n");
        QCOMPARE(feeding.have(3), "{\"have\":{\"" + spool.id + "\":2}}\n");
        std::ifstream file(spool.path, std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(file), {}};
        QCOMPARE(bytes,
                 blocks.header + blocks.bodies[0] + blocks.bodies[1] + blocks.bodies[2] + blocks.bodies[3]);
        QCOMPARE(feeding.state().notes.size(), size_t(1)); // the repetition was reported
    }

    // It is contacted again, and the reason for its absence is reported.
    void unconnectedHostIsNotLost()
    {
        Feeding feeding;
        for (int number = 1; number < 40; ++number)
            feeding.stream(number, "", 255);
        feeding.feed->begin();
        QTRY_VERIFY(!feeding.state().reason.text.empty());
        QVERIFY(feeding.state().link == LiveHostState::Link::connecting);
    }

    void maliciousHostIsDropped_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("text") << QByteArray("Welcome to node0!\n");
        QTest::newRow("endless head") << QByteArray(1 << 20, '{');
        QTest::newRow("endless payload")
            << QByteArray("{\"kind\":\"block\",\"bytes\":9000000000000000000}\n");
        const Blocks blocks;
        QTest::newRow("a duplicate spool") << QByteArray::fromStdString(
            blocks.file() + liveFrame("file", {{"file", 2}, {"name", "b.lsc"}}, blocks.header));
    }
    void maliciousHostIsDropped()
    {
        QFETCH(QByteArray, bytes);
        Feeding feeding;
        feeding.stream(1, bytes.toStdString());
        feeding.folder.write("host/stay-1", "");
        QSignalSpy ended(feeding.feed.get(), &LiveFeed::ended);
        feeding.feed->begin();
        QVERIFY(feeding.waitFor(LiveHostState::Link::failed));
        QVERIFY(!feeding.state().reason.text.empty());
        QTRY_COMPARE(ended.count(), 1);
        QTest::qWait(300);
        QVERIFY(!fs::exists(feeding.folder.path() / "host" / "have-2")); // it is not contacted again
    }

    // Nodes of a job that starts later than the watch; also after all earlier nodes have ended.
    void hostsThatJoinLater()
    {
        Feeding feeding;
        const Blocks blocks;
        feeding.stream(1, liveFrame("end", Json::object()));
        feeding.folder.write("late/stream-1", blocks.file() + blocks.block(0) + blocks.block(1) +
                                                  liveFrame("end", Json::object()));
        QSignalSpy ended(feeding.feed.get(), &LiveFeed::ended);
        feeding.feed->begin();
        QVERIFY(feeding.waitFor(LiveHostState::Link::ended));
        QTRY_COMPARE(ended.count(), 1);
        feeding.feed->add(
            {{"node/1", std::make_shared<StreamRemote>(feeding.folder.path() / "late"), "", "runs/one"}});
        QTRY_COMPARE(ended.count(), 2);
        const LiveState state = feeding.feed->state();
        QCOMPARE(state->size(), size_t(2));
        QCOMPARE((*state)[0].host, std::string("node/0")); // positions remain
        QCOMPARE((*state)[1].spools.at(0).nextBlock, uint64_t(2));
        QVERIFY((*state)[1].link == LiveHostState::Link::ended);
    }

    // An agent that repeatedly ends at once is given up, not contacted forever.
    // Both hosts announce the same files. Only the first one keeps sending them.
    void filesOnASharedDisk()
    {
        Feeding feeding;
        const Blocks blocks;
        const auto records = liveFrame("records", {{"file", 2}, {"id", "x"}, {"path", "/d/a.jsonl"}});
        const auto lines = liveFrame("lines", {{"file", 2}, {"position", 0}}, "{}\n");
        const std::string stream =
            liveFrame("hello", {{"version", 1}}) + blocks.file() + blocks.block(0) + records + lines;
        feeding.stream(1, stream);
        feeding.folder.write("host/stay-1", "");
        feeding.folder.write("second/stream-1", stream + liveFrame("end", Json::object()));
        feeding.folder.write("second/status-1", "0");
        feeding.folder.write("second/here", "");
        feeding.folder.write("second/commands-1", "");
        feeding.feed->begin();
        QVERIFY(waitUntil([&] { return feeding.state().records.size() == 1; }));
        feeding.feed->add(
            {{"node/1", std::make_shared<StreamRemote>(feeding.folder.path() / "second"), "", "runs/one"}});
        const auto second = [&] { return feeding.feed->state()->at(1); };
        QVERIFY(waitUntil([&] { return second().link == LiveHostState::Link::ended; }));
        QVERIFY(second().spools.empty() && second().records.empty() && second().notes.empty());
        QCOMPARE(second().shared.size(), size_t(2));
        QVERIFY(second().shared.contains("records x"));
        QCOMPARE(feeding.state().spools.size(), size_t(1));
        QVERIFY(feeding.state().shared.empty());
        const std::string commands = contentOf(feeding.folder.path() / "second/commands-1");
        QCOMPARE(commands, std::string("{\"drop\":1}\n{\"drop\":2}\n"));
    }

    void anAgentThatOnlyFails()
    {
        Feeding feeding;
        for (int i = 1; i < 20; ++i)
            feeding.stream(i, "", 1);
        feeding.feed->begin();
        QVERIFY(feeding.waitFor(LiveHostState::Link::failed));
        QVERIFY(fs::exists(feeding.folder.path() / "host" / "have-3"));
        QVERIFY(!fs::exists(feeding.folder.path() / "host" / "have-12"));
    }
};

LOCKSTEP_TEST(LiveFeedTest, "live_feed_test")
#include "live_feed_test.moc"
