#include "gyre/data/file/masked.h"

#include <cmath>
#include <span>

#include "gyre/data/file/packing.h"

namespace gyre::internal::inline data {
namespace {

template <class T>
bool IsMissing(T x, const Packing<T>& packing) {
  bool missing = false;
  for (const T fill : packing.fills) missing = missing || x == fill;
  return missing;
}

template <class T>
bool IsOutside(T x, double value, const Packing<T>& packing) {
  return (packing.lowest.has_value() && x < *packing.lowest) ||
         (packing.highest.has_value() && x > *packing.highest) ||
         value < packing.lowest_value || value > packing.highest_value;
}

// Fills `block`; the position of the first value that is infinite, or -1.
template <class T, class Out>
std::int64_t Unpack(std::span<const T> stored,
                    const Packing<T>& packing,
                    const UnitConversion& conversion,
                    MaskedBlock* block) {
  const std::span<Out> values = block->values.data<Out>();
  const std::span<std::uint8_t> mask = block->mask.data<std::uint8_t>();
  const bool convert = !conversion.identity();
  const bool ranged = packing.lowest.has_value() ||
                      packing.highest.has_value() ||
                      std::isfinite(packing.lowest_value) ||
                      std::isfinite(packing.highest_value);
  std::int64_t valid = 0;
  std::int64_t first_infinite = -1;
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const T x = stored[i];
    if (IsMissing(x, packing)) continue;  // tensors start as zeros
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(x)) {
        if (packing.nan_is_declared) continue;
        if (block->undeclared_nan++ == 0) {
          block->first_nan = static_cast<std::int64_t>(i);
        }
        continue;
      }
    }
    double value = static_cast<double>(x) * packing.scale + packing.offset;
    if (ranged && IsOutside(x, value, packing)) {
      ++block->outside_range;
      continue;
    }
    if (convert) value = conversion(value);
    const Out out = static_cast<Out>(value);
    if (std::isinf(out) && first_infinite < 0) {
      first_infinite = static_cast<std::int64_t>(i);
    }
    values[i] = out;
    mask[i] = 1;
    ++valid;
  }
  block->missing = static_cast<std::int64_t>(stored.size()) - valid;
  return first_infinite;
}

}  // namespace

Shape Block::shape() const {
  return Shape(std::vector<std::int64_t>(count.begin(), count.end()));
}

Block BlockOf(const VariableInfo& info) {
  return {std::vector<std::size_t>(info.dims.size(), 0),
          std::vector<std::size_t>(info.shape.dims().begin(),
                                   info.shape.dims().end())};
}

StatusOr<MaskedBlock> ReadMasked(const ScienceFile& file,
                                 const VariableInfo& info,
                                 const Block& block,
                                 DType dtype,
                                 const UnitConversion& conversion) {
  GYRE_ASSIGN_OR_RETURN(const PackingRules rules,
                        ReadPackingRules(file.path(), info));
  const Shape shape = block.shape();
  MaskedBlock result = {Tensor::Zeros(shape, dtype),
                        Tensor::Zeros(shape, DType::kU8)};
  const auto elements = static_cast<std::size_t>(shape.elements());
  const auto read = [&](auto tag) -> StatusOr<std::int64_t> {
    using T = typename decltype(tag)::type;
    std::vector<T> stored(elements);
    GYRE_RETURN_IF_ERROR(
        file.ReadRaw(info,
                     block.start,
                     block.count,
                     reinterpret_cast<std::byte*>(stored.data())));
    const Packing<T> packing = MakePacking<T>(rules, info);
    const std::span<const T> numbers(stored);
    return dtype == DType::kF64
               ? Unpack<T, double>(numbers, packing, conversion, &result)
               : Unpack<T, float>(numbers, packing, conversion, &result);
  };
  GYRE_ASSIGN_OR_RETURN(
      const std::int64_t infinite,
      WithStoredType(rules.type, read, []() -> StatusOr<std::int64_t> {
        return InternalError("a type that is no number");
      }));
  if (infinite >= 0) {
    return DataError(file.path(),
                     ": variable ",
                     info.name,
                     ": element ",
                     infinite,
                     " is infinite in ",
                     dtype,
                     ": mark it with _FillValue");
  }
  return result;
}

StatusOr<std::vector<std::string>> PackingNotes(const ScienceFile& file,
                                                const VariableInfo& info) {
  GYRE_ASSIGN_OR_RETURN(const PackingRules rules,
                        ReadPackingRules(file.path(), info));
  std::vector<std::string> notes;
  if (rules.type != info.type) {
    notes.push_back(Cat(info.type, " read as ", rules.type, " (_Unsigned)"));
  }
  if (rules.packed && (rules.scale != 1 || rules.offset != 0)) {
    notes.push_back(Cat("packed as ",
                        rules.type,
                        ", x ",
                        rules.scale,
                        rules.offset < 0 ? " - " : " + ",
                        std::abs(rules.offset)));
  }
  for (const FileAttribute* fill : rules.fills) {
    if (fill->type == info.type || IsFloat(info.type)) continue;
    notes.push_back(Cat(fill->name,
                        " ",
                        fill->numbers[0],
                        " is of type ",
                        fill->type,
                        ": taken as a stored value of ",
                        rules.type));
  }
  return notes;
}

}  // namespace gyre::internal::inline data
