#!/usr/bin/env bash
# A program with an evaluation, early stopping, a best checkpoint and a hook of
# its own, made bad in one step: it is replayed and rewound like any other.
#
#   validated_replay.sh GYRE VALIDATED_TRAINING WORK RANKS
set -euo pipefail
gyre=$1
program=$2
work=$3
ranks=$4
rm -rf "$work" && mkdir -p "$work"
cd "$work"
run=runs/validated

fail() {
  echo "FAILED: $*" >&2
  exit 1
}
count() { grep -c "$1" "$2" || true; }

GYRE_INJECT='nan_grad@rank=0,step=460' \
  "$gyre" launch -n "$ranks" -- "$program" >run.log 2>&1 || fail "$(tail -3 run.log)"
[[ $(count '"kind":"skip"' $run/events.jsonl) == 1 ]] || fail "no skip"
[[ $(count '"kind":"stop"' $run/events.jsonl) == 1 ]] || fail "no early stop"
[[ -e $run/checkpoints/best/manifest.json ]] || fail "no best checkpoint"

"$gyre" replay $run --step 460 >replay.log 2>&1 || fail "$(tail -3 replay.log)"
grep -q "the same bits on all $ranks rank" replay.log || fail "another step: $(cat replay.log)"

"$gyre" rewind $run --before-spike 460 --skip-samples auto >rewind.log 2>&1 ||
  fail "$(tail -3 rewind.log)"
again=$run-before-460
[[ $(count '"state":"verified"' $again/events.jsonl) == 1 ]] || fail "not verified"
[[ $(count '"eval_loss"' $again/metrics.jsonl) -ge 1 ]] || fail "no evaluation"
[[ $(count '"coverage"' $again/metrics.jsonl) -ge 1 ]] || fail "no metric of its own"
[[ $(count '"mean_loss"' $again/metrics.jsonl) == $(count '"step"' $again/metrics.jsonl) ]] ||
  fail "the hook was not called in every step"
echo "replayed and rewound on $ranks ranks"
