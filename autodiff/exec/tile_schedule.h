// The order of work inside one tile, and the memory that holds its numbers.
//
// Found once for a program: which registers hold one number for the whole run
// (uniform: computed once, not per tile), which instructions nobody reads,
// when an input is first needed, which slots of scratch memory are shared by
// registers that never live at the same time, and which outputs are written
// straight to their memory.

#ifndef GYRE_AUTODIFF_EXEC_TILE_SCHEDULE_H_
#define GYRE_AUTODIFF_EXEC_TILE_SCHEDULE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gyre/autodiff/exec/tile_layout.h"
#include "gyre/autodiff/exec/tile_program.h"

namespace gyre::internal::inline autodiff {

// Elements in a tile: long enough to hide the cost of choosing a loop, short
// enough that the machine fetches the inputs of the next instruction while it
// still computes this one (128 and 512 were measurably slower). It is part of
// the order in which reductions sum, so a change moves their last bits.
inline constexpr std::int64_t kTileElements = 256;

struct TileStep {
  enum class Kind : std::uint8_t { kLoad, kCompute };
  Kind kind;
  // kLoad: the input of this number. kCompute: the instruction of this number.
  std::uint16_t index;
};

struct TileSchedule {
  std::vector<TileStep> once;      // for a run: uniform registers
  std::vector<TileStep> per_tile;  // in order
  // By register: it holds one number; the bytes of scratch memory it holds
  // its numbers in; the output it is written to directly, or -1.
  std::vector<bool> uniform;
  std::vector<std::size_t> slot;
  std::vector<int> direct;
  // By output: the step of per_tile that writes its memory; the number of
  // steps if it is copied there at the end.
  std::vector<int> written_at;
  // By input: the last step that reads it, -1 for none.
  std::vector<int> last_read;
  std::size_t scratch_bytes = 0;
};

// `layouts`: of the inputs. `scratch_begin`: bytes that the caller keeps at
// the front of the scratch memory.
TileSchedule ScheduleTile(const TileProgram& program,
                          const std::vector<TileLayout>& layouts,
                          std::size_t scratch_begin);

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_TILE_SCHEDULE_H_
