#include "train/fault.h"

#include <charconv>
#include <limits>
#include <optional>

namespace gyre {
namespace {

constexpr std::string_view kForm =
    "expected KIND@rank=R,step=S[,tensor=NAME][,element=I] with KIND nan_grad, "
    "inf_grad, -inf_grad or huge_grad";

std::vector<std::string_view> SplitBy(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::optional<float> ValueOf(std::string_view kind) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  if (kind == "nan_grad") return std::numeric_limits<float>::quiet_NaN();
  if (kind == "inf_grad") return kInf;
  if (kind == "-inf_grad") return -kInf;
  if (kind == "huge_grad") return 1e30f;
  return std::nullopt;
}

StatusOr<std::int64_t> NumberOf(std::string_view text, std::string_view key) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value < 0) {
    return ConfigError(
        "--inject: ", key, "=", text, " is not a number of 0 or more");
  }
  return value;
}

Status SetField(std::string_view key, std::string_view value, Fault& fault) {
  if (key == "tensor") {
    fault.tensor = value;
    return OkStatus();
  }
  if (key != "rank" && key != "step" && key != "element") {
    return ConfigError("--inject: unknown \"", key, "\"; ", kForm);
  }
  GYRE_ASSIGN_OR_RETURN(const std::int64_t number, NumberOf(value, key));
  if (key == "rank") fault.rank = static_cast<int>(number);
  if (key == "step") fault.step = number;
  if (key == "element") fault.element = number;
  return OkStatus();
}

StatusOr<Fault> ParseOne(std::string_view text) {
  const auto at = text.find('@');
  const auto value = ValueOf(text.substr(0, at));
  if (at == std::string_view::npos || !value.has_value()) {
    return ConfigError("--inject: cannot read \"", text, "\"; ", kForm);
  }
  Fault fault;
  fault.kind = text.substr(0, at);
  fault.value = *value;
  for (const std::string_view field : SplitBy(text.substr(at + 1), ',')) {
    const auto equals = field.find('=');
    if (equals == std::string_view::npos) {
      return ConfigError("--inject: cannot read \"", field, "\"; ", kForm);
    }
    GYRE_RETURN_IF_ERROR(
        SetField(field.substr(0, equals), field.substr(equals + 1), fault));
  }
  return fault;
}

int TensorOf(const Fault& fault, const optim::FlatLayout& layout) {
  return fault.tensor.empty() ? 0 : layout.Find(fault.tensor);
}

}  // namespace

StatusOr<FaultPlan> FaultPlan::Parse(std::string_view text) {
  FaultPlan plan;
  if (text.empty()) return plan;
  for (const std::string_view part : SplitBy(text, ';')) {
    GYRE_ASSIGN_OR_RETURN(Fault fault, ParseOne(part));
    plan.faults_.push_back(std::move(fault));
  }
  return plan;
}

Status FaultPlan::Check(const optim::FlatLayout& layout, int ranks) const {
  for (const Fault& fault : faults_) {
    if (fault.rank >= ranks) {
      return ConfigError("--inject: rank ",
                         fault.rank,
                         " is not one of the ",
                         ranks,
                         " ranks");
    }
    const int tensor = TensorOf(fault, layout);
    if (tensor < 0) {
      std::string names;
      for (const optim::TensorSlot& slot : layout.tensors()) {
        names += Cat(names.empty() ? "" : ", ", slot.name);
      }
      return ConfigError("--inject: the model has no tensor \"",
                         fault.tensor,
                         "\"; it has ",
                         names);
    }
    if (fault.element >= layout[tensor].size) {
      return ConfigError("--inject: element ",
                         fault.element,
                         " is outside ",
                         layout[tensor].name,
                         ", which has ",
                         layout[tensor].size);
    }
  }
  return OkStatus();
}

int FaultPlan::Apply(std::int64_t step,
                     int rank,
                     const optim::FlatLayout& layout,
                     float* grads) const {
  int applied = 0;
  for (const Fault& fault : faults_) {
    if (fault.step != step || fault.rank != rank) continue;
    grads[layout[TensorOf(fault, layout)].offset + fault.element] = fault.value;
    ++applied;
  }
  return applied;
}

}  // namespace gyre
