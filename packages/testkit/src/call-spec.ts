import type { CallSpec, ServerWebSocketSpec, StageSpec } from '@calls/api-contract/call-spec';
import { newId } from '@calls/foundation/ids';
import { VIRTUAL_EPOCH_MS } from './virtual-clock.ts';

/** A call over a server WebSocket with every default of the API, for which the user speaks first. New ids each time. */
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

/** A stage with every default of the API. A new id each time. */
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

/** 16 kHz both ways, all else as the API has it by default. */
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
