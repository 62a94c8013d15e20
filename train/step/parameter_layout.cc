#include "gyre/train/step/parameter_layout.h"

namespace gyre::internal::inline train {
namespace {

double ScaleOf(const TrainSpec& spec, const Parameter& parameter) {
  if (spec.frozen && spec.frozen(parameter.name)) return 0;
  if (!spec.lr_scale) return 1;
  const Shape& shape = parameter.initial.shape();
  return spec.lr_scale(
      {.name = parameter.name, .shape = shape, .size = shape.elements()});
}

}  // namespace

StatusOr<optim::FlatLayout> ParameterLayout(const TrainSpec& spec,
                                            const TracedProgram& program) {
  optim::FlatLayout layout;
  std::int64_t begin = 0;
  const std::vector<Parameter>& all = program.params.all();
  for (std::size_t i = 0; i < all.size(); ++i) {
    GYRE_RETURN_IF_ERROR(
        layout.Add(all[i].name, all[i].initial.shape(), ScaleOf(spec, all[i])));
    const AxisSet axes = program.tensors[i].reduce;
    if (i + 1 < all.size() && program.tensors[i + 1].reduce == axes) continue;
    if (spec.shard_states) {
      const std::int64_t unit = StateShards::PaddedTo(spec.mesh, axes);
      const std::int64_t over = (layout.elements() - begin) % unit;
      if (over > 0) layout.Pad(unit - over);
    }
    begin = layout.elements();
  }
  return layout;
}

StatusOr<optim::FlatLayout> BufferLayout(const TracedProgram& program) {
  optim::FlatLayout layout;
  for (const Buffer& buffer : program.params.buffers()) {
    GYRE_RETURN_IF_ERROR(layout.Add(buffer.name, buffer.initial.shape()));
  }
  return layout;
}

}  // namespace gyre::internal::inline train
