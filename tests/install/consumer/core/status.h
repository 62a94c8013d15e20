// A header with the path of one of Gyre's: it must hide nothing of Gyre's.
#pragma once

namespace consumer {
enum class Status { kFine };
}  // namespace consumer
