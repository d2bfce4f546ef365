import type { SessionMetrics } from '@calls/conversation/session/services';
import { LATENCY_BUCKETS_MS, type Metrics } from '@calls/telemetry/metrics';

/** What the conversations of this process report, as Prometheus metrics. */
export function createSessionMetrics(metrics: Metrics): SessionMetrics {
  const lateness = metrics.histogram({
    name: 'frame_lateness_ms',
    help: 'How late audio frames went out',
    buckets: [0.5, 1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 100, 200],
  });
  const starved = metrics.counter({
    name: 'playout_starved_total',
    help: 'Agent audio that ran out mid-utterance',
  });
  const stages = metrics.histogram<'stage'>({
    name: 'turn_latency_ms',
    help: 'From the arrival of the last speech to each stage of the answer',
    labels: ['stage'],
    buckets: LATENCY_BUCKETS_MS,
  });
  const interruptions = metrics.counter<'outcome'>({
    name: 'interruptions_total',
    help: 'Answers cut short (taken), or paused for what was no turn (resumed)',
    labels: ['outcome'],
  });
  const speculation = metrics.counter<'outcome'>({
    name: 'speculation_total',
    help: 'Answers begun before the turn was over',
    labels: ['outcome'],
  });
  const speculationMs = metrics.histogram<'outcome'>({
    name: 'speculation_ms',
    help: 'How far ahead of the end of the turn answers were begun (used), or how long they were made in vain (discarded)',
    labels: ['outcome'],
    buckets: LATENCY_BUCKETS_MS,
  });
  const faults = metrics.counter({ name: 'session_faults_total', help: 'Faults of engines during calls' });
  const missing = metrics.counter<'reason'>({
    name: 'response_missing_total',
    help: 'User turns without a response 5 s later (recognition_late, response_late, tool_running), or with an empty one (nothing_to_say)',
    labels: ['reason'],
  });
  const lost = metrics.counter({
    name: 'words_lost_total',
    help: 'Sessions with recognised words that became neither a message nor an event',
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
    interruption: (outcome) => interruptions.inc({ outcome }),
    speculation: (outcome, ms) => {
      speculation.inc({ outcome });
      speculationMs.observe({ outcome }, ms);
    },
    error: () => faults.inc(),
    responseMissing: (reason) => missing.inc({ reason }),
    transcriptLost: () => lost.inc(),
  };
}
