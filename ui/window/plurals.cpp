// SPDX-License-Identifier: Apache-2.0
#include "ui/window/plurals.h"

#include <QCoreApplication>
#include <QTranslator>

// The linker omits the unreferenced resources of a static library. The macro must be outside any namespace.
static void linkTranslations()
{
    Q_INIT_RESOURCE(translations);
}

namespace lockstep {

bool installPlurals()
{
    linkTranslations();
    auto* const translator = new QTranslator(QCoreApplication::instance());
    return translator->load(":/lockstep/translations/lockstep_en.qm") &&
           QCoreApplication::installTranslator(translator);
}

} // namespace lockstep
