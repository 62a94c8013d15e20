#include "gyre/train/faults/fault.h"

#include <charconv>
#include <limits>
#include <utility>

#include "gyre/core/rng.h"

namespace gyre {

using namespace internal;

namespace {

constexpr std::string_view kForm =
    "expected KIND@rank=R,step=S[,tensor=NAME][,element=I] or "
    "KIND@rate=X[,seed=N] with KIND VALUE_PLACE: nan, inf, -inf, huge, tiny or "
    "any; data, act, grad, update or any; or flip_param or flip_moment, with "
    "[,bit=B] for the bit to turn over";

constexpr std::string_view kPlaces[] = {
    "data", "act", "grad", "update", "param", "moment"};
constexpr std::string_view kValues[] = {
    "nan", "inf", "-inf", "huge", "tiny", "flip"};

std::vector<std::string_view> SplitBy(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

// The place of a word in a list; nothing for "any"; an error for another.
template <class Enum, std::size_t kCount>
Status FindWord(std::string_view word,
                const std::string_view (&words)[kCount],
                std::optional<Enum>& found) {
  if (word == "any") return OkStatus();
  for (std::size_t i = 0; i < kCount; ++i) {
    if (words[i] != word) continue;
    found = static_cast<Enum>(i);
    return OkStatus();
  }
  return ConfigError("unknown \"", word, "\"");
}

StatusOr<std::int64_t> WholeNumber(std::string_view text,
                                   std::string_view key) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value < 0) {
    return ConfigError(
        "--inject: ", key, "=", text, " is not a number of 0 or more");
  }
  return value;
}

StatusOr<double> Rate(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || !(value > 0 && value <= 1)) {
    return ConfigError(
        "--inject: rate=", text, " is not a share above 0 and up to 1");
  }
  return value;
}

Status SetField(std::string_view key, std::string_view value, Fault& fault) {
  if (key == "tensor") {
    fault.tensor = value;
    return OkStatus();
  }
  if (key == "rate") {
    GYRE_ASSIGN_OR_RETURN(fault.rate, Rate(value));
    return OkStatus();
  }
  if (key != "rank" && key != "step" && key != "element" && key != "seed" &&
      key != "bit") {
    return ConfigError("--inject: unknown \"", key, "\"; ", kForm);
  }
  GYRE_ASSIGN_OR_RETURN(const std::int64_t number, WholeNumber(value, key));
  if (key == "rank") fault.rank = static_cast<int>(number);
  if (key == "step") fault.step = number;
  if (key == "element") fault.element = number;
  if (key == "seed") fault.seed = static_cast<std::uint64_t>(number);
  if (key != "bit") return OkStatus();
  if (number > 31) {
    return ConfigError("--inject: bit=", number, " is not one of 0 to 31");
  }
  fault.bit = static_cast<int>(number);
  return OkStatus();
}

Status SetKind(std::string_view kind, Fault& fault) {
  const auto bar = kind.find('_');
  Status status = ConfigError("no \"_\"");
  if (bar != std::string_view::npos) {
    status = FindWord(kind.substr(0, bar), kValues, fault.value);
    if (status.ok()) {
      status = FindWord(kind.substr(bar + 1), kPlaces, fault.place);
    }
  }
  // A flip has places of its own, which the other values do not have.
  const bool flips = fault.value == FaultValue::kFlip;
  const bool state =
      fault.place == FaultPlace::kParam || fault.place == FaultPlace::kMoment;
  if (status.ok() && flips == state) return status;
  return ConfigError("--inject: cannot read \"", kind, "\"; ", kForm);
}

StatusOr<Fault> ParseOne(std::string_view text) {
  const auto at = text.find('@');
  Fault fault;
  fault.kind = text.substr(0, at);
  if (at == std::string_view::npos) {
    return ConfigError("--inject: cannot read \"", text, "\"; ", kForm);
  }
  GYRE_RETURN_IF_ERROR(SetKind(fault.kind, fault));
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

// Of the faults without a rate; those of a layout.
Status CheckPlace(const Fault& fault, const optim::FlatLayout& layout) {
  if (fault.place == FaultPlace::kData) return OkStatus();
  const int tensor = fault.tensor.empty() ? 0 : layout.Find(fault.tensor);
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
  const bool drawn = fault.tensor.empty() && fault.rate > 0;
  if (fault.place == FaultPlace::kActivation || drawn) return OkStatus();
  if (fault.element.value_or(0) >= layout[tensor].size) {
    return ConfigError("--inject: element ",
                       *fault.element,
                       " is outside ",
                       layout[tensor].name,
                       ", which has ",
                       layout[tensor].size);
  }
  return OkStatus();
}

}  // namespace

std::string_view Name(FaultPlace place) {
  return kPlaces[static_cast<int>(place)];
}
std::string_view Name(FaultValue value) {
  return kValues[static_cast<int>(value)];
}

float NumberOf(FaultValue value) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr float kNumbers[] = {
      std::numeric_limits<float>::quiet_NaN(), kInf, -kInf, 1e30f, 1e-41f};
  return kNumbers[static_cast<int>(value)];
}

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
    if (fault.rank.value_or(0) >= ranks) {
      return ConfigError("--inject: rank ",
                         *fault.rank,
                         " is not one of the ",
                         ranks,
                         " ranks");
    }
    GYRE_RETURN_IF_ERROR(CheckPlace(fault, layout));
  }
  return OkStatus();
}

std::vector<FaultHit> FaultPlan::Hits(std::int64_t step, int ranks) const {
  std::vector<FaultHit> hits;
  for (std::size_t i = 0; i < faults_.size(); ++i) {
    const Fault& f = faults_[i];
    const Rng draws({.seed = f.seed,
                     .step = static_cast<std::uint64_t>(step),
                     .stream = static_cast<std::uint32_t>(i)});
    const bool at_random = f.rate > 0;
    const bool fires = at_random ? draws.Uniform(0) < f.rate : f.step == step;
    if (!fires) continue;
    const auto draw = [&](int number, int count) {
      return static_cast<int>(draws.Bits(number) % count);
    };
    FaultHit hit;
    hit.value = f.value.value_or(static_cast<FaultValue>(draw(1, 5)));
    hit.place = f.place.value_or(static_cast<FaultPlace>(draw(2, 4)));
    hit.rank = f.rank.value_or(at_random ? draw(3, ranks) : 0);
    hit.tensor = f.tensor;
    hit.element = f.element.value_or(at_random ? -1 : 0);
    hit.draw = at_random ? draws.Bits(4) : 0;
    hit.bit = f.bit;
    hits.push_back(std::move(hit));
  }
  return hits;
}

bool FaultPlan::MayHit(FaultPlace place) const {
  const bool drawn = static_cast<int>(place) < kFaultPlaces;
  for (const Fault& fault : faults_) {
    if (fault.place == place || (drawn && !fault.place)) return true;
  }
  return false;
}

int TensorOf(const FaultHit& hit, const optim::FlatLayout& layout) {
  return hit.tensor.empty() ? static_cast<int>(hit.Tensor(layout.count()))
                            : layout.Find(hit.tensor);
}

void WriteHit(const FaultHit& hit,
              const optim::FlatLayout& layout,
              float* flat) {
  const int tensor = TensorOf(hit, layout);
  if (tensor < 0 || layout[tensor].size == 0) return;
  flat[layout[tensor].offset + hit.Element(layout[tensor].size)] =
      NumberOf(hit.value);
}

}  // namespace gyre
