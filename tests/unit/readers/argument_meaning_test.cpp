// SPDX-License-Identifier: Apache-2.0
// Tests the meaning of arguments: launches, copies and collectives of nsys's and PyTorch's files have the
// same names; nothing is repeated, nothing is lost.
#include "core/readers/argument_meaning.h"

#include <QTest>

#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

QString textOf(const SliceArguments& arguments)
{
    QStringList parts;
    for (const auto& [name, value] : arguments)
        parts << QString::fromStdString(name + "=" + value);
    return parts.join("; ");
}

} // namespace

class ArgumentMeaningTest : public QObject {
    Q_OBJECT

  private slots:
    void means_data()
    {
        QTest::addColumn<QString>("raw");
        QTest::addColumn<QString>("meaning");
        QTest::addColumn<QString>("rest");
        QTest::newRow("kernel of nsys")
            << "start=5;end=9;deviceId=0;streamId=7;correlationId=12;demangledName=k;registersPerThread=32;gridX=128;"
               "gridY=2;gridZ=1;blockX=256;blockY=1;blockZ=1;staticSharedMemory=0;dynamicSharedMemory=49152"
            << "grid=128 \u00D7 2 \u00D7 1; block=256 \u00D7 1 \u00D7 1; registers per thread=32; dynamic "
               "shared memory=48.0 KiB"
            << "correlationId=12";
        QTest::newRow("kernel of PyTorch")
            << "ph=X;cat=kernel;name=k;pid=0;tid=7;ts=1.5;dur=2;device=0;stream=7;grid=[128,1,1];block=[64,1,1];"
               "registers per thread=24;shared memory=0;External id=9"
            << "grid=128 \u00D7 1 \u00D7 1; block=64 \u00D7 1 \u00D7 1; registers per thread=24"
            << "External id=9";
        QTest::newRow("copy") << "bytes=2097152;copyKind=Host-to-Device;srcKind=Pinned;dstKind=Device"
                              << "data moved=2.00 MiB; copy=Host-to-Device; from=Pinned; to=Device"
                              << "";
        QTest::newRow("collective")
            << "Collective name=allreduce;In msg nelems=1024;dtype=BFloat16;Group size=8;x=1"
            << "collective=allreduce; elements in=1024; type=BFloat16; ranks in the group=8"
            << "x=1";
        QTest::newRow("successful calls") << "returnValue=0;callchainId=3"
                                          << ""
                                          << "callchainId=3";
        QTest::newRow("failed calls") << "returnValue=2"
                                      << "return value=2"
                                      << "";
        QTest::newRow("bytes are not a number") << "bytes=many"
                                                << "data moved=many"
                                                << "";
        QTest::newRow("broken extents") << "grid=[];block=,"
                                        << ""
                                        << "";
        QTest::newRow("nothing") << ""
                                 << ""
                                 << "";
    }

    void means()
    {
        QFETCH(QString, raw);
        SliceArguments arguments;
        for (const QString& part : raw.split(';', Qt::SkipEmptyParts))
            arguments.emplace_back(part.section('=', 0, 0).toStdString(), part.section('=', 1).toStdString());
        const InterpretedArguments told = interpretArguments(arguments);
        QTEST(textOf(told.meaning), "meaning");
        QTEST(textOf(told.rest), "rest");
    }
};

LOCKSTEP_TEST(ArgumentMeaningTest, "argument_meaning_test")
#include "argument_meaning_test.moc"
