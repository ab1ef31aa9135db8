// Formats the changes of a run as request bodies for webhooks. Their size is bounded; what does not fit is counted.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "parser/enum_names.h"
#include "reports/report.h"

namespace linkherd::reports {

// Names are options: DO NOT CHANGE them.
enum class NotificationFormat : std::uint8_t { json, slack, feishu };
inline constexpr std::array<EnumName<NotificationFormat>, 3> notification_format_names{
    {{NotificationFormat::json, "json"}, {NotificationFormat::slack, "slack"}, {NotificationFormat::feishu, "feishu"}}};

// Returns an id that is the same when a delivery is repeated.
std::string delivery_id(const Report& report);

// Each change has an id. It is the same if the change is sent again because a delivery may have failed.
std::string json_notification(const Report& report);
// Formats the changes for incoming webhooks of Slack.
std::string slack_notification(const Report& report);
// Formats the changes for custom bots of Feishu. `timestamp` (in seconds) and `signature` may be empty.
std::string feishu_notification(const Report& report, const std::string& timestamp, const std::string& signature);

}  // namespace linkherd::reports
