import { parseArgs } from 'node:util';
import { oneOf, wholeNumber } from '../support/command-options.ts';

/** `phone`: the media streams of a telephony provider. */
export const BENCH_MEDIA = ['websocket', 'webrtc', 'phone', 'sip'] as const;
export type BenchMedium = (typeof BENCH_MEDIA)[number];

export interface BenchOptions {
  calls: number;
  /** Duration of the measurement, which starts when all calls talk. */
  seconds: number;
  /** Interval between the starts of two calls. */
  rampMs: number;
  warmUpMs: number;
  /** Medium of the callers. */
  medium: BenchMedium;
  /** Rate of the WebSocket. WebRTC always uses 16 kHz, phones 8 kHz. */
  sampleRateHz: number;
  /** Interval of the interim transcripts of streaming speech-to-text; null: it transcribes pauses only. */
  interimMs: number | null;
  /** Model of streaming speech-to-text; Flux models have interim transcripts every 250 ms. Null: a Nova model. */
  sttModel: string | null;
  delays: { sttMs: number; llmMs: number; ttsMs: number };
  /** Whether calls are recorded. */
  recording: boolean;
  /** Whether responses are generated before the user's turn is over. */
  speculation: boolean;
  /** Number of additional rounds that start and end all calls, to measure leaked memory and warm starts. */
  reloads: number;
  /** File for the JSON report; null for none. */
  jsonPath: string | null;
}

export const BENCH_USAGE =
  'usage: npm run bench -- [--calls 50] [--seconds 30] [--ramp-ms 100] [--warm-up-ms 5000] [--rate 16000]\n' +
  '       [--stt-ms 50] [--llm-ms 50] [--tts-ms 50] [--interim-ms MS] [--stt-model NAME]\n' +
  '       [--recording] [--no-speculation] [--reloads 0] [--medium websocket|webrtc|phone|sip] [--json FILE]\n' +
  '       npm run bench -- targets [--seconds 60] [--quiet 10] [--few 10] [--many 100] [--json FILE]\n' +
  '       npm run bench -- capacity [--calls 50] [--seconds 30] [--media websocket,webrtc,phone,sip]\n' +
  '       npm run bench -- creation [--rate 100] [--seconds 20] [--warm-up 10] [--calls-there 0] [--json FILE]\n' +
  '       npm run bench -- compare OTHER_CHECKOUT [--pairs 3] [--json FILE] [-- BENCH_OPTIONS]\n' +
  '       npm run bench -- sip [--rate 20] [--calls 200] [--seconds 30]\n' +
  '       npm run bench -- failover [--calls 100] [--faults kill,freeze,restart] [--successors 2]\n' +
  '       npm run bench -- packet-loss [--only parts,calls,page]\n' +
  '       npm run bench -- rtp [--calls 100] [--seconds 20] [--runs 2] [--encrypted]\n' +
  '       npm run bench -- knowledge [--passages 100000] [--endpoint URL --model NAME [--api-key KEY]] [--folder PATH]\n' +
  '             [--query-prefix TEXT] [--passage-prefix TEXT] [--json FILE]\n' +
  '       npm run bench -- vad [--json FILE]\n' +
  '       npm run bench -- interruptions [--set held-out|tuning] [--scale 1] [--stt MS] [--interim MS] [--json FILE]\n' +
  '       npm run bench -- turns [--set held-out|tuning|both] [--scale 1] [--model FILE.onnx] [--json FILE]\n' +
  '             [--case ID --wav FILE]\n' +
  '       npm run bench -- voices [espeak-ng:NAME|flite:NAME|festival:NAME …]\n' +
  '       npm run bench -- stt\n' +
  '\nMeasures latencies and costs. Without a command, it holds calls over the whole system with stand-in engines.\n' +
  'See docs/internals/performance.md.';

const FIXED_RATES_HZ: Partial<Record<BenchMedium, number>> = { webrtc: 16_000, phone: 8000, sip: 8000 };

/** Throws an Error that describes the invalid option. */
export function readBenchOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      calls: { type: 'string', default: '50' },
      seconds: { type: 'string', default: '30' },
      'ramp-ms': { type: 'string', default: '100' },
      'warm-up-ms': { type: 'string', default: '5000' },
      rate: { type: 'string', default: '16000' },
      'stt-ms': { type: 'string', default: '50' },
      'llm-ms': { type: 'string', default: '50' },
      'tts-ms': { type: 'string', default: '50' },
      'interim-ms': { type: 'string' },
      'stt-model': { type: 'string' },
      recording: { type: 'boolean', default: false },
      'no-speculation': { type: 'boolean', default: false },
      medium: { type: 'string', default: 'websocket' },
      reloads: { type: 'string', default: '0' },
      json: { type: 'string' },
    },
  });
  const medium = oneOf('medium', BENCH_MEDIA, values.medium);
  return {
    calls: wholeNumber('calls', values.calls, 1, 5000),
    seconds: wholeNumber('seconds', values.seconds, 1, 86_400),
    rampMs: wholeNumber('ramp-ms', values['ramp-ms'], 0, 60_000),
    warmUpMs: wholeNumber('warm-up-ms', values['warm-up-ms'], 0, 600_000),
    medium,
    sampleRateHz: FIXED_RATES_HZ[medium] ?? wholeNumber('rate', values.rate, 8000, 48_000),
    delays: {
      sttMs: wholeNumber('stt-ms', values['stt-ms'], 0, 60_000),
      llmMs: wholeNumber('llm-ms', values['llm-ms'], 0, 60_000),
      ttsMs: wholeNumber('tts-ms', values['tts-ms'], 0, 60_000),
    },
    interimMs:
      values['interim-ms'] === undefined ? null : wholeNumber('interim-ms', values['interim-ms'], 20, 60_000),
    sttModel: values['stt-model'] ?? null,
    recording: values.recording,
    speculation: !values['no-speculation'],
    reloads: wholeNumber('reloads', values.reloads, 0, 1000),
    jsonPath: values.json ?? null,
  };
}
