// SPDX-License-Identifier: Apache-2.0
// Tests the parents of spans of samples: a span belongs to the sample above it, whatever else runs at that
// time.
#include <vector>

#include "core/trace/sample_names.h"
#include "tests/support/sample_run.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using lockstep::test::SampleRun;

class SampleNestingTest : public QObject {
    Q_OBJECT

  private slots:
    void spansBelongToTheirSamples()
    {
        SampleRun run;
        // b runs inside the time of a, and c takes the rows of a later; the first span of d is as long as d.
        run.add("a", "", 0, 9,
                {{SpanKind::generate, 1, 8}, {SpanKind::prefill, 2, 3}, {SpanKind::tool, 8, 9}});
        run.add("b", "", 2, 4, {{SpanKind::decode, 2, 4}});
        run.add("c", "", 9, 12, {{SpanKind::generate, 9, 11}, {SpanKind::prefill, 9, 10}});
        run.add("d", "", 5, 6, {{SpanKind::reward, 5, 6}});
        const auto report = run.made();
        const SampleTables& tables = report->samples;
        const auto parentOf = [&](SliceId slice) { return report->slices.parent[slice.value]; };
        for (const Sample& sample : tables.samples)
            QVERIFY(sample.slice.isValid() && !parentOf(sample.slice).isValid());
        for (const SampleSpan& span : tables.spans) {
            SliceId top = span.slice;
            while (parentOf(top).isValid())
                top = parentOf(top);
            QCOMPARE(top.value, tables.samples[span.sample.value].slice.value);
            const bool isInner = span.kind == SpanKind::prefill; // inside a generation of the same sample
            const SampleSpan* const parent = tables.spanOf(parentOf(span.slice));
            QCOMPARE(parent != nullptr && parent->kind == SpanKind::generate, isInner);
        }
        QCOMPARE(tables.spans.size(), size_t(7));
        QCOMPARE(tables.spansOf(SampleId(0u)).size(), size_t(3));
        QCOMPARE(tables.spansOf(SampleId(1u)).size(), size_t(1));
    }

    void statusWords()
    {
        QVERIFY(sampleStatusNamed("completed") == SampleStatus::completed);
        QVERIFY(sampleStatusNamed("Status.ABORTED") == SampleStatus::aborted);
        QVERIFY(sampleStatusNamed("") == SampleStatus::unknown);
        QVERIFY(sampleStatusNamed("not completed") == SampleStatus::unknown);
    }
};

LOCKSTEP_TEST(SampleNestingTest, "sample_nesting_test")
#include "sample_nesting_test.moc"
