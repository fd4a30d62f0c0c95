// SPDX-License-Identifier: Apache-2.0
// Spans in OpenTelemetry's JSON encoding, as collectors write them: see otlp_spans.h for the format and
// otlp_frameworks.h for the meaning of the spans.
#include "core/readers/samples/otlp_frameworks.h"
#include "core/readers/samples/sample_formats.h"

namespace lockstep {

namespace {

class OtlpRecords : public SampleRecords {
  public:
    explicit OtlpRecords(SampleRows& rows) : m_rows(rows), m_spans(rows.builder()) {}

    bool read(simdjson::ondemand::object object, const JsonRecords& records) override
    {
        return m_spans.read(object, records);
    }

    void finish() override
    {
        interpretOtlp(m_spans, m_rows);
        if (m_spans.incomplete() > 0)
            m_rows.builder().report().notes.add("otlp.incomplete", NoteSeverity::dataLoss,
                                                "spans without a name or times: not shown", "",
                                                m_spans.incomplete());
    }

  private:
    SampleRows& m_rows;
    OtlpSpans m_spans;
};

} // namespace

SampleFormat otlpFormat()
{
    return {"OTLP spans",
            "OpenTelemetry",
            {"Unix epoch (OTLP)", 0, 1, {}, "startTimeUnixNano"},
            {"resourceSpans"},
            [](SampleRows& rows) -> std::unique_ptr<SampleRecords> {
                return std::make_unique<OtlpRecords>(rows);
            },
            PartNaming::numbered};
}

} // namespace lockstep
