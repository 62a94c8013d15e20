#include "gyre/autodiff/exec/tile_schedule.h"

#include <algorithm>
#include <limits>

#include "gyre/core/aligned.h"
#include "gyre/core/simd.h"

namespace gyre::internal::inline autodiff {
namespace {

constexpr int kNever = -1;
constexpr int kToTheEnd = std::numeric_limits<int>::max();

class Scheduler {
 public:
  Scheduler(const TileProgram& program,
            const std::vector<TileLayout>& layouts,
            std::size_t scratch_begin)
      : program_(program),
        inputs_(static_cast<int>(program.inputs.size())),
        tile_bytes_(kTileElements * SizeOf(program.compute)),
        end_(AlignUp(scratch_begin)) {
    result_.uniform.resize(program.registers());
    result_.slot.resize(program.registers());
    result_.direct.assign(program.registers(), -1);
    FindUniform(layouts);
    FindLastUses();
    FindDirectOutputs();
  }

  TileSchedule Run() && {
    for (int i = 0; i < inputs_; ++i) {
      if (result_.uniform[i] && last_use_[i] != kNever) LoadOnce(i);
    }
    for (int i = 0; i < Instructions(); ++i) {
      const TileRegister dst = program_.instructions[i].dst;
      if (last_use_[dst] == kNever) continue;
      if (result_.uniform[dst]) {
        result_.slot[dst] = NewSlot(kAlignment);
        result_.once.push_back(Compute(i));
      } else {
        PlaceInstruction(i);
      }
    }
    // Inputs that are outputs themselves, read by nothing else.
    for (const TileOutput& output : program_.outputs)
      LoadOnFirstUse(output.reg);
    FindReadsAndWrites();
    result_.scratch_bytes = end_;
    return std::move(result_);
  }

 private:
  int Instructions() const {
    return static_cast<int>(program_.instructions.size());
  }
  static TileStep Compute(int i) {
    return {TileStep::Kind::kCompute, static_cast<std::uint16_t>(i)};
  }
  static TileStep Load(int i) {
    return {TileStep::Kind::kLoad, static_cast<std::uint16_t>(i)};
  }
  // The registers that instruction i reads.
  std::vector<TileRegister> Operands(int i) const {
    const TileInstruction& in = program_.instructions[i];
    const TileRegister all[] = {in.a, in.b, in.c};
    return {all, all + Arity(in.code)};
  }

  void FindUniform(const std::vector<TileLayout>& layouts) {
    for (int i = 0; i < inputs_; ++i) {
      result_.uniform[i] = layouts[i].uniform();
    }
    for (int i = 0; i < Instructions(); ++i) {
      const auto operands = Operands(i);
      result_.uniform[program_.instructions[i].dst] =
          std::all_of(operands.begin(), operands.end(), [&](TileRegister r) {
            return result_.uniform[r];
          });
    }
  }

  // By register, the last instruction that needs it: backwards, so that what
  // only unread instructions read is itself unread.
  void FindLastUses() {
    last_use_.assign(program_.registers(), kNever);
    for (const TileOutput& output : program_.outputs) {
      last_use_[output.reg] = kToTheEnd;
    }
    for (int i = Instructions() - 1; i >= 0; --i) {
      if (last_use_[program_.instructions[i].dst] == kNever) continue;
      for (const TileRegister r : Operands(i)) {
        last_use_[r] = std::max(last_use_[r], i);
      }
    }
  }

  void FindDirectOutputs() {
    for (std::size_t k = 0; k < program_.outputs.size(); ++k) {
      const auto [reg, dtype] = program_.outputs[k];
      const bool computed = reg >= inputs_ && !result_.uniform[reg];
      if (computed && dtype == program_.compute && result_.direct[reg] < 0) {
        result_.direct[reg] = static_cast<int>(k);
      }
    }
  }

  std::size_t NewSlot(std::size_t bytes) {
    const std::size_t at = end_;
    end_ += AlignUp(bytes);
    return at;
  }
  std::size_t TakeTile() {
    if (free_.empty()) return NewSlot(tile_bytes_);
    const std::size_t at = free_.back();
    free_.pop_back();
    return at;
  }
  void ReleaseIfLast(TileRegister r, int i) {
    if (result_.uniform[r] || last_use_[r] != i) return;
    free_.push_back(result_.slot[r]);
    last_use_[r] = kNever;  // an operand named twice is released once
  }

  void LoadOnce(int input) {
    result_.slot[input] = NewSlot(kAlignment);
    result_.once.push_back(Load(input));
  }
  void LoadOnFirstUse(TileRegister r) {
    if (r >= inputs_ || result_.uniform[r]) return;
    const bool loaded = result_.slot[r] != 0;
    if (loaded) return;
    result_.slot[r] = TakeTile();
    result_.per_tile.push_back(Load(r));
  }

  // A result may take the slot of a computed operand that dies here, since
  // each vector is read before it is written. Not that of an input: its slot
  // may hold one vector that stands for the whole tile.
  void PlaceInstruction(int i) {
    const auto operands = Operands(i);
    for (const TileRegister r : operands) LoadOnFirstUse(r);
    for (const TileRegister r : operands) {
      if (r >= inputs_) ReleaseIfLast(r, i);
    }
    result_.slot[program_.instructions[i].dst] = TakeTile();
    for (const TileRegister r : operands) {
      if (r < inputs_) ReleaseIfLast(r, i);
    }
    result_.per_tile.push_back(Compute(i));
  }

  void FindReadsAndWrites() {
    const int steps = static_cast<int>(result_.per_tile.size());
    result_.written_at.assign(program_.outputs.size(), steps);
    result_.last_read.assign(inputs_, kNever);
    for (int s = 0; s < steps; ++s) {
      const TileStep& step = result_.per_tile[s];
      if (step.kind == TileStep::Kind::kLoad) {
        result_.last_read[step.index] = s;
        continue;
      }
      for (const TileRegister r : Operands(step.index)) {
        if (r < inputs_) result_.last_read[r] = s;
      }
      const int output = result_.direct[program_.instructions[step.index].dst];
      if (output >= 0) result_.written_at[output] = s;
    }
    for (const TileOutput& output : program_.outputs) {
      if (output.reg < inputs_) result_.last_read[output.reg] = kToTheEnd;
    }
  }

  const TileProgram& program_;
  const int inputs_;
  const std::size_t tile_bytes_;
  std::size_t end_;
  std::vector<std::size_t> free_;
  std::vector<int> last_use_;
  TileSchedule result_;
};

}  // namespace

TileSchedule ScheduleTile(const TileProgram& program,
                          const std::vector<TileLayout>& layouts,
                          std::size_t scratch_begin) {
  return Scheduler(program, layouts, scratch_begin).Run();
}

}  // namespace gyre::internal::inline autodiff
