// SPDX-License-Identifier: Apache-2.0
// ArgumentForm: the arguments of one analysis as fields, made from what it declares. UI thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <QWidget>

#include "core/analysis/arguments.h"

class QHBoxLayout;

namespace lockstep {

class ArgumentForm : public QWidget {
    Q_OBJECT

  public:
    explicit ArgumentForm(QWidget* parent = nullptr);

    // Fields for these, all at their defaults. They outlive the form.
    void setArguments(std::span<const AnalysisArgument> arguments);
    // ":base:gap=1ms": what differs from the defaults, to go behind an analysis' name.
    std::string said() const;
    // The field of an argument; nullptr where there is none.
    QWidget* field(std::string_view name) const;

  signals:
    void changed();

  private:
    struct Field {
        const AnalysisArgument* argument;
        QWidget* widget;
    };

    void addField(const AnalysisArgument& argument);

    QHBoxLayout* m_line;
    std::vector<Field> m_fields;
};

} // namespace lockstep
