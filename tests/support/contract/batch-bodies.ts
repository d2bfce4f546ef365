import type { BodyFixtures } from './fixtures.ts';
import { SERVER_WEB_SOCKET } from './world.ts';

const settings = {
  windowStart: '2098-01-01T00:00:00Z',
  windowEnd: '2099-01-01T00:00:00Z',
  throttle: null,
  webhookUrl: 'https://example.com/batches',
  webhookSecret: 'a secret of some length',
  paused: true,
};

const call = {
  medium: SERVER_WEB_SOCKET,
  metadata: { customer: '7' },
  templateContext: { name: 'Ada' },
  experimentalSettings: { a: 1 },
};

export const batchBodies: BodyFixtures = {
  createScheduledBatch: () => ({ minimal: { calls: [{}] }, maximal: [{ ...settings, calls: [call] }] }),
  updateScheduledBatch: () => ({ minimal: {}, maximal: [settings] }),
};
