import { expect } from '@jest/globals';
import type { CallLogEntryBody } from '@calls/api-contract/bus/call-log-entry';
import type { CallSpec, StageSpec } from '@calls/api-contract/call-spec';
import type { Message } from '@calls/api-contract/rest/message';
import { Pacer } from '@calls/conversation/playout/pacer';
import type { CallOutcome, SuspendedCall } from '@calls/conversation/session/call-outcome';
import { CallSession } from '@calls/conversation/session/call-session';
import type { ConversationServices, SessionMetrics } from '@calls/conversation/session/services';
import type { Clock } from '@calls/foundation/clock';
import { silentLogger } from '@calls/foundation/logger';
import { callSpec, stageSpec } from '@calls/testkit/call-spec';
import { ScriptedRecordings } from '@calls/testkit/scripted/recordings';
import { LoopbackTransport } from '@calls/testkit/scripted/loopback-transport';
import {
  ScriptedLanguageModel,
  ScriptedSpeechToText,
  ScriptedTextToSpeech,
  type Script,
  type ScriptedCalls,
} from '@calls/testkit/scripted/scripted-providers';
import { scriptedServices, silentMetrics } from '@calls/testkit/scripted/scripted-services';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { scriptedToolServer, type ScriptedToolServer, type ToolScripts } from './scripted-tools.ts';

export interface Scripts {
  stt?: Script<string>[];
  llm?: Script<string | ScriptedCalls>[];
  /** Whether the model accepts audio. */
  llmHears?: boolean;
  sttDelayMs?: number;
  /** Whether speech-to-text has interim transcripts. */
  sttStreams?: boolean;
  /** See ScriptedSpeechToText. */
  sttCompletionAfter?: (audioMs: number) => number;
  llmDelayMs?: number;
  ttsDelayMs?: number;
  fallbackVoice?: boolean;
  spec?: Partial<CallSpec>;
  stage?: Partial<StageSpec>;
  metrics?: Partial<SessionMetrics>;
  services?: Partial<ConversationServices> | ((clock: Clock) => Partial<ConversationServices>);
  tools?: (clock: Clock) => ScriptedToolServer;
  /** Makes the medium support transfers during which the call continues. */
  transfer?: (target: string, clock: Clock) => Promise<boolean>;
  /** Makes the medium support DTMF digits. */
  sendDigits?: (digits: string) => boolean;
}

function createWorld(scripts: Scripts) {
  const clock = new VirtualClock();
  const recordings = new ScriptedRecordings();
  const stt = new ScriptedSpeechToText(clock, scripts.sttDelayMs ?? 120, scripts.stt ?? []);
  stt.streams = scripts.sttStreams ?? false;
  stt.completionAfter = scripts.sttCompletionAfter ?? null;
  const llm = new ScriptedLanguageModel(clock, scripts.llmDelayMs ?? 250, scripts.llm ?? [], {
    hears: scripts.llmHears ?? false,
  });
  const tts = new ScriptedTextToSpeech(clock, scripts.ttsDelayMs ?? 120);
  const pacer = new Pacer(clock);
  const world = scripts.tools?.(clock) ?? scriptedToolServer(clock, {});
  const events: CallLogEntryBody[] = [];
  const latencies: number[] = [];
  const spec = callSpec({ firstStage: stageSpec(scripts.stage), ...scripts.spec });
  const services = scriptedServices(clock, {
    speechToText: stt,
    languageModel: llm,
    textToSpeech: tts,
    fallbackVoice: scripts.fallbackVoice === false ? null : { engine: 'spare', settings: {} },
    recordings,
    pacer,
    metrics: {
      ...silentMetrics,
      turnResponded: (latency) => latencies.push(latency.firstAudioSentMs),
      ...scripts.metrics,
    },
    tools: world,
    ...(typeof scripts.services === 'function' ? scripts.services(clock) : scripts.services),
  });
  const { transfer, sendDigits } = scripts;
  return {
    transfer,
    sendDigits,
    clock,
    spec,
    world,
    stt,
    llm,
    tts,
    pacer,
    latencies,
    events,
    recordings,
    services,
  };
}

/** Starts a call with scripted engines and virtual time. */
export function startCall(scripts: Scripts) {
  return connect(createWorld(scripts), null);
}

/** Resumes a suspended call with a new connection of its client. All other state is unchanged. */
export function resumeCall({ parts, suspended }: ScriptedCall, { isHandedOver = false } = {}): ScriptedCall {
  if (!suspended) throw new Error('the call is not suspended');
  return connect(parts, { ...suspended, isHandedOver });
}

export type ScriptedCall = ReturnType<typeof connect>;

function connect(parts: ReturnType<typeof createWorld>, resume: SuspendedCall | null) {
  const { clock, spec, recordings, services, events, transfer, sendDigits } = parts;
  const loopback = new LoopbackTransport(clock);
  const transport = Object.assign(
    loopback,
    transfer && { transfer: (target: string) => transfer(target, clock) },
    sendDigits && { sendDigits },
  );
  const session = new CallSession({
    spec,
    transport,
    services,
    log: silentLogger,
    emit: (body) => events.push(body),
    resume,
  });
  let result: CallOutcome | SuspendedCall | null = null;
  void session.run().then((ended) => {
    result = ended;
  });
  /** Closes the connection. The session ends after the transcript of speech that was in progress. */
  const disconnect = async (reason?: 'lost'): Promise<void> => {
    transport.hangUp(reason);
    await clock.advance(100);
    for (let waitedMs = 100; waitedMs < 3000 && !result; waitedMs += 100) await clock.advance(100);
  };
  const call = {
    ...parts,
    parts,
    transport,
    session,
    /** The recording of the call. */
    get recording() {
      return recordings.byCall.get(spec.callId);
    },
    get outcome() {
      return result?.kind === 'ended' ? result : null;
    },
    get suspended() {
      return result?.kind === 'suspended' ? result : null;
    },
    /** The messages that the database will contain, as "role: text". */
    get messages() {
      return rowsOf(events).map(({ role, text }) => `${role?.slice(13) ?? ''}: ${text ?? ''}`);
    },
    /** The complete messages that the database will contain. */
    get entries() {
      return rowsOf(events);
    },
    noted: (eventType: string) =>
      events.filter((event) => event.type === 'noted' && event.eventType === eventType),
    /** Sends a second of speech, waits for the end of the turn, and then for `moreSilenceMs`. */
    async saySomething(moreSilenceMs = 0) {
      await transport.speak(clock, 1000);
      await transport.silence(clock, 500);
      await transport.silence(clock, moreSilenceMs);
    },
    /** Advances time until the agent is speaking, for at most 5 s. */
    async untilSpeaking() {
      for (let waitedMs = 0; waitedMs < 5000 && transport.states.at(-1) !== 'speaking'; waitedMs += 20)
        await transport.silence(clock, 20);
      expect(transport.states.at(-1)).toBe('speaking');
    },
    /** Ends the call, and checks that it holds no resources. */
    async hangUp() {
      await disconnect();
      expectNothingLeft(call);
    },
    /** Ends the call; tools may continue. */
    hangUpDuringTools: () => disconnect(),
    loseConnection: () => disconnect('lost'),
  };
  return call;
}

/** A message replaces an earlier one with the same stage and index. */
function rowsOf(events: readonly CallLogEntryBody[]): Message[] {
  const rows = new Map<string, Message>();
  for (const event of events)
    if (event.type === 'message_added') rows.set(`${event.stageId} ${event.index}`, event.message);
  return [...rows.values()];
}

/** Starts a call with scripted tools. */
export function startToolCall(scripts: Scripts, world: ToolScripts = {}) {
  return startCall({ ...scripts, tools: (clock) => scriptedToolServer(clock, world) });
}

/** Checks that an ended or suspended call holds no resources. */
export function expectNothingLeft(
  call: ReturnType<typeof createWorld> & {
    outcome: CallOutcome | null;
    suspended: SuspendedCall | null;
  },
): void {
  expect(call.outcome ?? call.suspended).not.toBeNull();
  expect({
    timers: call.clock.pendingTimers,
    paced: call.pacer.size,
    utterances: call.stt.current,
    answers: call.llm.running,
    voices: call.tts.running,
    pendingWork: call.world.pendingWork,
  }).toEqual({ timers: 0, paced: 0, utterances: 0, answers: 0, voices: 0, pendingWork: 0 });
}
