// SPDX-License-Identifier: Apache-2.0
// Tests the setting clock_exchange: its values, its default, its effect on the plan.
#include "core/session/launch_plan.h"
#include "core/session/session_fields.h"
#include "core/session/session_yaml.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

SessionConfig twoExchangingHosts()
{
    SessionConfig config;
    config.command = {"true"};
    config.hosts.resize(2);
    config.hosts[0].name = "a";
    config.hosts[1].name = "b";
    return config;
}

size_t exchanging(const SessionConfig& config)
{
    const auto plan = planLaunch(config, {});
    if (!plan) qFatal("%s", plan.error().message.c_str());
    // The plan and the agents' instructions agree.
    const bool isStated = planText(*plan).find("hosts compare their clocks") != std::string::npos;
    size_t count = 0;
    for (const HostPlan& host : plan->hosts) {
        const auto told = hostPlanFromJson(jsonFromHostPlan(*plan, host));
        count += told->exchangesClocks ? 1 : 0;
    }
    if (isStated != (count > 0)) qFatal("the plan's text says otherwise");
    return count;
}

} // namespace

class ClockExchangeSettingTest : public QObject {
    Q_OBJECT

  private slots:
    void enabledByDefault()
    {
        SessionConfig config = twoExchangingHosts();
        QCOMPARE(exchanging(config), size_t(2));
        QVERIFY(setSessionField(config, "clock_exchange", ConfigValue::fromText("off")));
        QCOMPARE(exchanging(config), size_t(0));
        QVERIFY(setSessionField(config, "clock_exchange", ConfigValue::fromText("on")));
        QCOMPARE(exchanging(config), size_t(2));
        config.hosts.pop_back(); // no host to compare with
        QCOMPARE(exchanging(config), size_t(0));
    }

    void otherValuesAreRefused()
    {
        SessionConfig config = twoExchangingHosts();
        for (const char* word : {"maybe", "true", "OFF ", "1"}) {
            const Status set = setSessionField(config, "clock_exchange", ConfigValue::fromText(word));
            QVERIFY2(!set, word);
            QVERIFY(set.error().message.find("clock_exchange") != std::string::npos);
        }
        QVERIFY(!config.clockExchange);
    }

    void settingSurvivesFiles()
    {
        for (const char* word : {"off", "on"}) {
            const auto read = sessionFromYaml(std::string("lockstep_session: 1\nhosts: [a, b]\ncommand: [x]\n"
                                                          "clock_exchange: ") +
                                              word + "\n");
            QVERIFY2(read, read ? "" : read.error().message.c_str());
            QCOMPARE(exchanging(*read), size_t(std::string_view(word) == "on" ? 2 : 0));
            const auto again = sessionFromYaml(yamlFromSession(*read));
            QVERIFY(again && again->clockExchange == read->clockExchange);
        }
    }
};

LOCKSTEP_TEST(ClockExchangeSettingTest, "clock_exchange_setting_test")
#include "clock_exchange_setting_test.moc"
