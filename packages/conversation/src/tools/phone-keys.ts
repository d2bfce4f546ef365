import { DTMF_GAP_MS, DTMF_TONE_MS, dtmfTones } from '@calls/audio/dtmf-tones';
import { concatSamples, samplesFromMs } from '@calls/audio/pcm';
import { delay } from '@calls/foundation/clock';
import type { BuiltInContext } from './built-in-context.ts';
import { toolFailed, toolSucceeded, type ToolOutcome } from './tool-outcome.ts';

/** Characters that stand for pauses, as in Asterisk, modems and phone books. */
const PAUSE_MS: Readonly<Record<string, number>> = { w: 500, W: 1000, ',': 2000 };
/** All pauses of one call of the tool. */
const MAX_PAUSES_MS = 20_000;

type KeyStep = { kind: 'keys'; keys: string } | { kind: 'pause'; durationMs: number };

/** Splits keys with pause characters into runs of keys and pauses. */
export function keySteps(digits: string): KeyStep[] {
  return [...digits.matchAll(/[wW,]+|[^wW,]+/gu)].map(([run]) =>
    run.charAt(0) in PAUSE_MS
      ? { kind: 'pause', durationMs: run.split('').reduce((sum, each) => sum + (PAUSE_MS[each] ?? 0), 0) }
      : { kind: 'keys', keys: run },
  );
}

/** Sends keys once the user is silent, or plays their tones if the medium cannot send them. */
export async function pressKeys(
  parameters: Readonly<Record<string, unknown>>,
  context: BuiltInContext,
): Promise<ToolOutcome> {
  const { untilSilent, sendDigits, clock, signal, reaction } = context;
  const digits = String(parameters['digits']);
  const steps = keySteps(digits);
  const pausesMs = steps.reduce((sum, step) => sum + (step.kind === 'pause' ? step.durationMs : 0), 0);
  if (pausesMs > MAX_PAUSES_MS)
    return toolFailed(`the pauses in digits must not exceed ${MAX_PAUSES_MS / 1000} s`, reaction);
  const silenceMs = parameters['silence_ms'];
  await untilSilent(typeof silenceMs === 'number' ? silenceMs : null, signal);
  let isSent = false;
  for (const [index, step] of steps.entries()) {
    if (step.kind === 'pause') {
      await delay(clock, step.durationMs, signal);
    } else if (sendDigits?.(step.keys)) {
      isSent = true;
      const isLast = index === steps.length - 1;
      if (!isLast) await delay(clock, step.keys.length * (DTMF_TONE_MS + DTMF_GAP_MS), signal);
    } else if (isSent) {
      return toolFailed(`only some of the digits ${digits} were sent`, reaction);
    } else {
      return playTones(digits, steps.slice(index), context);
    }
  }
  return toolSucceeded(`The digits ${digits} were sent.`, 'listens');
}

function playTones(digits: string, steps: readonly KeyStep[], context: BuiltInContext): ToolOutcome {
  const { hasVoiceOutput, outputSampleRateHz, reaction } = context;
  if (!hasVoiceOutput) return toolFailed('tones cannot be played while the agent responds in text', reaction);
  const sounds = steps.map((step) =>
    step.kind === 'keys'
      ? dtmfTones(step.keys, outputSampleRateHz)
      : new Int16Array(samplesFromMs(step.durationMs, outputSampleRateHz)),
  );
  return {
    ...toolSucceeded(`The tones of ${digits} are played.`, 'listens'),
    sound: concatSamples(sounds),
  };
}
