// SPDX-License-Identifier: Apache-2.0
#include "app/window/desktop_notification.h"

#include <QApplication>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QSystemTrayIcon>
#include <QTimer>

namespace lockstep {

namespace {

constexpr int kShown_ms = 10'000;

bool notifyBus(const QString& title, const QString& text)
{
    const QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.isConnected()) return false;
    QDBusMessage call =
        QDBusMessage::createMethodCall("org.freedesktop.Notifications", "/org/freedesktop/Notifications",
                                       "org.freedesktop.Notifications", "Notify");
    // The arguments are: program, ID of the notification to replace, icon, title, text, actions, hints, and
    // milliseconds to show it (-1: default of the desktop).
    call << QString("Lockstep") << 0U << QString("lockstep") << title << text.toHtmlEscaped() << QStringList()
         << QVariantMap{{"desktop-entry", "lockstep"}} << -1;
    return bus.send(call);
}

} // namespace

void notifyDesktop(const QString& title, const QString& text)
{
    if (notifyBus(title, text) || !QSystemTrayIcon::isSystemTrayAvailable() ||
        !QSystemTrayIcon::supportsMessages())
        return;
    auto* const tray = new QSystemTrayIcon(QApplication::windowIcon(), qApp);
    tray->show();
    tray->showMessage(title, text, QSystemTrayIcon::Information, kShown_ms);
    QTimer::singleShot(kShown_ms, tray, &QObject::deleteLater);
}

} // namespace lockstep
