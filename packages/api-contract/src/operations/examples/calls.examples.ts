import { exampleIds } from './example-values.ts';

export const startCallBody = {
  systemPrompt: 'You are Ada, the receptionist of a small hotel.',
  medium: { serverWebSocket: { inputSampleRate: 16_000 } },
  firstSpeakerSettings: { agent: { text: 'Good morning, this is Ada.' } },
  maxDuration: '600s',
  metadata: { room: '12' },
};

export const pendingAnalysis = {
  status: 'pending',
  requested: '2026-03-02T09:31:12.000Z',
  completed: null,
  model: 'svc-v0.7',
  outcome: null,
  criteria: [],
  failureReason: null,
};

export const call = {
  callId: exampleIds.call,
  clientVersion: null,
  created: '2026-03-02T09:26:53.000Z',
  joined: null,
  ended: null,
  endReason: null,
  answeredBy: null,
  billedDuration: null,
  billedSideInputTokens: null,
  billedSideOutputTokens: null,
  billingStatus: 'BILLING_STATUS_PENDING',
  firstSpeaker: 'FIRST_SPEAKER_AGENT',
  firstSpeakerSettings: { agent: { text: 'Good morning, this is Ada.' } },
  inactivityMessages: [],
  initialOutputMedium: 'MESSAGE_MEDIUM_VOICE',
  mediumRestriction: null,
  joinTimeout: '30s',
  joinUrl: `wss://media.example.com/join/${exampleIds.call}?token=signed-token`,
  languageHint: null,
  keyTerms: [],
  maxDuration: '600s',
  medium: { serverWebSocket: { inputSampleRate: 16_000 } },
  model: 'svc-v0.7',
  recordingEnabled: false,
  retentionPolicy: 'retain',
  admissionPreference: null,
  systemPrompt: 'You are Ada, the receptionist of a small hotel.',
  temperature: 0,
  timeExceededMessage: null,
  voice: null,
  transcriptOptional: true,
  shortSummary: null,
  summary: null,
  agentId: null,
  agentRevisionId: null,
  experimentalSettings: null,
  metadata: { room: '12' },
  initialState: {},
  requestContext: null,
};

export const callSummary = {
  callId: exampleIds.call,
  created: '2026-03-02T09:26:53.000Z',
  joined: null,
  ended: null,
  endReason: null,
  billingStatus: 'BILLING_STATUS_PENDING',
  medium: { serverWebSocket: { inputSampleRate: 16_000 } },
  systemPrompt: 'You are Ada, the receptionist of a small hotel.',
  shortSummary: null,
};

export const message = {
  role: 'MESSAGE_ROLE_USER',
  text: 'I would like to book a room.',
  medium: 'MESSAGE_MEDIUM_VOICE',
  callStageMessageIndex: 1,
  callStageId: exampleIds.stage,
  timespan: { start: '3.2s', end: '5.08s' },
};

export const callEvent = {
  callId: exampleIds.call,
  callStageId: exampleIds.stage,
  callTimestamp: '12.5s',
  severity: 'warning',
  type: 'speech_dismissed',
  text: 'Speech was dismissed: it was a backchannel.',
  extras: { reason: 'backchannel', text: 'mhm' },
  wallClockTimestamp: '2026-03-02T09:27:12.500Z',
};

export const callStage = {
  callId: exampleIds.call,
  callStageId: exampleIds.stage,
  created: '2026-03-02T09:26:53.000Z',
  inactivityMessages: [],
  initialTokenCount: null,
  languageHint: null,
  keyTerms: [],
  latestTokenCount: 412,
  model: 'svc-v0.7',
  systemPrompt: 'You are Ada, the receptionist of a small hotel.',
  temperature: 0,
  timeExceededMessage: null,
  voice: null,
  errorCount: 0,
  experimentalSettings: null,
  initialState: {},
};

export const callTombstone = {
  callId: exampleIds.call,
  accountId: exampleIds.account,
  created: '2026-03-02T09:26:53.000Z',
  deletionTime: '2026-03-09T08:00:00.000Z',
  joined: '2026-03-02T09:27:00.000Z',
  ended: '2026-03-02T09:31:12.000Z',
  maxDuration: '600s',
  endReason: 'hangup',
  recordingEnabled: false,
  hadSummary: true,
};

export const callSupervision = {
  supervisorId: exampleIds.supervisor,
  mode: 'barge',
  sampleRate: 16_000,
  channelMode: 'CHANNEL_MODE_MIXED',
  superviseUrl: `wss://media.example.com/supervise/${exampleIds.call}?token=signed-token`,
  expires: '2026-03-02T09:28:12.000Z',
};
