#include "gyre/monitor/divergence.h"

#include <algorithm>
#include <cmath>

namespace gyre::internal::inline monitor {

bool Divergence::Signal::Observe(double number) {
  const double size = std::abs(number);
  if (told || !std::isfinite(size)) return false;
  if (seen < kFirstSteps) {
    ++seen;
    largest = std::max(largest, size);
    return false;
  }
  told = largest > 0 && size > kTimes * largest;
  return told;
}

Json Divergence::Signal::ToJson() const {
  return Json::Object({{"seen", seen}, {"largest", largest}, {"told", told}});
}

Status Divergence::Signal::Restore(const Json& json) {
  GYRE_ASSIGN_OR_RETURN(seen, json.GetInt("seen"));
  GYRE_ASSIGN_OR_RETURN(largest, json.GetDouble("largest"));
  GYRE_ASSIGN_OR_RETURN(told, json.GetBool("told"));
  return OkStatus();
}

std::vector<std::string> Divergence::Observe(const Step& step) {
  std::vector<std::string> texts;
  const auto large = [&](const char* name, Signal& signal, double number) {
    if (!signal.Observe(number)) return;
    texts.push_back(Cat("the run diverges: ",
                        name,
                        " ",
                        number,
                        " in step ",
                        step.step,
                        ", where its first steps had at most ",
                        signal.largest,
                        "; try a lower learning rate or a warm-up"));
  };
  large("the loss is", loss_, step.loss);
  large("the gradient's norm is", norm_, step.norm);
  clipped_[steps_++ % kWindow] = step.clipped;
  const auto clips = std::count(clipped_.begin(), clipped_.end(), true);
  if (!told_clip_ && steps_ >= kWindow && clips >= kClipped) {
    told_clip_ = true;
    texts.push_back(Cat("the gradient was clipped in ",
                        clips,
                        " of the last ",
                        kWindow,
                        " steps, up to step ",
                        step.step,
                        ": Guard::max_norm, not the learning rate, says how "
                        "far they go; raise it, or lower the rate"));
  }
  return texts;
}

Json Divergence::ToJson() const {
  return Json::Object({{"loss", loss_.ToJson()},
                       {"norm", norm_.ToJson()},
                       {"told_clip", told_clip_}});
}

Status Divergence::Restore(const Json& json) {
  const Json none;
  const auto part = [&](const char* key) -> const Json& {
    const Json* const found = json.Find(key);
    return found == nullptr ? none : *found;
  };
  GYRE_RETURN_IF_ERROR(loss_.Restore(part("loss")));
  GYRE_RETURN_IF_ERROR(norm_.Restore(part("norm")));
  GYRE_ASSIGN_OR_RETURN(told_clip_, json.GetBool("told_clip"));
  return OkStatus();
}

}  // namespace gyre::internal::inline monitor
