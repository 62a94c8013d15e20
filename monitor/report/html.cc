#include "gyre/monitor/report/html.h"

#include "gyre/core/status.h"

namespace gyre::internal::inline monitor {

std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string Section(std::string_view id,
                    std::string_view title,
                    std::string_view body) {
  return Cat("<section id=\"",
             id,
             "\" aria-labelledby=\"h-",
             id,
             "\">\n<h2 id=\"h-",
             id,
             "\">",
             Escaped(title),
             "</h2>\n",
             body,
             "</section>\n");
}

std::string Table(const std::vector<std::string>& header,
                  const std::vector<std::vector<std::string>>& rows,
                  std::string_view columns,
                  std::string_view caption) {
  const auto side = [&](std::size_t i) {
    return i < columns.size() && columns[i] == 'r' ? " class=\"r\"" : "";
  };
  std::string out = "<div class=\"scroll\" tabindex=\"0\"><table>";
  out += Cat("<caption>", Escaped(caption), "</caption><thead><tr>");
  for (std::size_t i = 0; i < header.size(); ++i) {
    out += Cat("<th scope=\"col\"", side(i), ">", Escaped(header[i]), "</th>");
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : rows) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      out += Cat("<td", side(i), ">", row[i], "</td>");
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

}  // namespace gyre::internal::inline monitor
