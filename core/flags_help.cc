#include "gyre/core/flags.h"
#include "gyre/core/flags_text.h"

namespace gyre {

using namespace internal;

namespace {

using internal::Dashed;
using internal::Joined;

// Where the help texts begin, and where they are broken.
constexpr std::size_t kHelpColumn = 26;
constexpr std::size_t kHelpWidth = 79;

std::string_view Placeholder(const Flags::Target& target) {
  if (std::holds_alternative<bool*>(target)) return "";
  if (std::holds_alternative<std::string*>(target)) return "TEXT";
  const bool integer = std::holds_alternative<int*>(target) ||
                       std::holds_alternative<std::int64_t*>(target);
  return integer ? "N" : "X";
}

// "  --steps N" and its text, which is broken at spaces.
std::string HelpEntry(const std::string& left, const std::string& help) {
  std::string out = "  " + left;
  std::size_t column = out.size();
  if (column + 2 > kHelpColumn) {
    out += '\n';
    column = 0;
  }
  out.append(kHelpColumn - column, ' ');
  column = kHelpColumn;
  std::size_t start = 0;
  while (start < help.size()) {
    const std::size_t end = std::min(help.find(' ', start), help.size());
    const std::size_t length = end - start;
    if (column > kHelpColumn && column + 1 + length > kHelpWidth) {
      out += '\n';
      out.append(kHelpColumn, ' ');
      column = kHelpColumn;
    } else if (column > kHelpColumn) {
      out += ' ';
      ++column;
    }
    out.append(help, start, length);
    column += length;
    start = end + 1;
  }
  return out + '\n';
}

}  // namespace

std::string Flags::Help() const {
  std::string out = Cat(description_, "\n\nUsage: ", program_, " [flags]");
  if (positional_ != nullptr) out += Cat(" ", positional_name_);
  out += "\n\n";
  for (const Flag& flag : flags_) {
    std::string left = Dashed(flag.name);
    const std::size_t comma = flag.names.find(',');
    if (comma != std::string::npos) {
      left = Cat("-", flag.names.substr(0, comma), ", ", left);
    }
    const std::string_view placeholder = Placeholder(flag.target);
    if (!placeholder.empty()) left += Cat(" ", placeholder);
    std::string help = flag.help;
    if (!flag.choices.empty()) help += ": " + Joined(flag.choices, ", ");
    if (!flag.default_text.empty()) {
      help += Cat(" (default: ", flag.default_text, ")");
    }
    out += HelpEntry(left, help);
  }
  out += HelpEntry("-h, --help", "show this text");
  if (positional_ != nullptr) {
    out += '\n';
    out += HelpEntry(positional_name_, positional_help_);
  }
  return out;
}

}  // namespace gyre
