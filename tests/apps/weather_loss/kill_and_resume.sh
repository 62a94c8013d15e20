#!/usr/bin/env bash
# Kills a training without warning and goes on with it, several times: its
# records then hold every step exactly once.
#
#   kill_and_resume.sh WEATHER_LOSS WORK [ROUNDS]
set -euo pipefail
program=$1
work=$2
rounds=${3:-3}
rm -rf "$work" && mkdir -p "$work"
run=$work/run

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

resume=()
for ((round = 1; round <= rounds; ++round)); do
  "$program" --data synthetic --loss mse --steps 60000 --checkpoint-every 20 --out "$run" \
    "${resume[@]}" >"$work/log.$round" 2>&1 &
  child=$!
  # Until it has got on by some checkpoints, at most a minute.
  before=$(ls "$run/checkpoints" 2>/dev/null | sort | tail -1 || true)
  for ((i = 0; i < 600; ++i)); do
    newest=$(ls "$run/checkpoints" 2>/dev/null | grep '^step-' | sort | tail -1 || true)
    [[ -n $newest && $newest != "$before" ]] && break
    kill -0 $child 2>/dev/null || fail "it ended: $(tail -3 "$work/log.$round")"
    sleep 0.1
  done
  sleep 0.$((RANDOM % 9))$((RANDOM % 10))
  kill -9 $child 2>/dev/null || true
  wait $child 2>/dev/null || true
  newest=$(readlink "$run/checkpoints/latest")
  last=$(tail -1 "$run/metrics.jsonl" | grep -o '"step":[0-9]*' | head -1)
  # The log reaches the newest checkpoint (a half line may stand behind it).
  ((10#${newest#step-} <= $(grep -c '"step":' "$run/metrics.jsonl"))) ||
    fail "the newest checkpoint is $newest, the log ends with $last"
  resume=(--resume "$run")
done
last=$((10#$(readlink "$run/checkpoints/latest" | sed 's/step-//') + 37))
"$program" --data synthetic --loss mse --steps "$last" --checkpoint-every 20 --out "$run" \
  --resume "$run" >"$work/log.end" 2>&1 || fail "$(tail -3 "$work/log.end")"

for file in metrics.jsonl ranks/00000.jsonl; do
  grep -o '^{"step":[0-9]*' "$run/$file" | grep -o '[0-9]*$' >"$work/steps"
  seq 0 $((last - 1)) | cmp -s - "$work/steps" ||
    fail "$file does not hold steps 0 to $((last - 1)) once each"
done
echo "$rounds kills, $last steps, each once; run: $run"
