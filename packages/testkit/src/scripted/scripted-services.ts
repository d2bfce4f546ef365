import { createEndOfTurnDetector } from '@calls/conversation/end-of-turn/detector';
import { Pacer } from '@calls/conversation/playout/pacer';
import type { DataConnections } from '@calls/conversation/ports/data-connection';
import type { ToolServices } from '@calls/conversation/ports/tools';
import type { TransferLegs } from '@calls/conversation/ports/transfer-legs';
import type { ConversationServices, SessionMetrics } from '@calls/conversation/session/services';
import type { Clock } from '@calls/foundation/clock';
import { inProcessChecksOf } from '../in-process-checks.ts';
import { ScriptedRecordings } from './recordings.ts';
import {
  energyDetector,
  ScriptedLanguageModel,
  ScriptedSpeechToText,
  ScriptedTextToSpeech,
} from './scripted-providers.ts';

export const silentMetrics: SessionMetrics = {
  frameSent: () => undefined,
  playoutStarved: () => undefined,
  turnResponded: () => undefined,
  turnAudible: () => undefined,
  turnAudited: () => undefined,
  responseStarted: () => undefined,
  interruption: () => undefined,
  turnModel: () => undefined,
  speculation: () => undefined,
  error: () => undefined,
  responseMissing: () => undefined,
  transferEnded: () => undefined,
  transcriptLost: () => undefined,
};

/** Tool services without reachable tools. */
export const noTools: ToolServices = {
  http: { send: () => Promise.reject(new Error('no tool server')) },
  mcp: () => ({ call: () => Promise.reject(new Error('no MCP server')), close: () => undefined }),
  corpora: { query: () => Promise.reject(new Error('no corpora')) },
  stages: { resolve: () => Promise.reject(new Error('no stages')) },
  callTokens: { issue: () => 'call-token' },
  signatureHeaders: () => ({}),
  addBackgroundWork: () => undefined,
  argumentChecksFor: inProcessChecksOf,
  prepareArgumentChecks: () => undefined,
};

const noDataConnections: DataConnections = {
  open: () => ({ send: () => undefined, writeAudio: null, close: () => Promise.resolve() }),
};

const noTransferLegs: TransferLegs = {
  dial: () => Promise.resolve({ kind: 'failed', failure: 'refused', detail: 'no legs' }),
};

/** Shared services of a process's calls. The engines recognize and say nothing unless overridden. */
export function scriptedServices(
  clock: Clock,
  overrides: Partial<ConversationServices> = {},
): ConversationServices {
  return {
    voiceActivity: energyDetector,
    speechToText: new ScriptedSpeechToText(clock, 120, []),
    endOfTurn: createEndOfTurnDetector(null),
    languageModel: new ScriptedLanguageModel(clock, 250, []),
    textToSpeech: new ScriptedTextToSpeech(clock, 120),
    fallbackVoice: null,
    backgroundClips: { load: () => Promise.reject(new Error('no clips')) },
    recordings: new ScriptedRecordings(),
    traces: null,
    tools: noTools,
    dataConnections: noDataConnections,
    transferLegs: noTransferLegs,
    pacer: new Pacer(clock),
    clock,
    metrics: silentMetrics,
    limits: { transcriptionMs: 2000, speculation: true },
    reconnectGraceMs: 10_000,
    ...overrides,
  };
}
