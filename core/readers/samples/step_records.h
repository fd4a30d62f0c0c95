// SPDX-License-Identifier: Apache-2.0
// StepRecords reads a log with one record per step: {"step": 7, MAP: {"name": number}}. Records without a
// step are left out, and so are values that are no numbers. One thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/readers/samples/record_fields.h"
#include "core/readers/samples/sample_format.h"

namespace lockstep {

class StepRecords : public SampleRecords {
  public:
    // map: the key of the values
    StepRecords(SampleRows& rows, std::string_view map) : m_rows(rows), m_map(map) {}

    bool read(record::Object object, const JsonRecords&) override
    {
        std::optional<int64_t> step;
        std::vector<std::pair<std::string, double>> values;
        const bool isGood = record::eachField(object, [&](std::string_view key, record::Value value) {
            if (key == "step") step = record::integer(value);
            const auto map = key == m_map ? record::object(value) : std::nullopt;
            return !map || record::eachField(*map, [&](std::string_view name, record::Value of) {
                if (const auto number = record::number(of)) values.emplace_back(name, *number);
                return true;
            });
        });
        for (const auto& [name, value] : values) {
            if (isGood && step) m_rows.addStepValue(name, *step, value);
        }
        return isGood;
    }

  private:
    SampleRows& m_rows;
    std::string_view m_map;
};

} // namespace lockstep
