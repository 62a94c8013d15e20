#include "gyre/autodiff/exec/tile_program.h"

#include <gtest/gtest.h>

namespace gyre::internal::inline tests {
namespace {

TileProgram AddBias() {
  TileProgram p{.compute = DType::kF32, .extents = Shape({4, 8})};
  const auto x = p.AddInput(DType::kF32, {8, 1});
  const auto bias = p.AddInput(DType::kBF16, {0, 1});
  const auto sum = p.Emit(Code::kAdd, x, bias);
  p.AddOutput(p.Emit(Code::kMul, sum, p.Constant(0.5)), DType::kF16);
  return p;
}

TEST(TileProgram, PrintsOneLineAnInstruction) {
  EXPECT_EQ(AddBias().ToString(),
            "f32 (4, 8)\n"
            "r0 = input f32 [8 1]\n"
            "r1 = input bf16 [0 1]\n"
            "r2 = add r0 r1\n"
            "r3 = constant 0.5\n"
            "r4 = mul r2 r3\n"
            "output f16 r4\n");
  EXPECT_TRUE(AddBias().Validate().ok());
  EXPECT_EQ(AddBias().registers(), 5);
}

TEST(TileProgram, RefusesWhatCannotRun) {
  TileProgram p = AddBias();
  p.compute = DType::kBF16;
  EXPECT_FALSE(p.Validate().ok());

  p = AddBias();
  p.inputs[1].strides.pop_back();
  EXPECT_FALSE(p.Validate().ok());

  p = AddBias();
  p.instructions[0].b = 4;  // written later
  EXPECT_FALSE(p.Validate().ok());

  p = AddBias();
  p.instructions[1].dst = 2;  // written twice
  EXPECT_FALSE(p.Validate().ok());

  p = AddBias();
  p.outputs[0].reg = 5;
  EXPECT_FALSE(p.Validate().ok());

  p = AddBias();
  p.extents = Shape({4, -8});
  EXPECT_FALSE(p.Validate().ok());
}

}  // namespace
}  // namespace gyre::internal::inline tests
