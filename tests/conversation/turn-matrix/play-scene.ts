import type { CallLogEntryBody } from '@calls/api-contract/bus/call-log-entry';
import { concatSamples } from '@calls/audio/pcm';
import { CallSession } from '@calls/conversation/session/call-session';
import type { SpeechToText } from '@calls/engine-ports/speech-to-text';
import type { VoiceActivityEngine } from '@calls/engine-ports/voice-activity-detector';
import { silentLogger } from '@calls/foundation/logger';
import { RealTimeWork } from '@calls/simulation/call/real-time-work';
import { trackedDetector, trackedSpeechToText } from '@calls/simulation/call/tracked-engines';
import { agentSpeaksFirst, callSpec } from '@calls/testkit/call-spec';
import { LoopbackTransport } from '@calls/testkit/scripted/loopback-transport';
import { ScriptedLanguageModel } from '@calls/testkit/scripted/scripted-providers';
import { scriptedServices } from '@calls/testkit/scripted/scripted-services';
import { settle, VirtualClock } from '@calls/foundation/virtual-clock';
import { spokenVoice } from './spoken-voice.ts';
import { AGENT_ANSWER, AGENT_OPENING, RATE_HZ, type Scene } from './scenes.ts';

export interface Engines {
  voiceActivity: VoiceActivityEngine;
  speechToText: SpeechToText;
}

export interface Played {
  /** Summary of the turn-taking events. */
  turns: string;
  /** Transcripts from speech-to-text. */
  words: readonly string[];
}

const FRAME_MS = 20;
const FRAME_SAMPLES = (RATE_HZ * FRAME_MS) / 1000;
const DELAYS = { sttMs: 120, llmMs: 250, ttsMs: 120 };

/** A call in virtual time with the default settings, real VAD, STT and TTS, and a scripted language model. */
export async function playScene(scene: Scene, engines: Engines): Promise<Played> {
  const clock = new VirtualClock();
  const work = new RealTimeWork();
  const transport = new LoopbackTransport(clock);
  const events: CallLogEntryBody[] = [];
  const session = new CallSession({
    resume: null,
    spec: callSpec({
      firstSpeaker: scene.agentSpeaks ? agentSpeaksFirst(AGENT_OPENING) : { who: 'user', fallback: null },
    }),
    transport,
    services: scriptedServices(clock, {
      voiceActivity: trackedDetector(engines.voiceActivity, work),
      speechToText: trackedSpeechToText(engines.speechToText, work, clock, scene.sttMs ?? DELAYS.sttMs),
      languageModel: new ScriptedLanguageModel(clock, DELAYS.llmMs, [
        ...(scene.answers ?? []),
        ...new Array<string>(20).fill(AGENT_ANSWER),
      ]),
      textToSpeech: spokenVoice(work, clock, DELAYS.ttsMs),
      limits: { transcriptionMs: 60_000, speculation: true },
    }),
    log: silentLogger,
    emit: (body) => events.push(body),
  });
  const ended = session.run();
  let microphone = await scene.sound();
  const follows = await Promise.all(
    (scene.follows ?? []).map(async (each) => ({ ...each, said: await each.sound() })),
  );
  let followed = 0;
  for (let at = 0; at < microphone.length; at += FRAME_SAMPLES) {
    transport.hear(withEcho(scene, transport, microphone.slice(at, at + FRAME_SAMPLES), clock.nowMs()));
    await settle();
    await work.idle();
    await clock.advance(FRAME_MS);
    await work.idle();
    const begun = transport.states.filter((state) => state === 'speaking').length;
    const next = follows[followed];
    if (next && begun > followed) {
      followed += 1;
      const pause = (ms: number): Int16Array => new Int16Array((RATE_HZ * ms) / 1000);
      const audio = microphone.slice(0, at + FRAME_SAMPLES);
      microphone = concatSamples([audio, pause(next.afterMs), next.said, pause(3000)]);
    }
  }
  transport.hangUp();
  await clock.advance(1000);
  await ended;
  return { turns: turnsOf(events), words: events.flatMap(wordsOf) };
}

function withEcho(
  { echo }: Scene,
  transport: LoopbackTransport,
  frame: Int16Array,
  nowMs: number,
): Int16Array {
  if (!echo) return frame;
  const endMs = nowMs - echo.delayMs;
  if (endMs < FRAME_MS) return frame;
  const gain = echo.gain * Math.max(0, 1 - nowMs / echo.untilMs);
  const audio = transport.playedAudio(endMs).subarray(-FRAME_SAMPLES);
  return frame.map((sample, i) => sample + Math.round((audio[i] ?? 0) * gain));
}

function wordsOf(event: CallLogEntryBody): string[] {
  const isUser = event.type === 'message_added' && event.message.role === 'MESSAGE_ROLE_USER';
  return isUser ? [event.message.text ?? ''] : [];
}

function turnsOf(events: readonly CallLogEntryBody[]): string {
  const known = new Set<string>();
  const outcomes = events.flatMap((event) => {
    if (event.type === 'message_added') {
      const place = `${event.stageId} ${event.index}`;
      const what = known.has(place) ? 'same turn continued' : 'turn';
      known.add(place);
      return wordsOf(event).map(() => what);
    }
    if (event.type !== 'noted') return [];
    switch (event.eventType) {
      case 'interrupted':
        return ['agent interrupted'];
      case 'speech_dismissed': {
        const { reason, pausedMs } = { reason: 'unknown', pausedMs: 0, ...event.extras };
        return pausedMs > 0 ? [`paused, resumed: ${reason}`] : [`not paused: ${reason}`];
      }
      default:
        return [];
    }
  });
  return outcomes.length === 0 ? 'no turn' : outcomes.join('; ');
}
