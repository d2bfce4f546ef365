import { exampleIds } from './example-values.ts';

export const webhook = {
  webhookId: exampleIds.webhook,
  agentId: null,
  created: '2026-03-02T09:00:00.000Z',
  url: 'https://example.com/hooks/calls',
  events: ['call.started', 'call.ended'],
  status: 'normal',
  lastStatusChange: null,
  recentFailures: [],
};

export const webhookDelivery = {
  deliveryId: exampleIds.delivery,
  webhookId: exampleIds.webhook,
  callId: exampleIds.call,
  event: 'call.ended',
  url: 'https://example.com/hooks/calls',
  status: 'dead',
  created: '2026-03-02T09:31:12.000Z',
  attempts: 11,
  lastAttempt: '2026-03-02T18:02:12.000Z',
  lastFailure: 'the response status was 500',
  nextAttempt: null,
  finished: '2026-03-02T18:02:12.000Z',
};

export const callThrottle = {
  throttleId: exampleIds.throttle,
  name: 'campaign',
  created: '2026-03-02T09:00:00.000Z',
  rules: [{ maxCalls: 10, windowSeconds: 60 }],
};
