import type { StageSpec } from '@calls/api-contract/call-spec';
import type { TestScenario } from '@calls/api-contract/rest/test-scenario';
import { createEndOfTurnDetector } from '@calls/conversation/end-of-turn/detector';
import { Pacer } from '@calls/conversation/playout/pacer';
import type { ToolServices } from '@calls/conversation/ports/tools';
import type { CallOutcome, SuspendedCall } from '@calls/conversation/session/call-outcome';
import { CallSession } from '@calls/conversation/session/call-session';
import type { ConversationServices, SessionMetrics } from '@calls/conversation/session/services';
import type { LanguageModel } from '@calls/engine-ports/language-model';
import { AppError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import type { ChecksOf, UntrustedChecks } from '@calls/untrusted-work/untrusted-checks';
import type { AgentCall } from '../agent/agent-call.ts';
import { textMatches } from '../check/text-match.ts';
import { AgentWatch } from './agent-watch.ts';
import { CallRecorder, type CallRecord } from './call-record.ts';
import { Caller, type CallerCall } from './caller.ts';
import { CallerLine } from './caller-line.ts';
import type { SimulatedMode } from './modes.ts';
import { MemoryRecordings } from './memory-recordings.ts';
import { RealTimeWork } from './real-time-work.ts';
import { ToolStubs } from './tool-stubs.ts';

export interface SimulationServices {
  /** Opens the audio and engines of one call. */
  mode: SimulatedMode;
  /** Model of one call. */
  languageModel: (clock: VirtualClock, work: RealTimeWork) => LanguageModel;
  checksOf: ChecksOf;
  log: Logger;
}

export interface SimulatedCall {
  record: CallRecord;
  /** Why the caller could not do what the scenario says; null if it could. */
  problem: string | null;
  /** Samples of both sides: the caller left, the agent right. Null in text mode. */
  recording: Int16Array | null;
}

/** Ticks of the output. A frame is 20 ms. */
const TICK_MS = 20;
const MAX_CLOSING_MS = 5000;

/**
 * Plays a scenario in virtual time: the agent's call is that of a media-worker, with the caller at the other end. Rejects
 * with the signal's reason when it aborts.
 */
export async function simulateCall(
  agentCall: AgentCall,
  scenario: TestScenario,
  play: (caller: Caller, call: CallerCall) => Promise<string | null>,
  { signal, ...services }: SimulationServices & { signal: AbortSignal },
): Promise<SimulatedCall> {
  const { spec } = agentCall;
  const clock = new VirtualClock(spec.createdAtMs);
  const work = new RealTimeWork();
  const stages = new Map<string, StageSpec>();
  const recorder = new CallRecorder(spec.firstStage, stages);
  const agent = new AgentWatch();
  const media = await services.mode.open({ clock, work, caller: scenario.caller });
  const recordings = new MemoryRecordings();
  const checksOf: ChecksOf = (accountId) => trackedChecks(services.checksOf(accountId), work);
  const stubs = new ToolStubs(scenario.tools, clock, (result) => line.sendMessage(result));
  const isPhone = 'dtmf' in spec.medium;
  const line: CallerLine = new CallerLine({
    isPhone,
    outputRateHz: services.mode.outputRateHz,
    onMessage: (message) => {
      agent.onMessage(message, clock.nowMs());
      if (message.type === 'client_tool_invocation') stubs.invoke(message);
    },
  });
  const session = new CallSession({
    spec: {
      ...spec,
      firstStage: stubs.apply(spec.firstStage),
      recordingEnabled: services.mode.isRecorded,
      backgroundAudio: null,
      dataConnection: null,
    },
    transport: line,
    services: {
      ...WITHOUT_SERVICES,
      ...media.engines,
      recordings,
      languageModel: services.languageModel(clock, work),
      tools: toolServices(agentCall, checksOf, work, (stage) => {
        stages.set(stage.stageId, stage);
        return stubs.apply(stage);
      }),
      pacer: new Pacer(clock, TICK_MS),
      clock,
    },
    log: services.log,
    emit: (entry) => recorder.add(entry, clock.nowMs()),
    resume: null,
  });
  const end: { outcome: CallOutcome | SuspendedCall | null } = { outcome: null };
  void session.run().then((outcome) => {
    end.outcome = outcome;
  });
  let unsentMs = 0;
  const pass = async (ms: number): Promise<void> => {
    unsentMs += ms;
    if (unsentMs >= services.mode.packetMs) {
      line.speak(media.microphone(unsentMs));
      unsentMs = 0;
    }
    await clock.advance(ms, () => work.settled());
  };
  const call: CallerCall = {
    agent,
    nowMs: () => clock.nowMs(),
    isOver: () => line.isClosed,
    pass: async (ms) => {
      signal.throwIfAborted();
      await pass(ms);
    },
    speak: async (words) => {
      await work.track(media.say(words));
      while (media.isSpeaking && !line.isClosed) await call.pass(TICK_MS);
    },
    write: (text) => line.sendMessage({ type: 'user_text_message', text }),
    press: isPhone ? (digit) => line.press(digit) : null,
    hangUp: () => line.hangUp(),
    matches: (text, match) => textMatches(text, match, checksOf(spec.accountId)),
  };
  const caller = new Caller(call, spec.firstSpeaker.who === 'agent');
  let problem: string | null;
  try {
    problem = await play(caller, call);
    if (problem === null) await caller.listen();
  } finally {
    line.hangUp();
    for (let waitedMs = 0; waitedMs < MAX_CLOSING_MS && end.outcome === null; waitedMs += TICK_MS)
      await pass(TICK_MS);
  }
  const { outcome } = end;
  const missing = [...stubs.missing].map((name) => `the scenario has no stub for the tool ${name}`);
  return {
    record: recorder.record({
      endReason: outcome?.kind === 'ended' ? outcome.reason : null,
      transferTo: outcome?.kind === 'ended' ? outcome.transferTo : null,
      durationMs: clock.nowMs(),
    }),
    problem: problem ?? missing[0] ?? null,
    recording: services.mode.isRecorded ? recordings.samples() : null,
  };
}

function toolServices(
  agentCall: AgentCall,
  checksOf: ChecksOf,
  work: RealTimeWork,
  onStage: (stage: StageSpec) => StageSpec,
): ToolServices {
  return {
    http: { send: () => Promise.reject(unavailable('HTTP tools')) },
    mcp: () => ({ call: () => Promise.reject(unavailable('MCP tools')), close: () => undefined }),
    corpora: { query: () => Promise.reject(unavailable('corpora')) },
    stages: { resolve: async (request) => onStage(await work.track(agentCall.resolveStage(request))) },
    callTokens: { issue: () => 'simulated-call' },
    signatureHeaders: () => ({}),
    addBackgroundWork: () => undefined,
    argumentChecksFor: checksOf,
    prepareArgumentChecks: () => undefined,
  };
}

/** Checks may run in another process. */
function trackedChecks(checks: UntrustedChecks, work: RealTimeWork): UntrustedChecks {
  return {
    schemaIssues: (schemas) => work.track(checks.schemaIssues(schemas)),
    valueIssues: (schema, values) => work.track(checks.valueIssues(schema, values)),
    patternIssues: (patterns) => work.track(checks.patternIssues(patterns)),
    firstMatch: (patterns, text) => work.track(checks.firstMatch(patterns, text)),
  };
}

function unavailable(what: string): AppError {
  return new AppError('not_simulated', `${what} are not available in a simulated call`);
}

const nothing = (): void => undefined;

const NO_METRICS: SessionMetrics = {
  frameSent: nothing,
  playoutStarved: nothing,
  turnResponded: nothing,
  turnAudible: nothing,
  turnAudited: nothing,
  responseStarted: nothing,
  interruption: nothing,
  turnModel: () => undefined,
  speculation: nothing,
  error: nothing,
  responseMissing: nothing,
  transferEnded: nothing,
  transcriptLost: nothing,
};

/** Stand-ins for services that simulated calls do not have. */
const WITHOUT_SERVICES: Omit<
  ConversationServices,
  | 'voiceActivity'
  | 'speechToText'
  | 'textToSpeech'
  | 'languageModel'
  | 'recordings'
  | 'tools'
  | 'pacer'
  | 'clock'
> = {
  endOfTurn: createEndOfTurnDetector(null),
  fallbackVoice: null,
  backgroundClips: { load: () => Promise.reject(unavailable('background clips')) },
  traces: null,
  dataConnections: { open: () => ({ send: nothing, writeAudio: null, close: () => Promise.resolve() }) },
  transferLegs: {
    dial: () =>
      Promise.resolve({ kind: 'failed', failure: 'no_answer', detail: 'simulated calls reach no person' }),
  },
  metrics: NO_METRICS,
  limits: { transcriptionMs: 60_000, speculation: true },
  reconnectGraceMs: 10_000,
};
