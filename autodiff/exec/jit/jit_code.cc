#include "gyre/autodiff/exec/jit_code.h"

#include <algorithm>
#include <utility>

#include "gyre/autodiff/exec/jit/jit_table.h"

namespace gyre::internal::inline autodiff {
namespace {

using asmjit::x86::Compiler;
using asmjit::x86::Gp;
using asmjit::x86::Ymm;
using jit::JitVector;

constexpr int kFloatShift = 2;  // bytes of a float, as a power of two

class AsmjitCode final : public JitCode {
 public:
  bool Init(asmjit::CodeHolder& code) {
    return code.init(runtime_.environment()) == asmjit::kErrorOk;
  }
  // Makes the code executable.
  bool Add(asmjit::CodeHolder& code) {
    return runtime_.add(&function_, &code) == asmjit::kErrorOk;
  }

 private:
  asmjit::JitRuntime runtime_;  // frees the code with itself
};

// Emits the function of one program.
class ProgramEmitter {
 public:
  ProgramEmitter(Compiler& cc,
                 const TileProgram& program,
                 const std::vector<char>& scalar)
      : cc_(cc),
        program_(program),
        scalar_(scalar),
        values_(program.registers()),
        once_(program.registers(), 0) {
    FindUsed();
  }

  void Emit() {
    using Signature =
        asmjit::FuncSignatureT<void, const void*, const void*, std::int64_t>;
    asmjit::FuncNode* function = cc_.addFunc(Signature());
    function->frame().setAvxEnabled();
    function->frame().setAvxCleanup();
    const Gp in = cc_.newIntPtr();
    const Gp out = cc_.newIntPtr();
    end_ = cc_.newInt64();
    function->setArg(0, in);
    function->setArg(1, out);
    function->setArg(2, end_);
    cc_.shl(end_, 3);  // elements
    LoadPointers(in, out);
    EmitOnce();
    EmitLoop();
    cc_.endFunc();
  }

 private:
  void FindUsed() {
    used_.assign(program_.registers(), 0);
    for (const TileOutput& output : program_.outputs) used_[output.reg] = 1;
    for (auto it = program_.instructions.rbegin();
         it != program_.instructions.rend();
         ++it) {
      if (!used_[it->dst]) continue;
      const TileRegister operands[] = {it->a, it->b, it->c};
      for (int i = 0; i < Arity(it->code); ++i) used_[operands[i]] = 1;
    }
  }

  void LoadPointers(const Gp& in, const Gp& out) {
    for (std::size_t i = 0; i < program_.inputs.size(); ++i) {
      in_.push_back(cc_.newIntPtr());
      if (!used_[i]) continue;
      cc_.mov(in_[i], asmjit::x86::ptr(in, static_cast<int>(8 * i)));
      if (!scalar_[i]) continue;
      values_[i] = LoadScalar(static_cast<TileRegister>(i));
      once_[i] = 1;
    }
    for (std::size_t k = 0; k < program_.outputs.size(); ++k) {
      out_.push_back(cc_.newIntPtr());
      cc_.mov(out_[k], asmjit::x86::ptr(out, static_cast<int>(8 * k)));
    }
  }

  bool IsBool(TileRegister input) const {
    return program_.inputs[input].dtype == DType::kBool;
  }

  JitVector LoadScalar(TileRegister r) {
    const Ymm value = cc_.newYmmPs();
    if (!IsBool(r)) {
      cc_.vbroadcastss(value, asmjit::x86::dword_ptr(in_[r]));
      return {&cc_, value};
    }
    const Gp byte = cc_.newInt32();
    cc_.movzx(byte, asmjit::x86::byte_ptr(in_[r]));
    cc_.vmovd(value.xmm(), byte);
    cc_.vpbroadcastd(value, value.xmm());
    return OneUnlessZero(value);
  }

  // 1 where an integer lane is not 0.
  JitVector OneUnlessZero(const Ymm& integers) {
    const Ymm zero = cc_.newYmmPs();
    cc_.vpxor(zero, zero, zero);
    const Ymm mask = cc_.newYmmPs();
    cc_.vpcmpeqd(mask, integers, zero);
    return Lanes<JitVector>::Select(
        jit::JitMask(&cc_, mask), JitVector(0), JitVector(1));
  }

  // What depends on numbers alone, before the loop.
  void EmitOnce() {
    for (const TileInstruction& i : program_.instructions) {
      const TileRegister operands[] = {i.a, i.b, i.c};
      const bool once =
          std::all_of(operands, operands + Arity(i.code), [&](TileRegister r) {
            return once_[r] != 0;
          });
      if (!once || !used_[i.dst]) continue;
      once_[i.dst] = 1;
      EmitInstruction(i);
    }
  }

  void EmitLoop() {
    at_ = cc_.newInt64();
    cc_.xor_(at_, at_);
    const asmjit::Label loop = cc_.newLabel();
    cc_.bind(loop);
    for (const TileInstruction& i : program_.instructions) {
      if (once_[i.dst] || !used_[i.dst]) continue;
      const TileRegister operands[] = {i.a, i.b, i.c};
      for (int k = 0; k < Arity(i.code); ++k) LoadInput(operands[k]);
      EmitInstruction(i);
    }
    for (std::size_t k = 0; k < program_.outputs.size(); ++k) {
      const TileRegister reg = program_.outputs[k].reg;
      LoadInput(reg);
      StoreOutput(k, values_[reg]);
    }
    cc_.add(at_, static_cast<int>(JitCode::kLanes));
    cc_.cmp(at_, end_);
    cc_.jl(loop);
  }

  // The vector of this turn of the loop, on its first use.
  void LoadInput(TileRegister r) {
    if (r >= program_.inputs.size() || !values_[r].known()) return;
    const Ymm value = cc_.newYmmPs();
    if (IsBool(r)) {
      cc_.vpmovzxbd(value, asmjit::x86::qword_ptr(in_[r], at_));
      values_[r] = OneUnlessZero(value);
    } else {
      cc_.vmovups(value, asmjit::x86::ptr(in_[r], at_, kFloatShift));
      values_[r] = JitVector(&cc_, value);
    }
  }

  void StoreOutput(std::size_t k, const JitVector& value) {
    if (program_.outputs[k].dtype != DType::kBool) {
      cc_.vmovups(asmjit::x86::ptr(out_[k], at_, kFloatShift),
                  value.Register(cc_));
      return;
    }
    // 1 unless it is 0: eight words of all bits or none become bytes of 1.
    const Ymm words = cc_.newYmmPs();
    cc_.vcmpps(words,
               value.Register(cc_),
               JitVector(0).Register(cc_),
               static_cast<int>(asmjit::x86::VCmpImm::kNEQ_UQ));
    const asmjit::x86::Xmm high = cc_.newXmm();
    const asmjit::x86::Xmm bytes = cc_.newXmm();
    cc_.vextracti128(high, words, 1);
    cc_.vpackssdw(bytes, words.xmm(), high);
    cc_.vpacksswb(bytes, bytes, bytes);
    cc_.vpabsb(bytes, bytes);
    cc_.vmovq(asmjit::x86::qword_ptr(out_[k], at_), bytes);
  }

  void EmitInstruction(const TileInstruction& i) {
    if (i.code == Code::kConstant) {
      values_[i.dst] = JitVector(i.imm);
      return;
    }
    values_[i.dst] =
        jit::FindJitFunction(i.code)(values_[i.a], values_[i.b], values_[i.c]);
  }

  Compiler& cc_;
  const TileProgram& program_;
  const std::vector<char>& scalar_;
  std::vector<JitVector> values_;  // by register
  std::vector<char> once_, used_;
  std::vector<Gp> in_, out_;
  Gp end_, at_;
};

bool CanCompile(const TileProgram& program) {
  const auto fits = [](const auto& operand) {
    return operand.dtype == DType::kF32 || operand.dtype == DType::kBool;
  };
  return program.compute == DType::kF32 &&
         std::all_of(program.inputs.begin(), program.inputs.end(), fits) &&
         std::all_of(program.outputs.begin(), program.outputs.end(), fits) &&
         std::all_of(program.instructions.begin(),
                     program.instructions.end(),
                     [](const TileInstruction& i) {
                       return i.code == Code::kConstant ||
                              jit::FindJitFunction(i.code) != nullptr;
                     });
}

}  // namespace

bool JitAvailable() {
  const auto& features = asmjit::CpuInfo::host().features().x86();
  return features.hasAVX2() && features.hasFMA();
}

std::unique_ptr<JitCode> CompileJit(const TileProgram& program,
                                    const std::vector<char>& scalar) {
  if (!JitAvailable() || !program.Validate().ok() || !CanCompile(program)) {
    return nullptr;
  }
  auto result = std::make_unique<AsmjitCode>();
  asmjit::CodeHolder code;
  if (!result->Init(code)) return nullptr;
  Compiler cc(&code);
  ProgramEmitter(cc, program, scalar).Emit();
  if (cc.finalize() != asmjit::kErrorOk || !result->Add(code)) return nullptr;
  return result;
}

}  // namespace gyre::internal::inline autodiff
