// SPDX-License-Identifier: Apache-2.0
// Tests the closure of clock limits over all pairs, compared with three nested loops, and contradictions.
#include "core/align/limit_matrix.h"

#include <cmath>
#include <random>

#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;

class LimitMatrixTest : public QObject {
    Q_OBJECT

  private slots:
    void limitsAreClosedOverAllPairs()
    {
        LimitMatrix matrix(11); // more than one strip
        const std::vector<LimitRow> rows{{{5, 9}, {-1, -2}}, {{4, 20}, {-30, -1}}};
        matrix.tightenBy(rows, std::vector<size_t>{2, 9}, test::workers());
        QCOMPARE(matrix.at(2, 9), 5.0f); // minimum of 5 + 2 and 4 + 1
        QCOMPARE(matrix.at(9, 2), 10.0f);
        matrix.tighten(9, 10, 3);
        QCOMPARE(matrix.close(Progress()).value(), 0.0f);
        QCOMPARE(matrix.at(2, 10), 8.0f);
        QCOMPARE(matrix.at(10, 2), LimitMatrix::kNone);
        matrix.tighten(10, 2, -9);
        QVERIFY(matrix.close(Progress()).value() < 0);
    }

    // Compared with three nested loops, with sizes around whole blocks, and limits that are often missing.
    void limitsAreShortestPaths_data()
    {
        QTest::addColumn<size_t>("size");
        for (const size_t size : std::initializer_list<size_t>{0, 1, 31, 32, 33, 64, 97, 130})
            QTest::addRow("%zu clocks", size) << size;
    }

    void limitsAreShortestPaths()
    {
        QFETCH(size_t, size);
        std::mt19937 random(unsigned(size) + 7);
        LimitMatrix matrix(size);
        std::vector<double> paths(size * size, INFINITY);
        std::vector<double> offsets; // limits that some offsets satisfy have no negative cycle
        for (size_t i = 0; i < size; ++i) {
            offsets.push_back(double(random() % 2'000) - 1'000);
            paths[i * size + i] = 0;
        }
        for (size_t entry = 0; entry < 4 * size; ++entry) {
            const size_t i = random() % size, j = random() % size;
            const double limit = offsets[i] - offsets[j] + double(random() % 300);
            matrix.tighten(i, j, float(limit));
            paths[i * size + j] = std::min(paths[i * size + j], limit);
        }
        for (size_t k = 0; k < size; ++k) {
            for (size_t i = 0; i < size; ++i) {
                for (size_t j = 0; j < size; ++j)
                    paths[i * size + j] =
                        std::min(paths[i * size + j], paths[i * size + k] + paths[k * size + j]);
            }
        }
        QCOMPARE(matrix.close(Progress(test::workers())).value(), 0.0f);
        for (size_t i = 0; i < size; ++i) {
            for (size_t j = 0; j < size; ++j)
                QCOMPARE(double(matrix.at(i, j)), paths[i * size + j]); // whole numbers, so floats are exact
        }
    }

    void aCycleOverAllBlocksIsFound()
    {
        constexpr size_t kSize = 100;
        for (const float last : {-99.0f, -100.0f}) {
            LimitMatrix matrix(kSize);
            for (size_t i = 0; i + 1 < kSize; ++i)
                matrix.tighten(i, i + 1, 1);
            matrix.tighten(kSize - 1, 0, last);
            QCOMPARE(matrix.close(Progress(test::workers())).value() < 0, last < -99);
        }
    }

    void closingStopsWhenCanceled()
    {
        std::stop_source stop;
        stop.request_stop();
        LimitMatrix matrix(40);
        QCOMPARE(matrix.close(Progress(stop.get_token())).error().kind, ErrorKind::canceled);
    }
};

LOCKSTEP_TEST(LimitMatrixTest, "limit_matrix_test")
#include "limit_matrix_test.moc"
