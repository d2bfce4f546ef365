import type { CallSpec, ServerWebSocketSpec, SipSpec, StageSpec } from '@calls/api-contract/call-spec';
import { newId } from '@calls/foundation/ids';
import { VIRTUAL_EPOCH_MS } from '@calls/foundation/virtual-clock';

/**
 * A call over a server WebSocket with all API defaults in which the user speaks first. New ids on each call.
 */
export function callSpec(overrides: Partial<CallSpec> = {}): CallSpec {
  return {
    callId: newId(),
    accountId: newId(),
    createdAtMs: VIRTUAL_EPOCH_MS,
    firstStage: stageSpec(),
    joinTimeoutMs: 30_000,
    maxDurationMs: 3_600_000,
    firstSpeaker: { who: 'user', fallback: null },
    greetingPromptEnabled: true,
    medium: serverWebSocketSpec(),
    initialOutputMedium: 'voice',
    allowedMediums: ['voice', 'text'],
    recordingEnabled: false,
    retention: 'retain',
    metadata: {},
    sharedSecrets: [],
    dataConnection: null,
    backgroundAudio: null,
    ...overrides,
  };
}

/** A stage with all API defaults and a new id. */
export function stageSpec(overrides: Partial<StageSpec> = {}): StageSpec {
  return {
    stageId: newId(),
    systemPrompt: 'Be kind.',
    model: 'test',
    temperature: 0,
    voice: { engine: 'main', settings: {} },
    languageHint: null,
    initialMessages: [],
    timeExceededMessage: null,
    inactivityMessages: [],
    vad: {
      turnEndpointDelayMs: 384,
      minimumTurnDurationMs: 0,
      minimumInterruptionDurationMs: 90,
      frameActivationThreshold: 0.1,
    },
    tools: [],
    initialState: {},
    ...overrides,
  };
}

/** 16 kHz in both directions; otherwise API defaults. */
export function serverWebSocketSpec(overrides: Partial<ServerWebSocketSpec> = {}): ServerWebSocketSpec {
  return {
    kind: 'serverWebSocket',
    inputSampleRateHz: 16_000,
    outputSampleRateHz: 16_000,
    clientBufferMs: 60,
    mediaIdleTimeoutMs: null,
    dataMessages: {},
    ...overrides,
  };
}

/** An outgoing call without credentials, whose DTMF keys do not become messages. */
export function sipSpec(overrides: Partial<SipSpec> = {}): SipSpec {
  return {
    ...{ kind: 'sip', direction: 'outgoing', to: '', from: 'sip:agent@calls.test' },
    ...{ username: null, password: null, dtmf: null },
    ...overrides,
  };
}

/** The agent speaks first, at once. If `text` is null, the model writes the greeting. */
export function agentSpeaksFirst(text: string | null) {
  return { who: 'agent', text, prompt: null, delayMs: 0, uninterruptible: false } as const;
}
