// SPDX-License-Identifier: Apache-2.0
// Compares Student's t with tables, closed forms and its definition.
#include "core/analysis/student_t.h"

#include <cmath>

#include "tests/support/test_registry.h"

using namespace lockstep;

class StudentTTest : public QObject {
    Q_OBJECT

  private slots:
    void quantilesEqualPublishedTables_data()
    {
        QTest::addColumn<double>("freedom");
        QTest::addColumn<double>("quantile");
        const std::pair<double, double> known[] = {
            {1, 12.7062},  {2, 4.30265},  {3, 3.18245},   {4, 2.77645},  {5, 2.57058},  {6, 2.44691},
            {7, 2.36462},  {8, 2.30600},  {9, 2.26216},   {10, 2.22814}, {15, 2.13145}, {20, 2.08596},
            {30, 2.04227}, {60, 2.00030}, {120, 1.97993}, {1e9, 1.95996}};
        for (const auto& [freedom, quantile] : known)
            QTest::addRow("%g", freedom) << freedom << quantile;
    }
    void quantilesEqualPublishedTables()
    {
        QFETCH(double, freedom);
        QFETCH(double, quantile);
        const double unit = quantile > 10 ? 1e-4 : 1e-5; // the last digit of the table
        QVERIFY(std::abs(studentQuantile975(freedom) - quantile) <= unit / 2 * 1.0001);
    }

    void quantilesEqualClosedForms()
    {
        // With one degree of freedom it is a Cauchy distribution; with two p = 1/2 + t / (2 sqrt(2 + t^2)).
        QVERIFY(std::abs(studentQuantile975(1) / std::tan(M_PI * 0.475) - 1) < 1e-11);
        QVERIFY(std::abs(studentQuantile975(2) / (0.95 * std::sqrt(2 / (1 - 0.95 * 0.95))) - 1) < 1e-11);
    }

    void intervalsOfMeans()
    {
        // scipy.stats.t.interval(0.95, 3, loc=2.5, scale=sem([1, 2, 3, 4])).
        const auto interval = confidenceOf({4, 2.5, std::sqrt(5.0 / 3)});
        QVERIFY(interval);
        QVERIFY(std::abs(interval->low - 0.445739743239121) < 1e-12);
        QVERIFY(std::abs(interval->high - 4.554260256760879) < 1e-12);
        QVERIFY(!confidenceOf({1, 2.5, 0}));
        QVERIFY(!confidenceOf({0, 0, 0}));
    }

    void intervalsOfChanges()
    {
        // With equal spreads and counts, Welch's degrees of freedom are those of the pooled test, 2 (n - 1).
        const auto interval = confidenceOfChange({5, 10, 2}, {5, 13, 2});
        QVERIFY(interval);
        const double half = studentQuantile975(8) * std::sqrt(2 * 4.0 / 5);
        QVERIFY(std::abs(interval->low - (3 - half)) < 1e-12 &&
                std::abs(interval->high - (3 + half)) < 1e-12);
        QVERIFY(!confidenceOfChange({1, 10, 0}, {5, 13, 2}));
        const auto exact = confidenceOfChange({3, 10, 0}, {3, 12, 0});
        QVERIFY(exact && exact->low == 2 && exact->high == 2);
    }
};

LOCKSTEP_TEST(StudentTTest, "student_t_test")
#include "student_t_test.moc"
