// SPDX-License-Identifier: Apache-2.0
// verl's `file` logger: one line per step with all metrics of the step, and no time. Source: verl/utils/
// tracking.py, FileLogger.
#include "core/readers/samples/record_fields.h"
#include "core/readers/samples/sample_formats.h"

namespace lockstep {

namespace {

class VerlMetrics : public SampleRecords {
  public:
    explicit VerlMetrics(SampleRows& rows) : m_rows(rows) {}

    bool read(record::Object object, const JsonRecords&) override
    {
        std::optional<int64_t> step;
        std::vector<std::pair<std::string, double>> values;
        const bool isGood = record::eachField(object, [&](std::string_view key, record::Value value) {
            if (key == "step") step = record::integer(value);
            const auto data = key == "data" ? record::object(value) : std::nullopt;
            return !data || record::eachField(*data, [&](std::string_view name, record::Value of) {
                if (const auto number = record::number(of)) values.emplace_back(name, *number);
                return true;
            });
        });
        if (!isGood || !step) return false;
        for (const auto& [name, value] : values)
            m_rows.addStepValue(name, *step, value);
        return true;
    }

  private:
    SampleRows& m_rows;
};

} // namespace

SampleFormat verlMetricsFormat()
{
    return {"verl metrics",
            "verl",
            {"none: values per step", {}, 0, {}, ""},
            {"step", "data"},
            [](SampleRows& rows) -> std::unique_ptr<SampleRecords> {
                return std::make_unique<VerlMetrics>(rows);
            }};
}

} // namespace lockstep
