#include "gyre/mesh/sharding.h"

#include <algorithm>
#include <utility>

namespace gyre {

using namespace internal;

namespace {

constexpr int kRanksShown = 16;

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : ", ") + word;
  }
  return text;
}

}  // namespace

StatusOr<Sharding> Sharding::Create(const Mesh& mesh,
                                    std::vector<DimRule> rules,
                                    std::vector<ShardedTensor> tensors) {
  Sharding sharding(mesh, std::move(rules), std::move(tensors));
  if (const Status status = sharding.Check(); !status.ok()) {
    return ConfigError(Message(status), "\nasked for:\n", sharding.Table());
  }
  return sharding;
}

Status Sharding::Check() const {
  for (const DimRule& rule : rules_) {
    if (RuleOf(rule.dim) != &rule) {
      return ConfigError("two rules for the dimension \"", rule.dim, "\"");
    }
    if (rule.axis.empty()) continue;
    GYRE_RETURN_IF_ERROR(mesh_.AxisIndex(rule.axis).status());
  }
  for (const ShardedTensor& tensor : tensors_) {
    GYRE_RETURN_IF_ERROR(CheckTensor(tensor));
  }
  return OkStatus();
}

Status Sharding::CheckTensor(const ShardedTensor& tensor) const {
  if (static_cast<int>(tensor.dims.size()) != tensor.shape.rank()) {
    return ConfigError("\"",
                       tensor.name,
                       "\" ",
                       tensor.shape,
                       " has ",
                       tensor.shape.rank(),
                       " dimensions and ",
                       tensor.dims.size(),
                       " names");
  }
  AxisSet used = 0;
  for (int i = 0; i < tensor.shape.rank(); ++i) {
    const std::string& dim = tensor.dims[i];
    const DimRule* const rule = RuleOf(dim);
    if (rule == nullptr) {
      return ConfigError("\"",
                         tensor.name,
                         "\" has a dimension \"",
                         dim,
                         "\" without a rule; add {\"",
                         dim,
                         "\", \"\"} if every rank holds all of it");
    }
    const AxisSet axis = AxesOf(dim);
    if ((used & axis) != 0) {
      return ConfigError("\"",
                         tensor.name,
                         "\" is cut twice over the axis ",
                         rule->axis,
                         ": two dimensions cannot share one");
    }
    used |= axis;
    if (tensor.shape[i] % mesh_.SizeOf(axis) != 0) {
      return ConfigError("dimension \"",
                         dim,
                         "\" of \"",
                         tensor.name,
                         "\" has ",
                         tensor.shape[i],
                         " elements, which ",
                         mesh_.SizeOf(axis),
                         " ranks of ",
                         rule->axis,
                         " do not divide: pad it and mask the rest, or use "
                         "another mesh");
    }
  }
  return OkStatus();
}

const DimRule* Sharding::RuleOf(std::string_view dim) const {
  for (const DimRule& rule : rules_) {
    if (rule.dim == dim) return &rule;
  }
  return nullptr;
}

AxisSet Sharding::AxesOf(std::string_view dim) const {
  const DimRule* const rule = RuleOf(dim);
  if (rule == nullptr || rule->axis.empty()) return 0;
  return AxisSet{1} << *mesh_.AxisIndex(rule->axis);
}

TensorBlock Sharding::BlockFor(const ShardedTensor& tensor, int rank) const {
  TensorBlock block;
  std::vector<std::int64_t> extent;
  for (int i = 0; i < tensor.shape.rank(); ++i) {
    const AxisSet axis = AxesOf(tensor.dims[i]);
    extent.push_back(tensor.shape[i] / mesh_.SizeOf(axis));
    block.start.push_back(mesh_.PositionOf(rank, axis) * extent.back());
  }
  block.shape = Shape(std::move(extent));
  return block;
}

StatusOr<TensorBlock> Sharding::Block(std::string_view tensor) const {
  return BlockOf(tensor, mesh_.rank());
}

StatusOr<TensorBlock> Sharding::BlockOf(std::string_view tensor,
                                        int rank) const {
  for (const ShardedTensor& known : tensors_) {
    if (known.name == tensor) return BlockFor(known, rank);
  }
  return ConfigError(
      "no tensor \"", tensor, "\" in the sharding; it has\n", Table());
}

std::vector<std::string> Sharding::axes() const {
  AxisSet used = 0;
  for (const ShardedTensor& tensor : tensors_) {
    for (const std::string& dim : tensor.dims) used |= AxesOf(dim);
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < mesh_.axes().size(); ++i) {
    if ((used >> i & 1u) != 0) names.push_back(mesh_.axes()[i].name);
  }
  return names;
}

std::string Sharding::Table() const {
  std::string text = Cat("  mesh ", mesh_.Describe(), "\n");
  for (const DimRule& rule : rules_) {
    text += Cat("  ",
                rule.dim,
                rule.axis.empty() ? ": whole on every rank" : " -> ",
                rule.axis,
                "\n");
  }
  for (const ShardedTensor& tensor : tensors_) {
    text +=
        Cat("  ", tensor.name, " ", tensor.shape, ": ", Joined(tensor.dims));
    text += "\n";
  }
  return text;
}

std::string Sharding::Describe() const {
  std::string text = Table();
  for (const ShardedTensor& tensor : tensors_) {
    text +=
        Cat(tensor.name, ", on each rank ", BlockFor(tensor, 0).shape, "\n");
    for (int rank = 0; rank < std::min(mesh_.size(), kRanksShown); ++rank) {
      const TensorBlock block = BlockFor(tensor, rank);
      std::vector<std::string> cuts;
      for (int i = 0; i < tensor.shape.rank(); ++i) {
        if (block.shape[i] == tensor.shape[i]) continue;
        cuts.push_back(Cat(tensor.dims[i],
                           " ",
                           block.start[i],
                           " to ",
                           block.start[i] + block.shape[i] - 1));
      }
      text += Cat("  rank ",
                  rank,
                  ": ",
                  cuts.empty() ? "all of it" : Joined(cuts),
                  "\n");
    }
    if (mesh_.size() > kRanksShown) {
      text += Cat("  and so on, to rank ", mesh_.size() - 1, "\n");
    }
  }
  return text;
}

}  // namespace gyre
