// SPDX-License-Identifier: Apache-2.0
// Tests calls and transfers over a real sshd: exit statuses, bytes in both directions, file names that are
// special in a shell, refusals.
#include <fstream>

#include <sys/stat.h>

#include "core/base/sha256.h"
#include "core/remote/agent_client.h"
#include "core/remote/file_fetch.h"
#include "core/remote/host_probe.h"
#include "tests/support/ssh_site.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

CallResult resultOf(const Remote& remote, std::string_view text, const QByteArray& input = {})
{
    std::optional<CallResult> result;
    QObject owner;
    RemoteCall* call = remote.call(text, &owner);
    QObject::connect(call, &RemoteCall::finished, &owner, [&](const CallResult& told) { result = told; });
    if (!input.isEmpty()) call->write(input);
    call->closeInput();
    if (!waitUntil([&] { return result.has_value(); })) qWarning("no answer");
    return result.value_or(CallResult{});
}

// Returns the error message of a fetch; "" when the file is there.
std::string fetched(const std::shared_ptr<const Remote>& remote, FetchOrder order, qint64* bytes = nullptr)
{
    BackgroundWork work(1);
    FileFetch fetch(remote, std::move(order), work, nullptr);
    std::optional<Error> end;
    QObject::connect(&fetch, &FileFetch::bytesArrived, &fetch, [&](qint64 count) {
        if (bytes != nullptr) *bytes += count;
    });
    QObject::connect(&fetch, &FileFetch::finished, &fetch, [&](const Error& error) { end = error; });
    fetch.begin();
    if (!waitUntil([&] { return end.has_value(); })) return "no end";
    return end->message;
}

std::string textOf(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Simulates a host that fails during a transfer: the output of its shell text is cut after a number of bytes,
// the first few times.
class CutRemote : public Remote {
  public:
    CutRemote(std::filesystem::path folder, int cuts, int bytes)
        : m_folder(std::move(folder)), m_cuts(cuts), m_bytes(bytes)
    {
    }
    std::string name() const override { return "cut"; }
    std::vector<std::string> localCommand(std::string_view shellText) const override
    {
        const std::string counter = (m_folder / "calls").string();
        const std::string script = "n=$(cat '" + counter + "' 2>/dev/null || echo 0); echo $((n+1)) > '" +
                                   counter + "'; if [ $n -lt " + std::to_string(m_cuts) + " ]; then { " +
                                   std::string(shellText) + "; } | head -c " + std::to_string(m_bytes) +
                                   "; echo 'Connection reset' >&2; exit 255; fi; " + std::string(shellText);
        return {"/bin/sh", "-c", script};
    }
    LinkFailure linkFailure(int code, std::string_view) const override
    {
        return code == 255 ? LinkFailure::lost : LinkFailure::none;
    }
    std::string linkFailureText(LinkFailure, std::string_view) const override
    {
        return "the connection was reset";
    }

  private:
    std::filesystem::path m_folder;
    int m_cuts;
    int m_bytes;
};

} // namespace

class SshRemoteTest : public QObject {
    Q_OBJECT

  private slots:
    void callsAndTheirExitStatuses()
    {
        SshSite site({"home with space"});
        if (!site.problem().empty()) QSKIP(site.problem().c_str());
        const auto remote = std::make_shared<SshRemote>("node0", site.options());
        const CallResult plain = resultOf(*remote, "printf '%s' \"$HOME\"; cat; exit 3", "from here");
        QCOMPARE(plain.code, 3);
        QCOMPARE(plain.link, LinkFailure::none);
        QCOMPARE(plain.output.toStdString(), site.node(0).home().string() + "from here");
        // Arguments that a shell in between could change, and bytes that are not UTF-8.
        const std::string odd = "a'b\"c $HOME `id` \\ *\n-x\t\xFF\xFE!";
        QCOMPARE(
            resultOf(*remote, "printf '%s' 'a'\\''b\"c $HOME `id` \\ *\n-x\t\xFF\xFE!'").output.toStdString(),
            odd);
        // One connection serves all calls of a host.
        QCOMPARE(QString::fromStdString(site.node(0).log()).count("Accepted publickey"), 1);
    }

    void awkwardNames_data()
    {
        QTest::addColumn<QByteArray>("name");
        for (const char* name :
             {"worker_1:3_77.nsys-rep", "with space.json", "it's \"quoted\".json", "two\nlines.json",
              "-rf.json", "$HOME.json", "caf\xC3\xA9.json", "latin\xE9.json", "*.json", "tab\t.json"})
            QTest::newRow(name) << QByteArray(name);
    }
    void awkwardNames()
    {
        QFETCH(QByteArray, name);
        static SshSite site({"h"});
        if (!site.problem().empty()) QSKIP(site.problem().c_str());
        const std::string content(100'000, 'z');
        site.node(0).write(name.toStdString(), content);
        std::filesystem::create_directories(site.folder() / "got");
        const auto target = site.folder() / "got" / name.toStdString();
        const FetchOrder order{name.toStdString(), target, 100'000, Sha256::of(content)};
        QCOMPARE(fetched(std::make_shared<SshRemote>("node0", site.options()), order), std::string());
        QVERIFY(textOf(target) == content);
    }

    void fetchReadsAndWritesRegularFilesOnly()
    {
        const TempDir folder;
        const auto remote = std::make_shared<CutRemote>(folder.path(), 0, 0);
        // Reading a pipe on the host would wait forever.
        QCOMPARE(::mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
        const FetchOrder pipe{folder.path() / "pipe", folder.path() / "part", 5, Sha256::of("bytes")};
        const std::string message = fetched(remote, pipe);
        QVERIFY2(message.find("not a regular file") != std::string::npos, message.c_str());
        QVERIFY(!std::filesystem::exists(pipe.part));
        // On this machine, no link, pipe or hard link is written to.
        const auto source = folder.write("source", "bytes");
        const auto precious = folder.write("precious", "x");
        for (const char* planted : {"link", "second", "pipe"}) {
            const auto part = folder.path() / planted;
            if (part.filename() == "link") std::filesystem::create_symlink(precious, part);
            if (part.filename() == "second") std::filesystem::create_hard_link(precious, part);
            QVERIFY(!fetched(remote, {source.string(), part, 5, Sha256::of("bytes")}).empty());
        }
        QCOMPARE(textOf(precious), std::string("x"));
    }

    void fetchResumesWhereItStopped()
    {
        const TempDir folder;
        std::string content;
        for (int i = 0; content.size() < 200'000; ++i)
            content += std::to_string(i) + "\n";
        const auto source = folder.write("source", content);
        const auto remote = std::make_shared<CutRemote>(folder.path(), 3, 40'000);
        FetchOrder order{source.string(), folder.path() / "target", static_cast<int64_t>(content.size()),
                         Sha256::of(content)};
        order.firstRetry_s = 0.01;
        qint64 bytes = 0;
        QCOMPARE(fetched(remote, order, &bytes), std::string());
        QVERIFY(textOf(order.part) == content);
        QCOMPARE(bytes, qint64(content.size())); // no byte was transferred twice
    }

    void fetchVerifiesTheContent()
    {
        const TempDir folder;
        const auto source = folder.write("source", "after");
        const auto remote = std::make_shared<CutRemote>(folder.path(), 0, 0);
        const FetchOrder order{source.string(), folder.path() / "target", 5, Sha256::of("befor")};
        const std::string message = fetched(remote, order);
        QVERIFY2(message.find("sha256 mismatch") != std::string::npos, message.c_str());
        QVERIFY(!std::filesystem::exists(order.part));
        // A partial file that an earlier attempt left with other content is not trusted either.
        folder.write("target", "xxx");
        FetchOrder right = order;
        right.sha256 = Sha256::of("after");
        QCOMPARE(fetched(remote, right), std::string());
        QCOMPARE(textOf(order.part), std::string("after"));
    }

    void refusalMessages()
    {
        SshSite site({"h"});
        if (!site.problem().empty()) QSKIP(site.problem().c_str());
        site.addDeadAlias("dead");
        const auto failureOf = [&](const std::string& address, SshOptions options) {
            return resultOf(sharedRemote(address, std::move(options)), "true");
        };
        const CallResult dead = failureOf("dead", site.options());
        QCOMPARE(dead.link, LinkFailure::unreachable);
        QVERIFY(dead.error.message.find("check that sshd is running") != std::string::npos);
        QCOMPARE(failureOf("no-such-host.invalid", site.options()).link, LinkFailure::unreachable);
        const std::string nothing = (site.folder() / "nothing").string();
        SshOptions noKey = site.options();
        noKey.extraArguments = {"-o", "IdentityFile=" + nothing, "-o", "IdentityAgent=none"};
        noKey.configFile = site.folder() / "other_config";
        std::ofstream(noKey.configFile)
            << "Host node0\n HostName 127.0.0.1\n Port " << site.node(0).port()
            << "\n StrictHostKeyChecking no\n UserKnownHostsFile " << nothing << "1\n";
        const CallResult keyless = failureOf("node0", noKey);
        QCOMPARE(keyless.link, LinkFailure::authentication);
        QVERIFY(keyless.error.message.find("ssh-add") != std::string::npos);
        QVERIFY(!isWorthRetrying(keyless.link));
        SshOptions unknown = site.options();
        unknown.extraArguments = {"-o", "UserKnownHostsFile=" + nothing};
        const CallResult stranger = failureOf("node0", unknown);
        QCOMPARE(stranger.link, LinkFailure::hostKey);
        QVERIFY(stranger.error.message.find("compare the fingerprint") != std::string::npos);
        SshOptions absent = site.options();
        absent.program = "no-such-ssh";
        QCOMPARE(failureOf("node0", absent).link, LinkFailure::configuration);
    }

    void probeReportsHostInformationAndClock()
    {
        SshSite site({"h"});
        if (!site.problem().empty()) QSKIP(site.problem().c_str());
        site.addDeadAlias("dead");
        RunOptions options;
        options.ssh = site.options();
        options.agent = *findAgentProgram();
        LaunchPlan plan;
        plan.hosts.resize(2);
        plan.hosts[0].host = plan.hosts[0].address = "node0";
        plan.hosts[1].host = plan.hosts[1].address = "dead";
        HostProbe probe({}, plan, options);
        bool isDone = false;
        connect(&probe, &HostProbe::finished, this, [&] { isDone = true; });
        QVERIFY(waitUntil([&] { return isDone; }));
        QCOMPARE(probe.facts().size(), size_t(1));
        const HostFacts facts = probe.facts().front();
        QCOMPARE(facts.host, std::string("node0"));
        QVERIFY(facts.cpus.value_or(0) > 0);
        // The same machine: the clocks agree within the error bound.
        QVERIFY(facts.clockOffset_ns && facts.clockError_ns);
        QVERIFY(std::abs(*facts.clockOffset_ns) <= *facts.clockError_ns + 1'000'000);
        QVERIFY(*facts.clockError_ns < 1'000'000'000);
        QCOMPARE(probe.unanswered().size(), size_t(1));
        QCOMPARE(probe.unanswered().front().link, LinkFailure::unreachable);
        // Stored once: the second call finds the file.
        const auto home = site.node(0).home() / ".cache/lockstep/agent";
        QCOMPARE(std::distance(std::filesystem::directory_iterator(home), {}), std::ptrdiff_t(1));
    }

  private:
    // Remotes are shared by their calls.
    static const Remote& sharedRemote(const std::string& address, SshOptions options)
    {
        static std::vector<std::shared_ptr<const Remote>> kept;
        kept.push_back(std::make_shared<SshRemote>(address, std::move(options)));
        return *kept.back();
    }
};

LOCKSTEP_TEST(SshRemoteTest, "ssh_remote_test")
#include "ssh_remote_test.moc"
