// SPDX-License-Identifier: Apache-2.0
// Tests the forecast of what a recording costs: ranges, sums by host, timeouts, and the findings.
#include <cmath>

#include "core/session/cost_forecast.h"
#include "core/session/preflight.h"
#include "core/session/session_yaml.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

constexpr const char* kStackSession =
    "framework: verl\nschema: head\ncommand: [python3, -m, verl.trainer.main_ppo]\n"
    "hosts:\n  - {name: node0, gpus: 8}\n  - {name: node1, gpus: 8}\n"
    "launcher: {kind: ssh}\ntool: torch\nsteps: [2]\nsave_path: /t\n"
    "torch: {contents: [cuda, cpu, stack]}\n"
    "roles: {actor: {enable: true, ranks: [0, 1, 8]}}\n";

SessionConfig costSessionOf(const std::string& yaml)
{
    auto config = sessionFromYaml(yaml);
    return config ? *config : SessionConfig();
}

HostFacts memoryFactsOf(const std::string& host, int64_t memory_bytes)
{
    HostFacts facts;
    facts.host = host;
    facts.memory_bytes = memory_bytes;
    return facts;
}

std::vector<Finding> costFindings(const SessionConfig& config, std::span<const HostFacts> facts = {})
{
    std::vector<Finding> found;
    for (const Finding& one : preflight(config, facts)) {
        if (one.rule.starts_with("cost.")) found.push_back(one);
    }
    return found;
}

} // namespace

class CostForecastTest : public QObject {
    Q_OBJECT

  private slots:
    void tracesWithStacksCostMore()
    {
        SessionConfig config = costSessionOf(kStackSession);
        const auto costsOf = [](const SessionConfig& one) {
            return costForecast(one, forecastFiles(one, {}));
        };
        const auto heavy = costsOf(config);
        QVERIFY(!heavy.empty());
        for (const RecordingCost& cost : heavy) {
            QVERIFY(cost.withStacks && cost.memory_bytes.low < cost.memory_bytes.high);
            QVERIFY(cost.write_s.low > 0 && cost.write_s.low < cost.write_s.high);
        }
        config.torch.contents = {"cuda", "cpu"};
        const auto light = costsOf(config);
        QCOMPARE(light.size(), heavy.size());
        QVERIFY(light[0].memory_bytes.high < heavy[0].memory_bytes.low);
        QVERIFY(light[0].write_s.high < heavy[0].write_s.high / 10);
        config.tool = Tool::nsys;
        QVERIFY(costsOf(config).empty());
    }

    void hostsSumTheirRanks()
    {
        const SessionConfig config = costSessionOf(kStackSession);
        const auto costs = costForecast(config, forecastFiles(config, {}));
        const auto hosts = costByHost(costs);
        QCOMPARE(hosts.size(), size_t(2));
        QVERIFY(std::abs(hosts[0].memory_bytes.low / hosts[1].memory_bytes.low - 2) < 0.01);
        // A host whose ranks are not known has no sum, instead of one that looks complete.
        std::vector<RecordingCost> unknown(costs.begin(), costs.end());
        for (RecordingCost& cost : unknown)
            cost.ranks.reset();
        QVERIFY(costByHost(unknown).empty());
        QVERIFY(costText(unknown, {}).find("unknown") != std::string::npos);
    }

    void memoryThatCannotFitIsAnError()
    {
        SessionConfig config = costSessionOf(kStackSession);
        const std::vector<HostFacts> small{memoryFactsOf("node0", 8'000'000'000),
                                           memoryFactsOf("node1", 2'000'000'000'000)};
        const auto found = costFindings(config, small);
        const auto memory = std::ranges::find(found, "cost.memory", &Finding::rule);
        QVERIFY(memory != found.end() && memory->severity == Severity::error);
        QCOMPARE(memory->field, std::string("hosts.node0"));
        QVERIFY2(memory->reason.find("but the host has 8 GB") != std::string::npos, memory->reason.c_str());
        QVERIFY2(memory->fix.find("remove stack") != std::string::npos, memory->fix.c_str());
        QVERIFY(memory->apply);
        memory->apply(config);
        QCOMPARE(config.torch.contents, (std::vector<std::string>{"cuda", "cpu"}));
        const auto after = costFindings(config, small);
        QVERIFY(std::ranges::find(after, Severity::error, &Finding::severity) == after.end());
        // In between: it may not fit.
        const std::vector<HostFacts> medium{memoryFactsOf("node0", 30'000'000'000)};
        const auto perhaps = costFindings(costSessionOf(kStackSession), medium);
        const auto warned = std::ranges::find(perhaps, "cost.memory", &Finding::rule);
        QVERIFY(warned != perhaps.end() && warned->severity == Severity::warning);
    }

    void longWritesAreComparedWithTheTimeouts()
    {
        SessionConfig config = costSessionOf(kStackSession);
        auto found = costFindings(config);
        auto timeout = std::ranges::find(found, "cost.timeout", &Finding::rule);
        QVERIFY(timeout != found.end() && timeout->severity == Severity::warning);
        QVERIFY2(timeout->reason.find("600 s (actor_rollout_ref.nccl_timeout, by default)") !=
                     std::string::npos,
                 timeout->reason.c_str());
        config.otherOverrides = {"actor_rollout_ref.nccl_timeout=7200"};
        config.environment = {{"TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC", "7200"}};
        QVERIFY(costFindings(config).empty());
        // Even the shortest estimate is too long.
        config.otherOverrides = {"actor_rollout_ref.nccl_timeout=10"};
        found = costFindings(config);
        timeout = std::ranges::find(found, "cost.timeout", &Finding::rule);
        QVERIFY(timeout != found.end() && timeout->severity == Severity::error);
    }

    void timeouts()
    {
        const auto of = [](const std::string& yaml) { return collectiveTimeout(costSessionOf(yaml)); };
        QCOMPARE(of("framework: torchrun\n").group_s, 600.0);
        QCOMPARE(of("framework: torchrun\n").heartbeat_s, 480.0);
        QCOMPARE(of("framework: torchtitan\n").group_s, 100.0);
        QCOMPARE(of("framework: torchtitan\ncommand: [x, --comm.train_timeout_seconds=300]\n").group_s,
                 300.0);
        QCOMPARE(of("framework: megatron_lm\ncommand: [x, --distributed-timeout-minutes, '30']\n").group_s,
                 1800.0);
        QVERIFY(std::isinf(
            of("framework: torchrun\nenvironment: {TORCH_NCCL_ENABLE_MONITORING: '0'}\n").heartbeat_s));
        QCOMPARE(of("framework: torchrun\nenvironment: {TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC: x}\n").heartbeat_s,
                 480.0);
    }

    void snapshots()
    {
        SessionConfig config = costSessionOf(kStackSession);
        config.tool = Tool::torchMemory;
        QVERIFY(costFindings(config).empty()); // the default of 100,000 entries
        config.torchMemory.maxEntries = 10'000'000;
        const std::vector<HostFacts> small{memoryFactsOf("node0", 4'000'000'000)};
        auto found = costFindings(config, small);
        QCOMPARE(found.size(), size_t(2));
        QVERIFY(found[0].apply);
        found[0].apply(config);
        QCOMPARE(config.torchMemory.maxEntries, std::optional<int64_t>(100'000));
        QVERIFY(costFindings(config, small).empty());
    }

    void texts()
    {
        QCOMPARE(memoryRangeText({8.47e9, 23.4e9}), std::string("8.5 to 23 GB"));
        QCOMPARE(memoryRangeText({612e6, 1.2e9}), std::string("610 MB to 1.2 GB"));
        QCOMPARE(timeRangeText({49.2, 966}), std::string("49 s to 16 min"));
        QCOMPARE(timeRangeText({0.7, 461}), std::string("0.7 s to 7.7 min"));
        QCOMPARE(memoryText(512e9), std::string("510 GB"));
        QCOMPARE(costText({}, {}), std::string());
        QCOMPARE(costSummary({}, {}), std::string());
    }
};

LOCKSTEP_TEST(CostForecastTest, "cost_forecast_test")
#include "cost_forecast_test.moc"
