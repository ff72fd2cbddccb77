// SPDX-License-Identifier: Apache-2.0
#include "translate/source.hpp"

#include <fmt/format.h>

namespace tileport::translate {
namespace {

constexpr std::size_t kWidth = 110;
constexpr unsigned kIndent = 4;

}  // namespace

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string Expression::flat() const {
  switch (kind) {
    case Kind::text:
      return head;
    case Kind::call:
      return fmt::format("{}({})", head, join(parts));
    case Kind::dims:
      return fmt::format("{} {{ dims: &[{}] }}", head, join(parts));
  }
  return head;
}

void Source::line(std::string_view text) {
  text_.append(depth_ * kIndent, ' ');
  text_ += text;
  text_ += '\n';
}

void Source::open(std::string_view text) {
  line(text);
  ++depth_;
}

void Source::close(std::string_view text) {
  --depth_;
  line(text);
}

void Source::reopen(std::string_view text) {
  close(text);
  ++depth_;
}

void Source::let(std::string_view pattern, std::string_view type, const Expression& expression) {
  const std::string prefix = fmt::format("let {}: {} =", pattern, type);
  const std::string value = expression.flat();
  const std::size_t indent = depth_ * kIndent;
  // One line; else the whole value on the next line; else the value's parts one a line.
  if (indent + prefix.size() + 1 + value.size() + 1 <= kWidth) {
    line(fmt::format("{} {};", prefix, value));
  } else if (expression.kind == Expression::Kind::text || indent + kIndent + value.size() + 1 <= kWidth) {
    open(prefix);
    line(value + ";");
    --depth_;
  } else {
    broken(prefix + " ", expression);
  }
}

void Source::statement(const Expression& expression) {
  const std::string value = expression.flat();
  if (expression.kind == Expression::Kind::text || depth_ * kIndent + value.size() + 1 <= kWidth) {
    line(value + ";");
  } else {
    broken("", expression);
  }
}

void Source::broken(std::string_view prefix, const Expression& expression) {
  if (expression.kind == Expression::Kind::dims) {
    open(fmt::format("{}{} {{", prefix, expression.head));
    const std::string flat = fmt::format("dims: &[{}],", join(expression.parts));
    if (depth_ * kIndent + flat.size() <= kWidth) {
      line(flat);
    } else {
      open("dims: &[");
      for (const std::string& part : expression.parts) line(part + ",");
      close("],");
    }
    close("};");
    return;
  }
  open(fmt::format("{}{}(", prefix, expression.head));
  for (const std::string& part : expression.parts) line(part + ",");
  close(");");
}

void Source::open_function(std::string_view head, const std::vector<std::string>& generics,
                           const std::vector<std::string>& parameters) {
  const std::string angles = generics.empty() ? "" : fmt::format("<{}>", join(generics));
  const auto fits = [&](std::size_t width) { return depth_ * kIndent + width <= kWidth; };
  const std::string flat = fmt::format("{}{}({}) {{", head, angles, join(parameters));
  if (fits(flat.size())) {
    open(flat);
    return;
  }
  if (fits(head.size() + angles.size() + 1)) {
    open(fmt::format("{}{}(", head, angles));
  } else {
    open(fmt::format("{}<", head));
    for (const std::string& generic : generics) line(generic + ",");
    reopen(">(");
  }
  for (const std::string& parameter : parameters) line(parameter + ",");
  close(") {");
  ++depth_;
}

}  // namespace tileport::translate
