import type { SessionMetrics } from '@calls/conversation/session/services';
import type { EngineFailure } from '@calls/providers/fallback/engine-order';
import type { FallbackRole } from '@calls/providers/registry';
import { LATENCY_BUCKETS_MS, type Metrics } from '@calls/telemetry/metrics';

/** Prometheus metrics of the conversations of this process. */
export function createSessionMetrics(metrics: Metrics): SessionMetrics {
  const lateness = metrics.histogram({
    name: 'frame_lateness_ms',
    help: 'Delay of a 20 ms frame past its deadline',
    buckets: [0.5, 1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 100, 200],
  });
  const starved = metrics.counter({
    name: 'playout_starved_total',
    help: 'Gaps in the audio of a response',
  });
  const stages = metrics.histogram<'stage'>({
    name: 'turn_latency_ms',
    help: 'Time from the arrival of the last speech to each stage, in order: endpoint, transcript, decided, first_token, first_audio, first_audio_sent, first_sound (played)',
    labels: ['stage'],
    buckets: LATENCY_BUCKETS_MS,
  });
  const deviations = metrics.histogram<'time'>({
    name: 'turn_latency_deviation_ms',
    help: 'Difference between the reported `speech_end` or `first_sound` of a turn and the recording of the call',
    labels: ['time'],
    buckets: [4, 8, 12, 20, 40, 60, 100, 200, 500, 1000],
  });
  const interruptions = metrics.counter<'outcome'>({
    name: 'interruptions_total',
    help: 'Speech of the user over a response that ended it (`interrupted`) or only paused it (`resumed`)',
    labels: ['outcome'],
  });
  const speculation = metrics.counter<'outcome'>({
    name: 'speculation_total',
    help: "Responses that started before the end of the user's turn: `used` or `discarded`",
    labels: ['outcome'],
  });
  const turnModel = metrics.counter<'outcome'>({
    name: 'turn_model_total',
    help: 'Pauses judged by the end-of-turn model: its result was `used`, `late` or `failed`',
    labels: ['outcome'],
  });
  const speculationMs = metrics.histogram<'outcome'>({
    name: 'speculation_ms',
    help: 'How much earlier the `used` responses started, and how long the `discarded` ones ran',
    labels: ['outcome'],
    buckets: LATENCY_BUCKETS_MS,
  });
  const errors = metrics.counter({ name: 'session_errors_total', help: 'Engine failures during calls' });
  const missing = metrics.counter<'reason'>({
    name: 'response_missing_total',
    help: 'User turns without a response 5 s later, or with an empty one (`nothing_to_say`, `tools_only`)',
    labels: ['reason'],
    zero: [{ reason: 'recognition_late' }, { reason: 'response_late' }],
  });
  const transfers = metrics.counter<'outcome'>({
    name: 'warm_transfers_total',
    help: 'Warm transfers that ended',
    labels: ['outcome'],
  });
  const lost = metrics.counter({
    name: 'transcripts_lost_total',
    help: 'Sessions that lost transcribed words; more than 0 is a bug',
  });
  return {
    frameSent: (latenessMs) => lateness.observe(Math.max(0, latenessMs)),
    playoutStarved: () => starved.inc(),
    turnResponded: (latency) => {
      stages.observe({ stage: 'endpoint' }, latency.endpointMs);
      stages.observe({ stage: 'transcript' }, latency.transcriptMs);
      stages.observe({ stage: 'decided' }, latency.decidedMs);
      if (latency.firstTokenMs !== null) stages.observe({ stage: 'first_token' }, latency.firstTokenMs);
      if (latency.firstAudioMs !== null) stages.observe({ stage: 'first_audio' }, latency.firstAudioMs);
      stages.observe({ stage: 'first_audio_sent' }, latency.firstAudioSentMs);
    },
    turnAudible: (afterMs) => stages.observe({ stage: 'first_sound' }, afterMs),
    turnAudited: ({ speechEndMs, firstSoundMs }) => {
      if (speechEndMs !== null) deviations.observe({ time: 'speech_end' }, Math.abs(speechEndMs));
      if (firstSoundMs !== null) deviations.observe({ time: 'first_sound' }, Math.abs(firstSoundMs));
    },
    // Only traces record it.
    responseStarted: () => undefined,
    transferEnded: (outcome) => transfers.inc({ outcome }),
    interruption: (outcome) => interruptions.inc({ outcome }),
    turnModel: (outcome) => turnModel.inc({ outcome }),
    speculation: (outcome, ms) => {
      speculation.inc({ outcome });
      speculationMs.observe({ outcome }, ms);
    },
    error: () => errors.inc(),
    responseMissing: (reason) => missing.inc({ reason }),
    transcriptLost: () => lost.inc(),
  };
}

/** Counts failures of engines that have a fallback; `outcome` says whether a fallback was used. */
export function countEngineFailures(metrics: Metrics): (role: FallbackRole, failure: EngineFailure) => void {
  const failures = metrics.counter<'role' | 'kind' | 'outcome'>({
    name: 'engine_errors_total',
    help: 'Failures of engines that have a fallback: the `fallback` was used, or the request `failed`',
    labels: ['role', 'kind', 'outcome'],
  });
  return (role, { error: { kind }, next }) =>
    failures.inc({ role, kind, outcome: next === null ? 'failed' : 'fallback' });
}

/** Returns a function that records each batch of the model. */
export function observeVoiceActivity(metrics: Metrics): (windows: number) => void {
  const batches = metrics.histogram({
    name: 'vad_batch_windows',
    help: 'Audio windows per run of the voice activity model',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128],
  });
  return (windows) => batches.observe(windows);
}
