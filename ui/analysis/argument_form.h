// SPDX-License-Identifier: Apache-2.0
// ArgumentForm shows the arguments of one analysis as fields, built from its declared arguments. UI thread.
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

    // Replaces the fields with fields for these arguments, initialized to the defaults. `arguments` must
    // outlive the form.
    void setArguments(std::span<const AnalysisArgument> arguments);
    // Returns the arguments that differ from the defaults in the form in which they follow the analysis name,
    // e.g. ":base:gap=1ms".
    std::string argumentText() const;
    // Returns the field of an argument, or nullptr if there is none.
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
