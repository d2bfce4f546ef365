import { exampleIds } from './example-values.ts';

export const callTemplateBody = {
  systemPrompt: 'You are the receptionist of {{hotel}}.',
  medium: { serverWebSocket: { inputSampleRate: 16_000 } },
  inactivityMessages: [{ duration: '20s', message: 'Are you still there?' }],
  contextSchema: { type: 'object', properties: { hotel: { type: 'string' } } },
};

const callTemplate = {
  ...callTemplateBody,
  created: '2026-03-02T09:00:00.000Z',
  updated: '2026-03-02T09:00:00.000Z',
};

export const agent = {
  agentId: exampleIds.agent,
  publishedRevisionId: exampleIds.revision,
  name: 'Reception',
  testsRequired: false,
  created: '2026-03-02T09:00:00.000Z',
  callTemplate,
  statistics: { calls: 3 },
};

export const agentRevisionBasic = {
  revisionId: exampleIds.revision,
  agentId: exampleIds.agent,
  published: true,
  name: 'Reception',
  created: '2026-03-02T09:00:00.000Z',
  createdBy: { apiKeyPrefix: 'Ab3dE6gH', fromConsole: false },
  restoredFrom: null,
  changedFields: ['systemPrompt'],
};

export const agentRevision = { ...agentRevisionBasic, callTemplate };

export const scheduledBatchBody = {
  windowStart: '2098-03-02T09:00:00Z',
  windowEnd: '2098-03-02T17:00:00Z',
  paused: true,
  calls: [{ templateContext: { hotel: 'Seaview' }, metadata: { guest: '7' } }],
};

export const scheduledBatch = {
  batchId: exampleIds.batch,
  created: '2026-03-02T09:00:00.000Z',
  windowStart: '2098-03-02T09:00:00.000Z',
  windowEnd: '2098-03-02T17:00:00.000Z',
  throttle: null,
  webhookUrl: null,
  paused: true,
  totalCount: 1,
  completedCount: 0,
  endedAt: null,
};

export const scheduledCall = {
  status: 'SUCCESS',
  batchId: exampleIds.batch,
  callId: exampleIds.call,
  error: null,
  templateContext: { hotel: 'Seaview' },
  metadata: { guest: '7' },
};
