import { CallSession } from '@calls/conversation/session/call-session';
import type { CallTraces } from '@calls/conversation/ports/call-traces';
import type { TraceStep } from '@calls/conversation/replay/trace';
import { clampToInt16, samplesFromMs } from '@calls/audio/pcm';
import type { SpeechToText } from '@calls/engine-ports/speech-to-text';
import type { SpeechChunk, TextToSpeech } from '@calls/engine-ports/text-to-speech';
import type { VoiceActivityEngine } from '@calls/engine-ports/voice-activity-detector';
import { delay } from '@calls/foundation/clock';
import { silentLogger } from '@calls/foundation/logger';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { RealTimeWork } from '@calls/simulation/call/real-time-work';
import { trackedDetector } from '@calls/simulation/call/tracked-engines';
import { callSpec, stageSpec } from '@calls/testkit/call-spec';
import { LoopbackTransport } from '@calls/testkit/scripted/loopback-transport';
import { ScriptedLanguageModel } from '@calls/testkit/scripted/scripted-providers';
import { scriptedServices } from '@calls/testkit/scripted/scripted-services';
import { RATE_HZ, readSpeech } from '../turns/recordings/read-recording.ts';
import type { Recording } from '../turns/recordings/recording.ts';
import { speechExtents } from '../turns/recordings/speech-extents.ts';
import type { OverlapCase } from './overlap-cases.ts';
import { roomOf, type Reflection } from './room.ts';

/** The effect on the response. All times count from the beginning of the overlapping audio. */
export interface OverlapOutcome {
  /** When the response was cut; null if it was not. */
  cutMs: number | null;
  /** When the agent first became softer or silent; null if it did not. */
  loweredMs: number | null;
  /** When the agent was silent for the first time. */
  silentMs: number | null;
  /** Longest pause of a response that was not cut; Infinity if it did not continue. */
  longestPauseMs: number;
}

export interface OverlapSettings {
  sttMs: number;
  /** Delay of interim transcripts after each word; null if there are none. */
  interimMs: number | null;
}

const FRAME_MS = 20;
const FRAME_SAMPLES = samplesFromMs(FRAME_MS, RATE_HZ);
const LLM_MS = 250;
const TTS_MS = 120;
const LEAD_MS = 600;
/** Time that the agent has to react. */
const TAIL_MS = 2500;
const MAX_CALL_MS = 60_000;
const MAX_RESPONSES = 20;
/** Maximum pause in a question. A longer one could divide it into two turns. */
const MAX_PAUSE_MS = 100;

/** Plays a call in virtual time with the real VAD. Speech-to-text is exact, the other engines have constant delays. */
export async function playOverlap(
  overlap: OverlapCase,
  voiceActivity: VoiceActivityEngine,
  settings: OverlapSettings,
): Promise<OverlapOutcome> {
  for await (const question of withoutPause(overlap.questions)) {
    const outcome = await playCall(overlap, question, voiceActivity, settings);
    if (outcome) return outcome;
  }
  throw new Error('all questions have pauses');
}

/**
 * Returns null if the response began before the end of the question, because the rest of the question would interrupt
 * it.
 */
async function playCall(
  overlap: OverlapCase,
  question: Question,
  voiceActivity: VoiceActivityEngine,
  settings: OverlapSettings,
): Promise<OverlapOutcome | null> {
  const clock = new VirtualClock();
  const work = new RealTimeWork();
  const transport = new LoopbackTransport(clock);
  const microphone = new Microphone(overlap, transport);
  microphone.play(question.samples, LEAD_MS, question.text);
  const steps: TraceStep[] = [];
  const speech = await Promise.all(overlap.response.map(readSpeech));
  const session = new CallSession({
    resume: null,
    spec: callSpec({ firstStage: stageSpec({ languageHint: overlap.language }) }),
    transport,
    services: scriptedServices(clock, {
      voiceActivity: trackedDetector(voiceActivity, work),
      speechToText: exactTranscripts(clock, microphone, settings),
      languageModel: new ScriptedLanguageModel(
        clock,
        LLM_MS,
        new Array<string>(MAX_RESPONSES).fill(overlap.response.map(({ text }) => text).join(' ')),
      ),
      textToSpeech: recordedVoice(clock, speech),
      traces: tracesTo(steps),
    }),
    log: silentLogger,
    emit: () => undefined,
  });
  const ended = session.run();
  let beginsMs = Infinity;
  let endMs = MAX_CALL_MS;
  for (let nowMs = 0; nowMs < endMs; nowMs += FRAME_MS) {
    transport.hear(microphone.frame(nowMs));
    await work.settled();
    await clock.advance(FRAME_MS);
    await work.settled();
    const begun = beginsMs === Infinity && transport.messages.find(({ what }) => isSpeaking(what));
    if (begun) {
      beginsMs = Math.round(begun.atMs) + overlap.afterMs;
      const audio = await overlap.audio();
      microphone.play(audio, beginsMs, overlap.words);
      endMs = beginsMs + audio.length / samplesFromMs(1, RATE_HZ) + TAIL_MS;
    }
  }
  transport.hangUp();
  await clock.advance(1000);
  await ended;
  const askedMs = LEAD_MS + question.samples.length / samplesFromMs(1, RATE_HZ);
  return beginsMs - overlap.afterMs < askedMs ? null : outcomeOf(steps, beginsMs);
}

interface Question {
  samples: Int16Array;
  text: string;
}

async function* withoutPause(recordings: readonly Recording[]): AsyncGenerator<Question> {
  for (const recording of recordings) {
    const samples = await readSpeech(recording);
    const { floorDb } = recording.speaker;
    if (speechExtents(samples, RATE_HZ, { floorDb, minPauseMs: MAX_PAUSE_MS }).length === 1)
      yield { samples, text: recording.text };
  }
}

function isSpeaking(message: LoopbackTransport['messages'][number]['what']): boolean {
  return message.type === 'state' && message.state === 'speaking';
}

function outcomeOf(steps: readonly TraceStep[], beginsMs: number): OverlapOutcome {
  const outcome: OverlapOutcome = { cutMs: null, loweredMs: null, silentMs: null, longestPauseMs: 0 };
  let pausedMs: number | null = null;
  for (const { atMs, event, effects } of steps) {
    if (atMs < beginsMs || outcome.cutMs !== null || event.type === 'closed') continue;
    const sinceMs = atMs - beginsMs;
    for (const { type } of effects ?? []) {
      if (type === 'duck_playout') outcome.loweredMs ??= sinceMs;
      if (type === 'pause_playout' || type === 'interrupt_generation') {
        outcome.loweredMs ??= sinceMs;
        outcome.silentMs ??= sinceMs;
      }
      if (type === 'interrupt_generation') outcome.cutMs = sinceMs;
      if (type === 'pause_playout') pausedMs = sinceMs;
      if ((type === 'duck_playout' || type === 'resume_playout') && pausedMs !== null) {
        outcome.longestPauseMs = Math.max(outcome.longestPauseMs, sinceMs - pausedMs);
        pausedMs = null;
      }
    }
  }
  if (pausedMs !== null && outcome.cutMs === null) outcome.longestPauseMs = Infinity;
  return outcome;
}

interface Said {
  samples: Int16Array;
  startMs: number;
  words: readonly string[];
}

/** The user's microphone: background, speech of the user, and echo of the agent. */
class Microphone {
  readonly #overlap: OverlapCase;
  readonly #transport: LoopbackTransport;
  readonly #room: readonly Reflection[];
  #said: Said[] = [];

  constructor(overlap: OverlapCase, transport: LoopbackTransport) {
    this.#overlap = overlap;
    this.#transport = transport;
    this.#room = roomOf(overlap.echo?.reverberationMs ?? 0);
  }

  play(samples: Int16Array, startMs: number, text: string): void {
    this.#said.push({ samples, startMs, words: text === '' ? [] : text.split(/\s+/u) });
  }

  /** The words of the user and of the echo between two times. */
  wordsBetween(fromMs: number, untilMs: number): string {
    const words = this.#said.flatMap(({ samples, startMs, words: own }) => {
      const wordMs = samples.length / samplesFromMs(1, RATE_HZ) / Math.max(1, own.length);
      return own.filter((_word, i) => {
        const middleMs = startMs + (i + 0.5) * wordMs;
        return middleMs > fromMs && middleMs < untilMs;
      });
    });
    return [...words, ...this.#echoedWords(fromMs, untilMs)].join(' ').replaceAll(/[.,;:!?…¿¡"“”«»]/gu, '');
  }

  frame(nowMs: number): Int16Array {
    const frame = new Int16Array(FRAME_SAMPLES);
    const at = samplesFromMs(nowMs, RATE_HZ);
    const echo = this.#echo(nowMs);
    const { background } = this.#overlap;
    for (let i = 0; i < frame.length; i += 1) {
      let sum = (background[(at + i) % background.length] ?? 0) + (echo[i] ?? 0);
      for (const { samples, startMs } of this.#said)
        sum += samples[at + i - samplesFromMs(startMs, RATE_HZ)] ?? 0;
      frame[i] = clampToInt16(sum);
    }
    return frame;
  }

  #echo(nowMs: number): Float32Array {
    const { echo } = this.#overlap;
    const untilMs = nowMs - (echo?.delayMs ?? 0);
    if (!echo || untilMs < FRAME_MS) return new Float32Array(0);
    const gain = 10 ** (-echo.lossDb / 20);
    const played = this.#transport.playedAudio(untilMs, untilMs - FRAME_MS - echo.reverberationMs);
    const first = played.length - FRAME_SAMPLES;
    return Float32Array.from({ length: FRAME_SAMPLES }, (_, i) => {
      let sum = 0;
      for (const { at, level } of this.#room) sum += (played[first + i - at] ?? 0) * level;
      return sum * gain;
    });
  }

  #echoedWords(fromMs: number, untilMs: number): string[] {
    const { echo } = this.#overlap;
    if (!echo) return [];
    return this.#transport.messages.flatMap(({ atMs, what }) => {
      if (what.type !== 'transcript' || what.role !== 'agent' || what.final) return [];
      const arrivesMs = atMs + echo.delayMs;
      const words = (what.delta ?? what.text ?? '').trim();
      return arrivesMs > fromMs && arrivesMs < untilMs ? words.split(/\s+/u) : [];
    });
  }
}

function exactTranscripts(
  clock: VirtualClock,
  microphone: Microphone,
  { sttMs, interimMs }: OverlapSettings,
): SpeechToText {
  return {
    open: (_options, signal) => {
      const startMs = clock.nowMs();
      const words = (untilMs: number): string => microphone.wordsBetween(startMs, untilMs);
      let isOpen = true;
      return {
        push: () => undefined,
        finalize: async () => {
          const text = words(clock.nowMs());
          await delay(clock, sttMs, signal);
          return { text };
        },
        interims: interimTranscripts(() => isOpen),
        close: () => {
          isOpen = false;
        },
      };

      async function* interimTranscripts(goesOn: () => boolean): AsyncGenerator<{ text: string }> {
        if (interimMs === null) return;
        for (let sent = ''; goesOn();) {
          await delay(clock, FRAME_MS);
          const text = words(clock.nowMs() - interimMs);
          if (goesOn() && text !== sent) yield { text };
          sent = text;
        }
      }
    },
  };
}

/** Plays the recordings of the response. Plays the first one for any other text. */
function recordedVoice(clock: VirtualClock, speech: readonly Int16Array[]): TextToSpeech {
  let next = 0;
  return {
    async *synthesize(sentences, _options, signal): AsyncGenerator<SpeechChunk> {
      for await (const text of sentences) {
        await delay(clock, TTS_MS, signal);
        yield { type: 'sentence', text };
        const samples = speech[next % speech.length] ?? new Int16Array(0);
        next += 1;
        yield { type: 'audio', samples: samples.slice(), sampleRateHz: RATE_HZ };
      }
    },
  };
}

function tracesTo(steps: TraceStep[]): CallTraces {
  const sink = {
    write: (line: string): void => {
      const step = JSON.parse(line) as TraceStep | { version: number };
      if ('effects' in step) steps.push(step);
    },
    close: () => Promise.resolve(),
    suspend: () => Promise.resolve(),
  };
  return { open: () => sink, resume: () => sink, finish: () => Promise.resolve() };
}
